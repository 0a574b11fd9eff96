"""`iowatt idle` and `iowatt heat` answer on every Run of `iowatt run`, from data in bounded memory."""

import pytest
from typer.testing import CliRunner

import iowatt
from iowatt.base.errors import InputError
from iowatt.cli import main
from iowatt.evaluate import evaluation
from iowatt.lenses.idle import analyse

SCENARIO = """
name = "any"
seed = 1
[observe]
duration = "60s"
[[workload]]
name = "a"
profile = { name = "hot-band", rate_iops = 40, span = "10GiB" }
[[array.pool]]
name = "disks"
count = 4
raid = { level = 5, stripe_unit = "64KiB" }
device = "toshiba-mg04sca500e"
"""
ROOM = 500


@pytest.fixture(scope="module")
def scenario(tmp_path_factory):
    file = tmp_path_factory.mktemp("any-run") / "any.toml"
    file.write_text(SCENARIO)
    return file


@pytest.fixture(scope="module")
def every(scenario):
    return iowatt.run(scenario, set=["observe.idle=true", "observe.heat={}"])


@pytest.fixture(scope="module")
def ordinary(scenario):
    return iowatt.run(scenario, output=scenario.parent / "ordinary")


@pytest.fixture(scope="module")
def bounded(scenario):
    """The same with room for fewer periods than there are."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(evaluation, "IDLE_ROWS", ROOM)
        return iowatt.run(scenario, output=scenario.parent / "bounded")


def test_an_ordinary_run_has_what_both_lenses_read(ordinary, every):
    for words in (["idle", str(ordinary.path)], ["heat", str(ordinary.path), "--json"]):
        assert CliRunner().invoke(main.app, words).exit_code == 0
    # There is room for all periods of a short run.
    assert ordinary.table("idle").equals(every.table("idle"))
    assert ordinary.table("idle_short").height == 0
    # Behind there is nothing that hosts do not ask for: no cache, no virtual pool.
    front = every.table("heat").filter(every.table("heat")["point"] == "front")
    assert ordinary.table("heat").equals(front)
    assert [space["point"] for space in ordinary.summary["heat"]["spaces"]] == ["front"]


def test_no_other_figure_changes(ordinary, every):
    without = {"provenance", "simulation", "heat"}
    kept = [{k: v for k, v in run.summary.items() if k not in without} for run in (ordinary, every)]
    assert kept[0] == kept[1]


def test_periods_beyond_the_room_are_counted_by_length(bounded, every):
    rows, short, whole = bounded.table("idle"), bounded.table("idle_short"), every.table("idle")
    assert ROOM / 4 < rows.height <= ROOM < whole.height
    assert rows.height + short["count"].sum() == whole.height
    assert rows["length_ns"].sum() + short["sum_ns"].sum() == whole["length_ns"].sum()
    # The long ones are all there, one by one.
    longest = short["high_ns"].max()
    long = whole.filter((whole["length_ns"] > longest) | whole["cut"])
    assert rows.equals(long)


def test_the_lens_says_the_same_of_counted_periods(bounded, every):
    found, full = (analyse(run, "arrays2002-disk") for run in (bounded, every))
    assert (found.counted, full.counted) == (bounded.table("idle_short")["count"].sum(), 0)
    for key in ("periods", "cut", "idle_s", "idle_share"):
        assert getattr(found, key) == pytest.approx(getattr(full, key), rel=1e-12)
    for one, other in zip(found.devices, full.devices, strict=True):
        assert (one.periods, one.cut) == (other.periods, other.cut)
        for key in ("mean_s", "idle_s", "longest_s"):
            assert getattr(one, key) == pytest.approx(getattr(other, key), rel=1e-9)
        # Within a bin, lengths are taken to be its mean: a sixteenth of an octave.
        assert one.cv == pytest.approx(other.cv, rel=0.002)
    policies = {row.policy: row for row in full.policies}
    assert {row.policy for row in found.policies} == set(policies) - {"share"}
    for row in found.policies:
        other = policies[row.policy]
        assert row.energy_j == pytest.approx(other.energy_j, rel=1e-9)
        assert row.saved_j == pytest.approx(other.saved_j, rel=1e-9, abs=1e-6 * row.energy_j)
        assert (row.delayed, row.start_stops) == (other.delayed, other.start_stops)
    # Which period followed which, and what shorter transitions would save, is not known any more.
    assert found.autocorrelation.lags == [] != full.autocorrelation.lags
    bound = found.oracle_bound
    assert 0 < len(bound) < len(full.oracle_bound)
    for row, other in zip(bound, full.oracle_bound, strict=False):
        for key in ("transition_s", "energy_saved_share", "latency_saved_share"):
            assert getattr(row, key) == pytest.approx(getattr(other, key), rel=1e-9, abs=1e-9)
    added = {note.code for note in found.notes} - {note.code for note in full.notes}
    assert added == {"short-periods-counted"}


def test_the_page_of_counted_periods_is_written(bounded, tmp_path):
    page = tmp_path / "idle.html"
    assert CliRunner().invoke(main.app, ["idle", str(bounded.path), "-o", str(page)]).exit_code == 0
    assert page.stat().st_size > 10_000


def test_a_scenario_can_switch_both_off(scenario, tmp_path):
    off = iowatt.run(scenario, set=["observe.idle=false", "observe.heat=false"], output=tmp_path / "off")
    assert not any(off.has(table) for table in ("idle", "idle_short", "heat"))
    for verb, key in (("idle", "observe.idle"), ("heat", "observe.heat")):
        result = CliRunner().invoke(main.app, [verb, str(off.path)])
        assert isinstance(result.exception, InputError) and key in str(result.exception.hint)


def test_behind_a_cache_heat_is_counted_on_both_sides(scenario):
    cached = iowatt.run(scenario, set=['array.controller={cache={size="64MiB"}}', "observe.duration=5s"])
    assert {space["point"] for space in cached.summary["heat"]["spaces"]} == {"front", "back"}


def test_points_of_a_search_keep_neither(scenario):
    from iowatt.model.scenario import load
    from iowatt.run import provenance

    work = evaluation.prepare(load(scenario, ["observe.duration=2s"]), scenario.parent, "")
    run = evaluation.simulate(work, inputs=lambda: [], started_at=provenance.now())
    assert not any(run.has(table) for table in ("idle", "idle_short", "heat"))
