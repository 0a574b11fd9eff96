"""Several systems side by side: pairs as two Runs have them, who is ranked, and on which terms."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import compared_runs as made
import iowatt
from iowatt.base.errors import Argument
from iowatt.lenses.budget import ServiceLevel
from iowatt.lenses.compare import CompareRequest, analyse
from iowatt.lenses.compare.result import NO_VERDICT
from iowatt.lenses.compare.systems import MOST_SYSTEMS, SystemsCompared, analyse_systems, open_systems
from iowatt.lenses.equal_terms import Delivered, equal_terms
from iowatt.pages.compare import document
from iowatt.render import write
from refused import refused

ROOT = Path(__file__).parents[3]


def draws(seed, scale=1.0, size=6000):
    return scale * (0.01 + np.random.default_rng(seed).exponential(1.0, size))


def run(seed, scale=1.0, *, usable_gb=1.0, **changes):
    """A Run of 60 requests/s, of as many GB usable."""
    found = made.build(draws(seed, scale), seed=seed, **changes)
    found.summary["capacity_gb"]["usable"] = usable_gb
    return found


def compared(*runs, level=None, **options):
    systems = [one if isinstance(one, list) else [one] for one in runs]
    return analyse_systems(systems, CompareRequest(systems[0], systems[1], **options), level)


def overloaded(name="late"):
    found = made.build(np.linspace(1.0, 60_000.0, 2000), name=name)
    found.summary["capacity_gb"]["usable"] = 1.0
    return found


@pytest.fixture(scope="module")
def runs():
    return [run(1, name="old"), run(2, 0.5, name="fast", raid="10"), run(3, 1.02, name="like", raid="6")]


@pytest.fixture(scope="module")
def found(runs):
    return compared(*runs)


def verdicts(pair):
    return {row.metric: row.verdict for row in pair.differences}


def test_a_pair_is_the_comparison_of_two_corrected_for_all_of_them(runs, found):
    assert [pair.after.label for pair in found.pairs] == ["fast", "like"] and found.comparisons == 2
    for other, pair in zip(runs[1:], found.pairs, strict=True):
        alone = analyse(CompareRequest([runs[0]], [other]))
        for row, same in zip(pair.differences, alone.differences, strict=True):
            assert (row.interval, row.before, row.after) == (same.interval, same.before, same.after)
            # Bonferroni over two comparisons.
            assert row.p == (None if same.p is None else min(1.0, 2 * same.p))
    assert verdicts(found.pairs[0])["mean"] == "better"
    assert set(verdicts(found.pairs[1]).values()) <= {"not distinguishable", NO_VERDICT}


def test_a_difference_beyond_chance_of_two_may_be_chance_among_many():
    """The p of one pair grows with the number of pairs, so a borderline verdict goes."""
    base, close = run(1, name="base"), run(2, 0.94, name="close", raid="10")
    alone = next(row for row in compared(base, close).pairs[0].differences if row.metric == "mean")
    more = [run(seed, name=f"s{seed}", raid="6") for seed in range(3, 13)]
    among = next(row for row in compared(base, close, *more).pairs[0].differences if row.metric == "mean")
    assert alone.verdict == "better" and among.verdict == "not distinguishable"
    assert among.p == pytest.approx(11 * alone.p) and among.interval == alone.interval


def test_the_document_is_plain_json_and_its_reference_names_every_key(found):
    plain = found.as_dict()
    assert plain["schema"] == "iowatt.compare-systems/1"
    assert SystemsCompared.model_validate(json.loads(json.dumps(plain, allow_nan=False))) == found
    text = (ROOT / "docs" / "reference" / "verbs" / "compare.md").read_text("utf-8")
    section = text.partition("**Several systems**")[2]
    keys = {*plain, *plain["systems"][0], *plain["terms"], *plain["lowest"][0]} - {"schema", "title", "unit"}
    assert {key for key in keys if f"`{key}`" not in section} == set()


def test_an_overloaded_system_is_no_baseline_is_not_ranked_and_takes_no_part(runs):
    found = compared(overloaded(), *runs[:2])
    assert found.baseline == "old" and found.comparisons == 1
    late = found.named("late")
    assert late.not_ranked and late.copies is None and late.power_equal_w is None
    assert found.pairs[0].withheld == ["overload"]
    assert {one.system for one in found.lowest if one.metric == "response"} == {"fast"}
    assert any(late.not_ranked in sentence for sentence in document(found).verdict)
    nothing = compared(overloaded("a"), overloaded("b"), overloaded("c"))
    assert nothing.lowest == [] and all(one.not_ranked for one in nothing.systems)


def test_a_system_that_misses_the_service_level_is_not_ranked(runs):
    # p95 of exponential response times of mean 1 ms is 3 ms.
    found = compared(*runs, level=ServiceLevel(within_ms=2.0, of="p95"))
    assert [bool(one.not_ranked) for one in found.systems] == [True, False, True]
    assert found.baseline == "old" and found.lowest == []


def test_power_is_ranked_at_equal_capacity():
    """Half the capacity at three quarters of the watts is dearer: 2 x 75 W for as much."""
    small = run(2, 0.5, name="small", usable_gb=0.5, watts=75.0, raid="10")
    found = compared(run(1, name="large", watts=100.0), small)
    power = next(one for one in found.lowest if one.metric == "power_equal_w")
    assert (power.system, power.value, power.next_value) == ("large", 100.0, 150.0) and power.verdict is None
    assert found.terms.capacities_differ and found.terms.work_differs is False
    assert found.named("small").copies == 2.0
    shown = write.page([document(found)])
    assert "150" in shown and "At equal capacity" in shown


def test_a_faster_closed_loop_is_ranked_at_equal_work():
    """Twice the requests at 1.5 times the watts draw less for the same work: 150 W against 2 x 100 W."""
    slow = made.build(draws(1, size=6000), name="slow", replay=made.closed(4))
    fast = made.build(draws(2, 0.5, size=12_000), name="fast", replay=made.closed(4), raid="10", watts=150.0)
    found = compared(slow, fast)
    power = next(one for one in found.lowest if one.metric == "power_equal_w")
    assert found.terms.unequal == ["work"] and found.named("slow").done_share is None
    assert (power.system, power.value, power.next_value) == ("fast", 150.0, 200.0)
    # At equal work its test is that of joules a request, which do not vary here.
    assert power.verdict == verdicts(found.pairs[0])["joules_per_request"]


def test_response_times_under_another_load_are_not_ranked_and_other_requests_not_at_all(runs):
    half = made.build(draws(4, 0.3, size=3000), name="half", raid="10")
    loop = made.build(draws(5, 0.3), name="loop", raid="10", replay=made.closed(4))
    found = compared(*runs[:2], half, loop)
    assert found.named("half").response_not_ranked and not found.named("half").not_ranked
    assert found.named("loop").not_ranked
    assert {one.system for one in found.lowest if one.metric == "response"} == {"fast"}


def test_without_watts_response_times_alone_are_ranked(runs):
    dark = [run(1, name="old"), run(2, 0.5, name="fast", raid="10"), run(3, name="like", raid="6")]
    for one in dark[:2]:
        one.summary["energy"]["total_j"] = None
    mixed, none = compared(*dark), compared(*dark[:2])
    for found in (mixed, none):
        assert [one.metric for one in found.lowest] == ["response"] and found.notes == []
        assert document(found).chart.key == "distribution" and write.page([document(found)])
    metered = run(4, 0.5, name="metered", raid="10")
    metered.summary["power_w"]["wall_mean"] = 100.0
    found = compared(runs[0], metered)
    assert [one.metric for one in found.lowest] == ["response"]
    assert [note.code for note in found.notes] == ["power-basis"]


def test_repeated_runs_are_one_system(tmp_path):
    for seed in (1, 2):
        run(seed).save(tmp_path / "old" / f"s{seed}")
        run(seed + 2, 0.5, raid="10").save(tmp_path / "new" / f"s{seed}")
    run(7, raid="6").save(tmp_path / "single")
    found = iowatt.compare(
        tmp_path / "old", [tmp_path / "new" / "s1", tmp_path / "new" / "s2"], tmp_path / "single"
    )
    assert [(one.label, one.runs) for one in found.systems] == [("old", 2), ("new", 2), ("single", 1)]
    assert found.pairs[0].after.requests == 12_000
    with refused("duplicate", str(tmp_path / "old" / "s1")):
        iowatt.compare(tmp_path / "old", tmp_path / "single", tmp_path / "old" / "s1")


def test_more_systems_than_a_verdict_can_stand_are_refused(runs):
    with refused("too-large", Argument("runs")):
        open_systems([[runs[0]]] * (MOST_SYSTEMS + 1))


@given(
    st.lists(
        st.tuples(st.floats(1.0, 1e5), st.floats(1.0, 1e6), st.floats(1.0, 1e4)), min_size=2, max_size=6
    ),
    st.floats(0.1, 10.0),
)
def test_units_do_not_change_an_order_on_equal_terms(systems, factor):
    """In other units of work and capacity copies are the same; two of a system are ranked as one of it."""

    def power(scaled):
        given = [Delivered(work, 4096.0, usable) for work, usable, _ in scaled]
        terms = equal_terms(given)
        return [terms.copies(one) * watts for one, (_, _, watts) in zip(given, scaled, strict=True)]

    units = [(factor * work, usable / factor, watts) for work, usable, watts in systems]
    assert power(units) == pytest.approx(power(systems))
    (work, usable, watts), *rest = systems
    if max(one[0] for one in rest) > 2.2 * work and max(one[1] for one in rest) > 2.2 * usable:
        doubled = [(2 * work, 2 * usable, 2 * watts), *rest]
        assert power(doubled) == pytest.approx(power(systems))
