"""A system that did not keep up with its load is never ranked and told of beside the verdict; unequal
capacities are told first.
"""

from __future__ import annotations

import json
import zipfile

import pytest
from typer.testing import CliRunner

import compared_runs as made
from iowatt.api import run as simulate
from iowatt.base.errors import InputError
from iowatt.cli.main import app
from iowatt.evaluate.search.metrics import table
from iowatt.lenses.budget.result import ServiceLevel
from iowatt.lenses.cost.request import CostRequest, price_runs
from iowatt.lenses.findings import OVERLOAD, findings
from iowatt.lenses.kept_up import LEAST_SHARE, kept_up
from iowatt.pages import cost as report
from iowatt.pages.cost import totals, words
from iowatt.pages.cost.sentences import verdict
from iowatt.render import numbers, write


def within(ms: float, of: str = "mean") -> ServiceLevel:
    return ServiceLevel(within_ms=ms, of=of)


SCENARIO = """name = "work"
[[workload]]
name = "oltp"
volume = "db"
profile = { name = "uniform", requests = 2500, rate_iops = 600, span = "1GB" }
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 24
raid = { level = 5, stripe_unit = "64KiB" }
[[array.volume]]
name = "db"
pool = "disks"
[observe]
interval = "60s"
"""
runner = CliRunner()
PRICE = ("purchase.model.arrays2002-disk=400",)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    (folder / "work.toml").write_text(SCENARIO)
    level = "array.pool.disks.raid.level=10"
    for name, sets in (("small", ["array.pool.disks.count=3"]), ("raid5", []), ("raid10", [level])):
        simulate(folder / "work.toml", set=sets, output=folder / name)
    return folder


def ask(runs, *names, **more):
    given = {"samples": 20, "crossovers": ("energy.factor",), "sets": PRICE, **more}
    return price_runs(CostRequest([runs / name for name in names], **given))


def test_the_cheaper_system_that_did_less_is_no_candidate(runs):
    found = ask(runs, "small", "raid5")
    small, raid5 = found.systems
    assert small.usd < raid5.usd  # which is what made it the cheapest
    assert found.choice.candidates == ["raid5"] and found.choice.baseline == "raid5"
    assert [one.system for one in found.choice.excluded] == ["small"]
    load = small.kept_up
    assert not load.kept_up and load.done_share < LEAST_SHARE
    assert f"{100 * load.done_share:.2g} %" in found.choice.excluded[0].why
    assert found.comparison == [] and found.crossovers == []
    assert [one.name for one in found.uncertainty.systems] == ["raid5"]
    assert [one.usd is None for one in found.other.systems] == [True, False]  # equal work
    told = report.document(found)
    assert told.verdict[0].startswith("raid5 (") and words.usd(raid5.usd) in told.verdict[0]
    assert told.verdict[1].startswith("small")
    assert totals.systems(found).table.column("Candidate") == ["no", "yes"]
    assert not any(column.title.startswith("Against") for column in totals.systems(found).table.columns)


def test_by_work_its_rates_are_withheld_and_the_candidates_are_not(runs):
    found = ask(runs, "small", "raid5", alpha=1000.0)
    views = [{one.key: one.value for one in system.views} for system in found.systems]
    assert views[0]["usd_per_iops"] is None and views[1]["usd_per_iops"] > 0
    withheld, shown = totals.systems(found).table.column("Total")
    assert withheld is None and shown > 0


def test_page_and_workbook_say_it_before_any_figure(runs, tmp_path):
    found = ask(runs, "small", "raid5")
    (excluded,) = found.choice.excluded
    assert (excluded.system, excluded.late) == ("small", True)
    page = report.document(found)
    told = page.verdict[1]
    assert told.startswith("small") and excluded.why in told
    assert told in write.page([page]).partition('class="tiles"')[0]
    report.write(found, tmp_path / "c.xlsx")
    with zipfile.ZipFile(tmp_path / "c.xlsx") as book:
        strings = book.read("xl/sharedStrings.xml").decode()
    assert strings.index(told) < strings.index(found.horizon.said)
    assert "small (" in strings and "raid5 (" not in strings.partition(told)[2], "its column is marked"


def test_none_that_kept_up_leaves_nothing_to_choose(runs):
    found = price_runs(CostRequest([runs / "small"]))
    assert found.choice.candidates == [] and found.choice.cheapest.total is None
    assert found.uncertainty is None and report.document(found).verdict


def test_unequal_capacities_are_told_first_on_both_bases(runs):
    found = ask(runs, "raid5", "raid10")
    five, ten = found.systems
    assert five.capacity_gb.usable == pytest.approx(23 / 12 * ten.capacity_gb.usable, rel=1e-3)
    assert found.choice.capacities_differ is True
    for one in (five, ten):
        assert one.usd_per_usable_tb == pytest.approx(one.usd / one.capacity_gb.usable * 1000)
    assert found.choice.cheapest.per_usable_tb == "raid5"
    assert found.choice.cheapest.total == min((five, ten), key=lambda one: one.usd).name
    assert "TB: raid5" in report.document(found).verdict[0]
    shares = [one.cheapest_per_tb_share for one in found.uncertainty.systems]
    assert shares == [1.0, 0.0]
    assert ask(runs, "raid5").choice.capacities_differ is False


def test_the_ranking_is_at_equal_capacity_everywhere(runs):
    """RAID-10 of the same 24 drives has 12/23 of the capacity of RAID-5: 23/12 of it hold as much."""
    found = ask(runs, "raid5", "raid10")
    five, ten = found.systems
    assert (found.choice.terms.unequal, found.choice.cheapest.equal) == (["usable capacity"], "raid5")
    assert (five.copies, five.usd_equal) == (1.0, five.usd)
    assert ten.copies == pytest.approx(23 / 12, rel=1e-3)
    assert ten.usd_equal == pytest.approx(ten.copies * ten.usd)
    (more,) = found.comparison
    assert more.usd == pytest.approx(ten.usd - five.usd)
    assert more.usd_equal == pytest.approx(ten.usd_equal - five.usd)
    assert [one.cheapest_equal_share for one in found.uncertainty.systems] == [1.0, 0.0]
    assert found.uncertainty.differences[0].quantiles.p5 > 0
    (apart,) = (one for one in found.tornado if one.of == "difference")
    assert apart.usd == pytest.approx(more.usd_equal, rel=0.05)  # in dollars of today
    assert {one.system for one in found.crossovers[0].cheapest} == {"raid5"}
    told = report.document(found)
    assert told.verdict[0].index("raid5 (") < told.verdict[0].index(words.usd(ten.usd))
    bars = told.chart.spec["data"]
    assert sum(trace["x"][1] for trace in bars) == pytest.approx(ten.usd_equal)


def closed(name, seconds, watts, requests=6000):
    """A closed loop that does 6,000 requests in so many seconds."""
    ms = 1e3 * seconds / requests
    return made.build(
        [ms] * requests, name=name, seconds=seconds, watts=watts, replay=made.closed(1), interval_s=seconds
    )


def test_in_equal_time_a_faster_system_is_ranked_by_what_it_did():
    """Twice the requests a second at 1.5 times the watts: 100 W for 30 requests/s, 150 W for 60."""
    found = price_runs(CostRequest([closed("slow", 200.0, 100.0), closed("fast", 100.0, 150.0)], samples=0))
    slow, fast = found.systems
    assert found.choice.cheapest.total == "slow" and found.choice.cheapest.equal == "fast"
    assert (slow.copies, fast.copies) == (2.0, 1.0) and found.choice.terms.unequal == ["work"]
    assert verdict(found)[0].index("fast (") < verdict(found)[0].index("slow (")
    # Each did the same 6,000 requests: repeated, that is equal work as it stands.
    same = price_runs(CostRequest([closed("slow", 200.0, 100.0), closed("fast", 100.0, 150.0)], alpha=1e5))
    assert same.choice.terms.work_differs is False and same.choice.cheapest.total == "fast"
    assert same.systems[0].usd_equal == same.systems[0].usd


def test_repeated_windows_of_unequal_work_are_not_called_equal_work():
    slow, fast = closed("slow", 100.0, 100.0, 3000), closed("fast", 100.0, 150.0)
    found = price_runs(CostRequest([slow, fast], alpha=1e5, samples=0))
    assert found.choice.terms.work_differs and found.choice.cheapest.equal == "fast"
    level = price_runs(CostRequest([fast, closed("twin", 100.0, 140.0)], alpha=1e5, samples=0))
    assert found.horizon.said != level.horizon.said


def test_requests_of_other_sizes_are_not_put_to_equal_work():
    large = closed("large", 100.0, 150.0)
    large.summary["throughput"] |= {"mib_per_s": 10 * large.summary["throughput"]["mib_per_s"]}
    for key in ("bytes_read", "bytes_written"):
        large.summary["requests"][key] *= 10
    found = price_runs(CostRequest([closed("small", 200.0, 100.0), large], samples=0))
    assert found.choice.terms.work_differs is None and found.choice.cheapest.equal is not None
    assert found.systems[0].copies == 1.0


def test_run_and_a_row_of_a_sweep_judge_alike(runs):
    from iowatt.run.bundle import Run

    for name in ("small", "raid5"):
        run = Run.open(runs / name)
        found, made_row = kept_up(run), table.row_of_run(run)
        assert made_row["overloaded"] is not found.kept_up
        assert made_row["done_share"] == found.done_share
        warned = [one for one in findings(run) if one.code in OVERLOAD]
        assert bool(warned) is not found.kept_up


@pytest.mark.parametrize(("asked", "kept"), [(None, True), (10.2, True), (20.0, False)])
def test_a_measured_run_is_held_against_the_rate_that_was_asked_for(asked, kept):
    driver = made.load_generator(asked, 10.0)
    run = made.build([1.0] * 1000, source="fio", driver=driver, plan={"measured": {}})
    found = kept_up(run)
    assert found.kept_up is kept
    assert found.done_share == (None if asked is None else pytest.approx(10.0 / asked))


def test_a_replay_that_sent_its_requests_late_did_not_keep_up():
    for late, kept in ((0.0, True), (0.3, False)):
        run = made.build([1.0] * 1000, source="replay", plan={"measured": {"late_share": late}})
        assert kept_up(run).kept_up is kept


def test_the_verb_says_it_first(runs):
    shown = runner.invoke(app, ["cost", str(runs / "small"), str(runs / "raid5"), "--samples", "0"])
    assert [line.split()[0] for line in shown.stdout.splitlines()[1:3]] == ["raid5", "small"]
    found = json.loads(runner.invoke(app, ["cost", str(runs / "small"), "--json", "--samples", "0"]).stdout)
    assert found["choice"]["excluded"][0]["system"] == "small"


def test_a_system_that_misses_the_service_level_is_no_candidate(runs):
    times = {
        name: json.loads((runs / name / "run.json").read_text())["response_time_ms"]["all"]["p95"]
        for name in ("raid5", "raid10")
    }
    slow, quick = sorted(times, key=times.get, reverse=True)
    found = ask(runs, "raid5", "raid10", level=within((times[slow] + times[quick]) / 2, "p95"))
    assert found.choice.candidates == [quick]
    assert [(one.system, one.late) for one in found.choice.excluded] == [(slow, False)]
    assert found.comparison == []
    # The winner first, with its dollars, then who is left out and by how much.
    winner, left_out, *_ = verdict(found)
    usd = {one.name: one.usd for one in found.systems}
    assert winner.startswith(quick) and words.usd(usd[quick]) in winner
    assert left_out.startswith(slow) and f"{times[slow]:,.3g} ms" in left_out
    # Both systems' times stand beside their dollars.
    assert [one.work.response_p95_ms for one in found.systems] == [times["raid5"], times["raid10"]]
    assert totals.systems(found).table.column("p95") == [times["raid5"], times["raid10"]]
    tiles = report.document(found).headlines
    for tile, name in zip(tiles, ("raid5", "raid10"), strict=True):
        assert f"p95 {numbers.with_unit(times[name], 'ms')}" in tile.remark
    # Its own figures stay: it did the work, only too slowly.
    assert all(one.usd is not None for one in found.other.systems)
    loosest = within(2 * times[slow], "p95")
    met = ask(runs, "raid5", "raid10", level=loosest)
    assert met.choice.level == ServiceLevel(within_ms=2 * times[slow], of="p95")
    # Said once where every candidate meets it, never where one misses it or none was asked for; the last
    # sentence is that of data loss.
    assert [len(verdict(one)) for one in (met, found, ask(runs, "raid5", "raid10"))] == [3, 3, 2]
    only, overloaded, meets, *_ = verdict(ask(runs, "small", "raid5", level=within(1e6, "p95")))
    assert only.startswith("raid5") and overloaded.startswith("small") and meets.startswith("raid5")
    strictest = ask(runs, "raid5", "raid10", level=within(1e-3, "p95"))
    assert strictest.choice.candidates == [] and strictest.choice.cheapest.total is None
    assert write.page([report.document(strictest)])


@pytest.mark.parametrize(("of", "within"), [("p96", "20ms"), ("p95", "0ms"), ("p95", "soon")])
def test_a_service_level_that_is_none_is_refused(runs, of, within):
    done = runner.invoke(app, ["cost", str(runs / "raid5"), "--within", within, "--of", of])
    assert done.exit_code != 0
    assert isinstance(done.exception, InputError | SystemExit)
