"""The dollars2014 study from end to end on short work, and its conclusions on points made by hand."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from iowatt.evaluate.search import axes
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.model.profile.find import load as find_profile
from iowatt.model.scenario import compile_plan, load
from iowatt.studies.conduct import conduct
from iowatt.studies.dollars2014 import (
    conclusions,
    cost_conclusions,
    evaluate,
    money,
    points,
    systems,
)
from iowatt.studies.dollars2014.published import PRINTED
from iowatt.studies.study import find

TINY = systems.DollarsScale((64, 1024), (4,), (4,), 0.004, 0, False)
KEPT = ("", "early", "cold", "clean")
ONCE, LONG = Horizon("work", 1.0), Horizon("work", 100_000.0)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    study = replace(find("dollars2014"), scale=TINY, keep=lambda stage: stage.labels["experiment"] in KEPT)
    done = conduct(study, tmp_path_factory.mktemp("dollars") / "study")
    return done, points.read(done.results), list(done.results.stages.values())


@pytest.fixture(scope="module")
def dollars(found):
    return money.Money(found[1])


def one(found, work, system, experiment=""):
    return points.of(found[1], work, system, experiment)[0]


def test_the_study_is_known_by_name():
    assert find("dollars2014").name == "dollars2014"


def test_all_that_is_asked_for_is_run_and_shown(found):
    done, _, stages = found
    assert (done.failed, done.faults) == (0, [])
    table = pl.read_parquet(done.path / "points.parquet")
    assert table.height == sum(len(axes.all_points(stage.axes)) for stage in stages)
    figures = {figure.key: figure for figure in done.result.figures}
    assert {"systems", "switches", "ssd-only", "equal-time", "experiments"} < set(figures)
    for work in systems.WORKS:
        for variant in evaluate.DRAWN:
            assert {
                f"cost-{work}-{variant}-once",
                f"cost-{work}-{variant}-long",
                f"alpha-{work}-{variant}",
            } <= set(figures)
        assert {f"throughput-{work}", f"hits-{work}", f"difference-{work}"} <= set(figures)
    assert len(figures["systems"].rows) == 2 * len(systems.SYSTEMS)
    assert "ranges" not in figures, "no draws at this scale"


def test_every_claim_has_its_verdict_and_says_why_where_it_differs(found):
    verdicts = found[0].result.verdicts
    assert {verdict.key for verdict in verdicts} == {
        "hits-linear", "hits-caching", "hits-tiering", "throughput-reads", "throughput-writes", "wear-reads",
        "wear-writes", "cost-once", "cost-long-run-reads", "cost-long-run-writes", "years", "ssd-only",
    }  # fmt: skip
    assert all(verdict.agrees or (verdict.cause and verdict.experiment) for verdict in verdicts)
    codes = [note.code for note in found[0].result.notes]
    assert codes[0] == "reduced"
    assert {"fitted", "devices", "one-outstanding", "no-captured-trace"} <= set(codes)


def test_linear_hits_what_the_profile_puts_on_the_ssd(found):
    for work, share in (("web-search", 0.08), ("fiu-online", 0.84)):
        assert one(found, work, "linear").hit == pytest.approx(share, abs=0.02)
        profile = find_profile(systems.WORKS[work].profile).profile
        assert [stream.share for stream in profile.stream] == pytest.approx([100 * share, 100 * (1 - share)])
        assert len({stream.access.k for stream in profile.stream}) == 1, "one skew was fitted"


@pytest.mark.parametrize("work", systems.WORKS.values(), ids=list(systems.WORKS))
def test_the_ssd_is_a_quarter_and_a_cache_needs_a_quarter_more_disk(work):
    span = work.span_mib * 2**20

    def used(system):
        text = systems.scenario("x", system, systems.profiled(work, 100), work.span_mib, limit=4)
        names = compile_plan(load(text))["names"]["devices"]
        return {device["pool"]: device["used_share"] * device["raw_bytes"] for device in names}

    assert used("ssd") == {"ssd": pytest.approx(span)}
    assert used("hdd") == {"hdd": pytest.approx(span, rel=1e-6)}
    assert used("linear") == {"ssd": pytest.approx(span / 4), "hdd": pytest.approx(3 * span / 4, rel=1e-6)}
    assert used("caching") == {"ssd": pytest.approx(span / 4), "hdd": pytest.approx(span, rel=1e-6)}
    places = 4 * 2**20
    assert used("tiering")["hdd"] == pytest.approx(3 * span / 4 + places, rel=1e-6)


def test_the_last_part_of_the_work_is_the_whole_less_its_beginning(found):
    whole, early = one(found, "fiu-online", "tiering"), one(found, "fiu-online", "tiering", "early")
    assert early.requests == whole.requests * 3 // 4
    assert early.duration_s < whole.duration_s
    last = points.last_part(whole, early)
    assert last.hit is not None
    assert last.hit * 0.25 + early.hit * 0.75 == pytest.approx(whole.hit, abs=1e-3)


def test_without_write_backs_the_disk_has_less_to_do(found):
    usual, clean = one(found, "fiu-online", "caching"), one(found, "fiu-online", "caching", "clean")
    assert clean.write_backs == 0 < usual.write_backs
    assert clean.iops > usual.iops


def test_each_variant_puts_one_defect_right():
    printed, *others = money.variants()
    assert printed.key == "printed"
    for variant in others[:6]:
        before, after = printed.book.figures, variant.book.figures
        changed = [key for key in after if after[key].value != before[key].value]
        assert len(changed) == 1, variant.key
    together = next(variant for variant in others if variant.key == "all").book.figures
    assert sum(together[key].value != printed.book.figures[key].value for key in together) == 6
    default = next(variant for variant in others if variant.key == "default").book.figures
    for key in ("purchase.model.intel-320-300gb", "purchase.model.seagate-barracuda-xt-2tb"):
        assert default[key] == printed.book.figures[key], "prices of the time in all of them"


def test_as_printed_all_but_the_purchase_is_multiplied(found, dollars):
    printed = money.variants()[0]
    point = one(found, "fiu-online", "caching")
    first, later = (dollars.groups(point, printed, horizon) for horizon in (ONCE, LONG))
    assert later["purchase"] == first["purchase"]
    assert later["demand"] == pytest.approx(1e5 * first["demand"])
    assert later["wear"] == pytest.approx(1e5 * first["wear"])
    # Rates of the seasons differ.
    assert 1e5 * first["energy"] == pytest.approx(later["energy"], rel=0.2)
    limit_gb = 36_500.0
    ssd_usd = 450.0 * systems.FIU.span_mib * 2**20 / 4 / 300e9
    assert first["wear"] == pytest.approx(ssd_usd * conclusions.counted_writes_gb(point) / limit_gb, rel=1e-6)


def test_a_demand_charge_by_months_is_one_of_the_months_there_are(found, dollars):
    printed, months = money.variants()[:2]
    assert months.key == "demand"
    point = one(found, "fiu-online", "caching")
    as_printed = dollars.groups(point, printed, LONG)
    by_months = dollars.groups(point, months, LONG)
    assert {k: v for k, v in by_months.items() if k != "demand"} == {
        k: v for k, v in as_printed.items() if k != "demand"
    }
    shares = money.years(point, 1e5) * 12
    assert by_months["demand"] == pytest.approx(as_printed["demand"] * shares / 1e5, rel=0.15)


def test_the_meter_of_a_computer_adds_its_watts(found, dollars):
    printed = money.variants()[0]
    host = next(variant for variant in money.variants() if variant.key == "host")
    point = one(found, "web-search", "tiering")
    drives, both = (dollars.groups(point, one_, LONG)["energy"] for one_ in (printed, host))
    assert both / drives == pytest.approx((point.power_w + money.HOST_W) / point.power_w, rel=1e-6)


def test_a_crossing_is_where_both_cost_the_same(found, dollars):
    printed = money.variants()[0]
    hdd, ssd = one(found, "fiu-online", "hdd"), one(found, "fiu-online", "ssd")
    (crossing,) = dollars.crossings(hdd, ssd, printed)
    assert crossing.cheaper_before is hdd, "the SSD is dear at first"
    usd = [dollars.usd(point, printed, Horizon("work", crossing.alpha)) for point in (hdd, ssd)]
    assert usd[0] == pytest.approx(usd[1], rel=1e-3)
    assert crossing.years[0] == pytest.approx(crossing.alpha * hdd.duration_s / 31_536_000)


def made(system, at=(1024, 4, 4), **changes):
    """A point of web search."""
    values = {
        "work": "web-search", "system": system, "experiment": "", "at": at, "variation": "", "requests": 1000,
        "duration_s": 500.0, "iops": 2000.0, "ms": 0.5, "hit": 0.95, "migrations": 10, "write_backs": 0,
        "ssd_written_gb": 5.0, "ssd_read_gb": 10.0, "hdd_busy": 0.5,
        "power_w": 8.0,
    }  # fmt: skip
    return points.HybridPoint(**(values | changes))


def test_only_configurations_with_the_published_hits_are_compared():
    good = (made("caching"), made("tiering"))
    cold = (made("caching", (4, 4, 4), hit=0.5), made("tiering", (4, 4, 4), hit=0.52))
    assert conclusions.comparable([good, cold], "web-search") == [good]
    assert conclusions.comparable([cold], "web-search") == []
    kept = conclusions.compared([good, cold], "web-search")
    assert kept.pairs == [good] and kept.how.startswith("1 of 2 ")
    every = conclusions.compared([good], "web-search")
    assert every.pairs == [good] and every.how.startswith("1 ") and " of " not in every.how


def test_where_no_configuration_has_the_published_hits_the_verdict_says_that_all_are_compared():
    cold = [made("caching", hit=0.5), made("tiering", hit=0.52)]
    cold.append(replace(cold[1], experiment="cold"))
    every = points.pairs(cold, "web-search")
    compared = conclusions.compared(every, "web-search")
    assert compared.pairs == every and compared.how.split()[:3] == ["none", "of", "1"]
    for verdict in (*conclusions.throughput(cold, systems.WEB), *conclusions.wear(cold, systems.WEB)):
        assert verdict.case.endswith(compared.how)


@pytest.mark.parametrize(("faster", "agrees"), [(1.06, True), (1.005, False), (1.3, False)])
def test_throughput_agrees_near_the_published_range(faster, agrees):
    both = [
        made("caching", iops=2000.0 * faster),
        made("tiering"),
        made("tiering", experiment="cold", iops=1900.0),
    ]
    (verdict,) = conclusions.throughput(both, systems.WEB)
    assert verdict.agrees is agrees
    assert verdict.published == "+4 % to +9 %"
    cold = f"start {conclusions.signed(100 * (2000 * faster / 1900 - 1))}"
    assert (cold in verdict.experiment) is not agrees


def test_the_wear_that_the_study_counts_is_writes_and_a_tenth_of_reads():
    assert conclusions.counted_writes_gb(made("caching")) == 6.0
    more = [made("caching"), made("tiering", ssd_read_gb=20.0)]
    (verdict,) = conclusions.wear(more, systems.WEB)
    assert verdict.agrees
    assert "-14.3 %" in verdict.ours


def test_hits_of_tiering_are_held_against_both_ends_of_the_range():
    def verdict(low, high):
        pair = [made(system, (1024, at, 4), hit=hit) for system in ("caching", "tiering")
                for at, hit in ((4, high), (64, low))]  # fmt: skip
        return {one.key: one for one in conclusions.hits(pair, systems.WEB)}["hits-tiering"]

    assert verdict(0.86, 0.97).agrees
    assert not verdict(0.70, 0.97).agrees


def test_years_are_alpha_times_seconds_over_those_of_a_year():
    point = made("caching", duration_s=663.0)
    assert money.years(point, PRINTED.long_run) == pytest.approx(2.1, abs=0.01), "the study's mean"
    tiering = made("tiering", duration_s=663.0)
    verdict = cost_conclusions.years_of_work(
        [point, tiering], systems.WEB, conclusions.compared([(point, tiering)], "web-search")
    )
    assert verdict.agrees
