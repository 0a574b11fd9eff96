"""Optimize as a whole: searches of a part, going on, prices, limits, and what is refused."""

import html
import io
import json
import re
import shutil

import polars as pl
import pytest
from optimizing import CLOSED, OPEN, brute_force, given, optimized
from rich.console import Console

import iowatt
from iowatt.base.errors import Argument
from iowatt.evaluate.search import PricingRequest
from iowatt.evaluate.search.axes import parse_axes
from iowatt.evaluate.search.metrics import names as metrics
from iowatt.evaluate.search.metrics import table
from iowatt.evaluate.search.optimize import engine
from iowatt.evaluate.search.optimize.problem import KEEPS_UP, parse_constraint, parse_constraints
from iowatt.evaluate.search.optimize.space import SearchSpace
from iowatt.evaluate.search.tasks.executor import Threads
from iowatt.pages.optimize.page import document
from iowatt.render import terminal, write
from iowatt.sources.simulation.wall import DRIVES_ALONE
from refused import refused

OVER = ["array.pool.p.count=4..12:2", "array.pool.p.raid.level=0,5,6,10", "array.pool.p.queue_depth=1,4"]
EFFICIENCY = {"maximize": ["efficiency.iops_per_w"]}


def printed(found, *, notes=False):
    """What a terminal shows of an outcome, with plain spaces."""
    made = io.StringIO()
    console = Console(file=made, width=terminal.WIDTH, soft_wrap=True, highlight=False)
    terminal.show(document(found.document, found.frame), notes=notes, console=console)
    return made.getvalue().replace("\u00a0", " ")


def test_a_search_of_a_part_finds_what_all_of_it_has():
    limits = ["redundancy.failures_survived >= 1", "capacity_gb.usable >= 3TB"]
    best, frame = brute_force(CLOSED, OVER, subject_to=limits, **EFFICIENCY)
    found = optimized(CLOSED, OVER, subject_to=limits, method="search", most=16, **EFFICIENCY)
    assert set(found.document.front) == best
    assert found.document.proof != "exact"
    assert found.document.space.simulated < frame.height
    row = found.frame.row(by_predicate=pl.col("point") == found.document.winner, named=True)
    assert row["status"] == "simulated" and row["on_front"] and row["feasible"]
    assert found.document.estimator.errors["efficiency.iops_per_w"].median_percent < 20


def test_an_outcome_depends_on_nothing_but_the_problem(tmp_path):
    options = {"method": "search", "most": 12, "minimize": ["power_w.mean"], **EFFICIENCY}
    one = optimized(CLOSED, OVER, jobs=1, output=tmp_path / "one", **options)
    many = optimized(CLOSED, OVER, jobs=3, output=tmp_path / "many", **options)
    assert one.document == many.document
    assert one.frame.equals(many.frame)
    assert (tmp_path / "one/table.parquet").read_bytes() == (tmp_path / "many/table.parquet").read_bytes()


@pytest.mark.parametrize("method", ["exact", "search"])
def test_an_interrupted_one_goes_on(tmp_path, monkeypatch, method):
    options = {"method": method, **EFFICIENCY} | ({"most": 14} if method == "search" else {})
    over = OVER[:2]
    whole = optimized(CLOSED, over, output=tmp_path / "whole", **options)
    shutil.copytree(tmp_path / "whole", tmp_path / "cut")
    journal = tmp_path / "cut/points.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:5]) + lines[5][:40])
    for name in ("table.parquet", "table.csv", "report.html", "optimize.json"):
        (tmp_path / "cut" / name).unlink()
    with refused("exists", tmp_path / "cut"):
        optimized(CLOSED, over, output=tmp_path / "cut", **options)
    ran = []
    import iowatt.evaluate.search.optimize.engine as module

    real = module.evaluate_point
    monkeypatch.setattr(
        module, "evaluate_point", lambda task, report: (ran.append(task.key), real(task, report))[1]
    )
    again = optimized(CLOSED, over, output=tmp_path / "cut", resume=True, **options)
    assert again.resumed == 5 and len(ran) == len(lines) - 5
    assert again.document == whole.document
    for name in ("table.parquet", "optimize.json"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_cost_and_carbon_are_metrics():
    """A drive's price decides where watts hardly differ; a budget is known before any run."""
    over = ["array.pool.p.count=4..10:2", "array.pool.p.raid.level=5,10"]
    found = optimized(
        OPEN, over, minimize=["cost.total_usd", "cost.carbon_kg"], subject_to=["cost.purchase_usd <= 1200"]
    )
    rows = found.frame.filter(pl.col("status") == "simulated")
    assert (rows["cost.total_usd"] > rows["cost.purchase_usd"]).all()
    assert found.document.space.known_infeasible > 0
    winner = found.frame.row(by_predicate=pl.col("point") == found.document.winner, named=True)
    assert winner["array.pool.p.count"] == 4
    run = iowatt.run(
        OPEN.replace("count = 8", "count = 4").replace(
            "level = 5", f"level = {winner['array.pool.p.raid.level']}"
        )
    )
    priced = iowatt.cost(run, samples=0).systems[0]
    assert winner["cost.total_usd"] == pytest.approx(priced.usd, rel=1e-9)
    # What these dollars rest on is what the pricing took, and the terminal and the page say it.
    pricing = found.document.pricing
    energy = next(one for one in priced.components if one.key == "energy")
    assert (pricing.horizon.basis, pricing.horizon.amount) == ("time", priced.years)
    assert pricing.usd_per_kwh == pytest.approx(energy.unit_price, rel=1e-9)
    assert (pricing.drives_only, set(pricing.unpriced)) == (
        True,
        {"shelf", "shelf.controller", "shelf.supply"},
    )
    shown = printed(found)
    figures = (
        f"{priced.years:g} years", f"{energy.unit_price:.4g} $/kWh",
        f"{winner['capacity_gb.usable']:,.0f} GB",
    )  # fmt: skip
    assert [one for one in figures if one not in shown] == []
    page = html.unescape(write.page([document(found.document, found.frame)]))
    assert [one for one in figures if one not in page.replace("\u00a0", " ")] == []


def test_what_dollars_rest_on_follows_the_assumptions():
    priced = PricingRequest("default", ("purchase.part.shelf=900",), "flat:0.2", alpha=3)
    found = optimized(OPEN, ["array.pool.p.count=4,6"], minimize=["cost.total_usd"], pricing=priced)
    pricing = found.document.pricing
    assert (pricing.horizon.basis, pricing.horizon.amount) == ("work", 3)
    assert pricing.usd_per_kwh == pytest.approx(0.2)
    assert not pricing.drives_only and set(pricing.unpriced) == {"shelf.controller", "shelf.supply"}
    free = optimized(OPEN, ["array.pool.p.count=4,6"], minimize=["power_w.mean"])
    assert free.document.pricing is None


def test_what_speaks_against_the_winner_stands_below_it():
    many = ["workload.w.replay.outstanding=256"]
    found = optimized(CLOSED, ["array.pool.p.count=13,14"], overrides=many, **EFFICIENCY)
    winner = found.frame.row(by_predicate=pl.col("point") == found.document.winner, named=True)
    wide, busy = found.document.warnings[:2]
    assert {one.code for one in (wide, busy)} == {"run-warning"} and wide.decides
    assert winner["warnings"].split(table.BETWEEN)[:2] == [wide.text, busy.text]
    assert wide.text.startswith("array.pool.p.count: ") and "90\u00a0%" in busy.text
    deciding = [caveat.text for caveat in document(found.document, found.frame).caveats if caveat.decides]
    for at, warning in enumerate(found.document.warnings):
        assert warning.text in deciding[at]
    assert not any(one.text in note.text for one in (wide, busy) for note in found.document.notes)
    assert found.document.basis.startswith(DRIVES_ALONE)
    assert found.document.basis in printed(found, notes=True)


def test_each_point_at_its_highest_rate(tmp_path):
    """More drives bear a higher rate within the limit, and their watts grow less than that at first."""
    found = optimized(
        OPEN.replace("requests = 400", "requests = 1500"),
        ["array.pool.p.count=4,8"],
        maximize=["throughput.iops"],
        within_s=0.015,
    )
    rows = found.frame.sort("array.pool.p.count")
    assert rows["rate_iops"].to_list() == sorted(rows["rate_iops"].to_list())
    assert rows["rate_iops"][1] > 1.6 * rows["rate_iops"][0]
    assert (rows["response_time_ms.all.mean"] <= 15.0).all()
    assert (found.document.judged.within_ms, found.document.judged.statistic) == (15.0, "mean")


def test_nothing_feasible_is_said_and_what_is_nearest(tmp_path):
    found = optimized(
        CLOSED,
        OVER[:1],
        subject_to=["response_time_ms.all.mean <= 0.01ms"],
        output=tmp_path / "o",
        **EFFICIENCY,
    )
    assert found.document.winner is None and found.document.front == []
    nearest = found.frame.row(by_predicate=pl.col("point") == found.document.nearest, named=True)
    assert nearest["response_time_ms.all.mean"] == found.frame["response_time_ms.all.mean"].min()
    assert json.loads((tmp_path / "o/optimize.json").read_text()) == found.document.as_dict()
    none = optimized(CLOSED, OVER[:1], subject_to=["capacity_gb.usable >= 900TB"], **EFFICIENCY)
    assert none.document.space.simulated == 0
    assert none.document.space.known_infeasible == 5


@pytest.mark.parametrize(
    ("options", "code", "place"),
    [
        ({}, "missing", "maximize"),
        ({"maximize": ["iops_per_watt"]}, "unknown-name", "maximize"),
        ({"maximize": ["cache.hit_ratio"]}, "missing-figure", "maximize"),
        ({"maximize": ["throughput.iops"], "minimize": ["throughput.iops"]}, "duplicate", "maximize"),
        ({"subject_to": ["power_w.mean < 5"], **EFFICIENCY}, "not-accepted", "subject_to: power_w.mean < 5"),
        ({"subject_to": ["power_w.mean"], **EFFICIENCY}, "bad-syntax", "subject_to: power_w.mean"),
        (
            {"subject_to": ["power_w.mean <= 5ms"], **EFFICIENCY},
            "bad-syntax",
            "subject_to: power_w.mean <= 5ms",
        ),
        (
            {"subject_to": ["power_w.mean <= nan"], **EFFICIENCY},
            "out-of-range",
            "subject_to: power_w.mean <= nan",
        ),
        ({"subject_to": ["power_w.mean <= 5", "power_w.mean >= 6"], **EFFICIENCY}, "conflict", "subject_to"),
        ({"method": "guess", **EFFICIENCY}, "not-accepted", "method"),
        ({"method": "exact", "most": 5, **EFFICIENCY}, "conflict", "most"),
        ({"method": "search", "most": 0, **EFFICIENCY}, "out-of-range", "most"),
        ({"jobs": 0, **EFFICIENCY}, "out-of-range", "jobs"),
    ],
)
def test_what_is_wrong_is_refused(tmp_path, options, code, place):
    with refused(code, place):
        optimized(CLOSED, OVER[:1], output=tmp_path / "o", **options)
    assert not (tmp_path / "o/table.parquet").exists()


@pytest.mark.parametrize(
    ("over", "code", "detail"),
    [
        (["array.pool.p.count="], "empty", "array.pool.p.count="),
        (["array.pool.p.counts=4"], "unknown-key", "array.pool.p.counts"),
        (
            ["array.pool.p.device=no-such-drive,arrays2002-disk"],
            "unknown-name",
            "array.pool.p.device=no-such-drive: array.pool.p.device",
        ),
        (["array.pool.p.count=1", "array.pool.p.raid.level=5,6"], "infeasible", ""),
    ],
)
def test_a_space_that_is_none_is_refused_before_anything_is_written(tmp_path, over, code, detail):
    with refused(code, Argument("over", detail)):
        optimized(CLOSED, over, output=tmp_path / "o", **EFFICIENCY)
    assert not (tmp_path / "o").exists()


def test_limits_take_the_unit_of_their_metric():
    assert (
        parse_constraint("response_time_ms.all.p95 <= 20ms").value
        == parse_constraint("response_time_ms.all.p95<=20").value
        == 20
    )
    assert parse_constraint("capacity_gb.usable >= 2TB").value == pytest.approx(2000)
    assert parse_constraint("power_w.wall_max <= 1.2kW").value == pytest.approx(1200)
    assert parse_constraints(["power_w.mean <= 5", "power_w.mean >= 5"])
    assert metrics.metric_column("cost.total_usd").unit == "$"
    assert {"efficiency.iops_per_w", "response_time_ms.all.p999", "cost.carbon_kg"} <= set(
        metrics.catalogue()
    )


def test_the_numbers_of_a_space_are_those_of_a_sweep():
    from iowatt.evaluate.search.axes import all_points

    made = parse_axes(["a=1..3", "b=x,y", "c=1KiB..8KiB:x2"])
    space = SearchSpace(made)
    assert space.size == 24
    for point in all_points(made):
        assert space.point(point.number) == point
        assert space.number(space.at(point.number)) == point.number
    assert sorted(space.neighbours(1)) == [2, 3, 4, 5, 9, 17]
    assert space.ordered(0) and not space.ordered(1) and space.ordered(2)
    long = SearchSpace(parse_axes(["a=1..100", "b=1..1000000000:500000"]))
    assert len(long.sample(500, 1)) == len(set(long.sample(500, 1))) == 500
    assert long.sample(500, 1) == long.sample(500, 1) != long.sample(500, 2)
    assert given(CLOSED).source == "scenario" and engine.EXACT_UP_TO < engine.LOOKED_AT


def test_a_budget_is_kept_and_what_it_leaves_out_is_said():
    found = optimized(CLOSED, OVER, method="search", most=3, **EFFICIENCY)
    space = found.document.space
    assert space.simulated + space.failed == 3
    (note,) = [note for note in found.document.notes if note.code == "budget-spent"]
    assert note.decides and " 3 " in note.text


def test_values_that_only_contradict_one_another_are_points_that_cannot_be_built():
    """The first device knows no seek to stop its spindle for; no value is wrong by itself."""
    over = [
        "array.pool.p.device=hotband2013-15k,arrays2002-disk",
        'array.pool.p.power={policy="fixed-threshold",threshold="5s"},{policy="never"}',
    ]
    text = CLOSED.replace('capacity = "500GB"', 'capacity = "50GB"')
    for given_order in (over, over[::-1]):
        found = optimized(text, given_order, minimize=["power_w.mean"])
        assert found.document.space.refused == 1
        assert found.document.winner is not None


def test_points_run_at_the_same_time(monkeypatch):
    import iowatt.evaluate.search.tasks.evaluator as module

    made = []
    monkeypatch.setattr(module, "Threads", lambda jobs: made.append(jobs) or Threads(jobs))
    optimized(CLOSED, OVER[:2], jobs=3, **EFFICIENCY)
    optimized(CLOSED, OVER, jobs=3, method="search", most=8, **EFFICIENCY)
    assert made == [3, 3]


def test_a_system_that_drowns_is_no_answer():
    """Four disks under a rate that twelve can bear draw the fewest watts, and complete what they can."""
    over = ["array.pool.p.count=4,12"]
    rate = ["workload.w.profile.rate_iops=700", "workload.w.profile.requests=8000"]
    found = optimized(OPEN, over, overrides=rate, minimize=["power_w.wall_mean"])
    rows = found.frame.sort("point")
    assert rows["overloaded"].to_list() == [True, False]
    assert found.document.winner == 2
    assert rows["feasible"].to_list() == [False, True]
    assert rows["violated"][0] == KEEPS_UP
    (note,) = [note for note in found.document.notes if note.code == "not-kept-up"]
    assert note.text.startswith("1 ") and note.decides
    assert (
        set(found.document.front)
        == brute_force(OPEN, over, overrides=rate, minimize=["power_w.wall_mean"])[0]
    )


def test_runs_at_a_limit_keep_to_bounds_too():
    """What was under way when a Run's window began completes in it: a processor's rate is no bound then."""
    text = OPEN.replace('read = "100us", write = "200us"', 'read = "2ms", write = "2ms"')
    found = optimized(
        text,
        ["seed=1..4"],
        overrides=["workload.w.profile.requests=3000"],
        maximize=["throughput.iops"],
        within_s=1.0,
    )
    assert found.document.space.simulated == 4


def test_what_no_point_can_do_is_an_error_and_not_an_empty_answer():
    with refused("not-applicable", re.compile(r"^point \d+: workload\.w$")):
        optimized(CLOSED, OVER[:1], maximize=["rate_iops"], within_s=0.02)
    with refused("not-applicable", "workload"):
        optimized(OPEN, OVER[:1], workload="w", **EFFICIENCY)


def test_a_metric_of_some_points_only_is_one():
    over = ['array.controller.cache={size="0B"},{size="64MiB"}']
    for given_order in (over, ['array.controller.cache={size="64MiB"},{size="0B"}']):
        found = optimized(CLOSED, given_order, maximize=["cache.hit_ratio"])
        winner = found.frame.row(by_predicate=pl.col("point") == found.document.winner, named=True)
        assert "64MiB" in winner["array.controller.cache"]


def test_what_is_ordered():
    made = parse_axes(
        ["a.raid.level=0,5,6", "b,c=(4,5),(8,10)", "d=15k-600gb,2tb.toml", "e=38,24,30", "f=64KiB,1MiB"]
    )
    assert [SearchSpace(made).ordered(at) for at in range(5)] == [False, False, False, False, True]
