"""Where rankings flip: exact of linear costs, jumps of replacements, the range over other assumptions."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cost_pricers import DAY_S, MadePricer, constant, figure, made_book, number, pricer
from iowatt.base.errors import Argument, InputError
from iowatt.lenses.book.book import Book
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.pricing.component import Costs
from iowatt.lenses.cost.pricing.total import Pricer
from iowatt.lenses.cost.result.uncertainty import Crossover
from iowatt.lenses.cost.uncertainty import crossovers
from iowatt.lenses.wear import SECONDS_PER_YEAR
from refused import refused

FIVE_YEARS = Horizon("time", 5.0)
PRICE = "purchase.price.ssd"
LONGER = "too-long"


def book() -> Book:
    return made_book(
        figure(PRICE, 0.1, 0.05, 0.2),
        figure("energy.factor", 1.0, 0.5, 2.0),
        figure("cooling.pue", 1.5, 1.1, 2.0),
    )


def stretches(found: Crossover) -> list[tuple[float, float, str]]:
    return [(one.start, one.until, one.system) for one in found.cheapest]


def cheap_at_first() -> dict[str, Pricer]:
    """``hdd`` costs 100 and 30 a year, ``ssd`` 100 more (1,000 x price) and 10 a year: alike at 5 years."""
    return {
        "hdd": pricer(
            purchase=constant(100.0), energy=lambda book, years: 30.0 * years * book.number("energy.factor")
        ),
        "ssd": pricer(
            purchase=lambda book, years: 100.0 + 1000.0 * book.number(PRICE),
            energy=lambda book, years: 10.0 * years * book.number("energy.factor"),
        ),
    }


def one(
    of: str, systems: dict[str, Pricer] | None = None, made: Book | None = None, **more: object
) -> Crossover:
    given_: dict[str, object] = {"draws": 0} | more
    (found,) = crossovers(systems or cheap_at_first(), made or book(), FIVE_YEARS, [of], **given_)  # type: ignore[arg-type]
    return found


def test_linear_costs_cross_in_years_where_they_do() -> None:
    found = one("years", work_s={"hdd": DAY_S, "ssd": DAY_S})
    (crossing,) = found.pairs[0].crossings
    assert crossing.at == pytest.approx(5.0, rel=1e-9)
    assert (crossing.kind, crossing.cheaper_below, crossing.cheaper_above) == ("cross", "hdd", "ssd")
    assert [(said.text.split()[-1], said.unit, said.value) for said in crossing.also] == [
        ("hdd", "times", pytest.approx(1825.0)),
        ("ssd", "times", pytest.approx(1825.0)),
    ]
    assert (found.low, found.high, found.ended_by, found.value) == (1 / 365, 30.0, None, 5.0)
    assert [(name, pytest.approx(start), pytest.approx(end)) for start, end, name in stretches(found)] == [
        ("hdd", 1 / 365, 5.0), ("ssd", 5.0, 30.0),
    ]  # fmt: skip


def test_and_in_repetitions_of_the_work() -> None:
    found = one("alpha", work_s={"hdd": DAY_S, "ssd": 2 * DAY_S})
    (crossing,) = found.pairs[0].crossings
    assert crossing.at == pytest.approx(5.0 * 365.0, rel=1e-9)
    assert [said.value for said in crossing.also] == pytest.approx([5.0, 10.0])
    # The slower one reaches thirty years there.
    assert found.high == pytest.approx(30.0 * 365.0 / 2.0)
    assert found.value is None


def test_and_along_a_price() -> None:
    # 100 + 30 x 5 = 100 + 1000 p + 10 x 5 where p = 0.1.
    (crossing,) = one(PRICE).pairs[0].crossings
    assert crossing.at == pytest.approx(0.1, rel=1e-9)
    assert (crossing.cheaper_below, crossing.cheaper_above) == ("ssd", "hdd")


def test_and_along_the_price_of_energy_told_per_kilowatt_hour() -> None:
    (crossing,) = one("energy.factor").pairs[0].crossings
    assert crossing.at == pytest.approx(1.0, rel=1e-9)
    # 150 and 50 dollars for the 10 kWh that the made-up systems use.
    assert [(said.value, said.unit) for said in crossing.also] == [
        (pytest.approx(15.0), "USD/kWh"), (pytest.approx(5.0), "USD/kWh"),
    ]  # fmt: skip


def test_a_figure_that_the_book_has_not_may_be_varied() -> None:
    def priced(book: Book, years: float) -> float:
        return book.number("purchase.model.new") if book.find("purchase.model.new") else 150.0

    systems = {"old": pricer(purchase=constant(120.0)), "new": pricer(purchase=priced)}
    found = one("purchase.model.new", systems)
    assert found.value is None
    assert found.pairs[0].crossings[0].at == pytest.approx(120.0, rel=1e-9)


def test_a_figure_of_nothing_is_varied_from_nothing_on() -> None:
    made = made_book(figure("carbon.price", 0.0, 0.0, 200.0))
    systems = {"a": pricer(carbon=number("carbon.price")), "b": pricer(purchase=constant(150.0))}
    found = one("carbon.price", systems, made)
    assert (found.low, found.high, found.axis) == (0.0, 2000.0, "linear")
    assert found.pairs[0].crossings[0].at == pytest.approx(150.0, rel=1e-9)


def test_a_replacement_makes_costs_jump() -> None:
    bought = pricer(purchase=lambda book, years: 100.0 * math.floor(1.0 + years / 4.0))
    systems = {"bought": bought, "rented": pricer(service=constant(150.0))}
    (crossing,) = one("years", systems).pairs[0].crossings
    assert crossing.kind == "jump"
    assert crossing.lower < 4.0 <= crossing.upper
    assert (crossing.usd_below, crossing.usd_above) == (50.0, -50.0)
    assert (crossing.cheaper_below, crossing.cheaper_above) == ("bought", "rented")


def test_several_crossings_are_all_found() -> None:
    bought = pricer(purchase=lambda book, years: 100.0 * math.floor(1.0 + years / 4.0))
    rented = pricer(service=lambda book, years: 32.0 * years)
    found = one("years", {"bought": bought, "rented": rented})
    crossings = found.pairs[0].crossings
    # The rent overtakes 100, 200, 300 and 400 dollars; three times the next purchase overtakes the rent.
    assert [one.at for one in crossings] == pytest.approx(
        [3.125, 4.0, 6.25, 8.0, 9.375, 12.0, 12.5], rel=1e-6
    )
    assert [one.kind for one in crossings] == ["cross", "jump"] * 3 + ["cross"]
    cheapest = [name for _, _, name in stretches(found)]
    assert cheapest == ["rented", "bought"] * 4


def test_without_a_crossing_it_says_who_is_cheaper_and_within_what() -> None:
    systems = {
        "a": pricer(purchase=number(PRICE)),
        "b": pricer(purchase=number(PRICE), service=constant(1.0)),
    }
    found = one(PRICE, systems)
    (pair,) = found.pairs
    assert pair.crossings == []
    assert stretches(found) == [(0.001, 10, "a")]
    assert pair.why.startswith("a ") and "0.001" in pair.why and "10" in pair.why
    same = {name: pricer(purchase=number(PRICE)) for name in ("a", "b")}
    why = one(PRICE, same).pairs[0].why
    assert why.split()[0] not in ("a", "b") and why.partition(",")[2] == pair.why.partition(",")[2]


def test_an_assumption_that_nobody_asks_for_says_so() -> None:
    systems = {"a": pricer(purchase=constant(1.0)), "b": pricer(purchase=constant(20.0))}
    why = one("cooling.pue", systems).pairs[0].why
    moving = one("cooling.pue", {**systems, "a": pricer(energy=number("cooling.pue"))}).pairs[0].why
    assert moving.startswith("a ")
    assert why != moving and why.endswith(moving)


def ends_at_12(priced: Pricer) -> Pricer:
    def refusing(book: Book, horizon: Horizon) -> Costs:
        if horizon.years(DAY_S) > 12.0:
            raise InputError("too-large", None, LONGER)
        return priced(book, horizon)

    return MadePricer(refusing)


def test_what_cannot_be_priced_is_the_end_of_the_axis() -> None:
    systems = cheap_at_first()
    found = one("years", {"hdd": systems["hdd"], "ssd": ends_at_12(systems["ssd"])})
    assert found.ended_by == LONGER
    assert 11.9 < found.high <= 12.0
    assert found.course.at[-1] == found.high
    assert [crossing.at for crossing in found.pairs[0].crossings] == pytest.approx([5.0])


def test_where_nothing_can_be_priced_the_reason_is_raised() -> None:
    with refused("too-large", None):
        one(
            "years",
            {name: ends_at_12(p) for name, p in cheap_at_first().items()},
            bounds={"years": (20.0, 25.0)},
        )


@pytest.mark.parametrize(
    ("of", "bounds", "code"),
    [
        ("wear.charge", None, "not-applicable"),
        ("carbon.estimate", None, "not-applicable"),
        ("cooling.pu", None, "unknown-name"),
        ("cooling.pue", (0.5, 2.0), "out-of-range"),
        ("alpha", (0.5, 2.0), "out-of-range"),
        ("years", (2.0, 1.0), "out-of-range"),
        (PRICE, (0.1, math.inf), "out-of-range"),
        (PRICE, (0.1, math.nan), "out-of-range"),
    ],
)
def test_what_cannot_be_varied_is_refused(of: str, bounds: tuple[float, float] | None, code: str) -> None:
    with refused(code, Argument("crossover", of)):
        one(of, bounds=None if bounds is None else {of: bounds})


def test_a_near_key_is_suggested() -> None:
    with refused("unknown-name") as caught:
        one("cooling.pu")
    assert "'cooling.pue'" in caught.value.hint


def test_the_range_over_other_assumptions_is_that_of_their_laws() -> None:
    # 20 f t = 1000 p: t = 50 p / f. With f alone varied over 1 to 4 around 1, t = 5 / f.
    made = made_book(figure(PRICE, 0.1), figure("energy.factor", 1.0, 1.0, 4.0))
    found = one("years", made=made, draws=200, seed=3).pairs[0].range
    assert found is not None
    assert (found.draws, found.share_crossing, found.share_reversed) == (200, 1.0, 0.0)

    def factor(share: float) -> float:
        return 4.0 - math.sqrt((1.0 - share) * 9.0)

    assert found.p5 == pytest.approx(5.0 / factor(0.95), rel=0.02)
    assert found.p50 == pytest.approx(5.0 / factor(0.5), rel=0.02)
    assert found.p95 == pytest.approx(5.0 / factor(0.05), rel=0.02)


def test_draws_without_a_crossing_say_who_is_cheaper() -> None:
    # b costs 1, a costs its price times a factor that is 0 to 2 around 1; bounds let the price be 0.8 to 1.2.
    made = made_book(figure(PRICE, 1.0), figure("cooling.pue", 1.0, 0.0, 2.0))
    systems = {
        "a": pricer(purchase=lambda book, years: book.number(PRICE) * book.number("cooling.pue")),
        "b": pricer(purchase=constant(1.0)),
    }
    found = one(PRICE, systems, made, draws=400, bounds={PRICE: (0.8, 1.25)}).pairs[0].range
    assert found is not None
    # a is cheaper throughout where the factor is below 0.8 (0.8^2 / 2), b above 1.25 (0.75^2 / 2).
    assert found.share_a_cheaper == pytest.approx(0.32, abs=0.005)
    assert found.share_b_cheaper == pytest.approx(0.75**2 / 2, abs=0.005)
    assert found.share_crossing == pytest.approx(1 - 0.32 - 0.75**2 / 2, abs=0.006)
    assert found.share_same == found.share_reversed == 0.0


def test_of_several_places_each_draw_gives_its_first() -> None:
    """The rent of 32 a year overtakes the first purchase at 100 x factor / 32, whatever comes later."""
    made = made_book(figure("purchase.other", 1.0, 0.9, 1.1))
    bought = pricer(
        purchase=lambda book, years: 100.0 * book.number("purchase.other") * math.floor(1.0 + years / 4.0)
    )
    rented = pricer(service=lambda book, years: 32.0 * years)
    pair = one("years", {"bought": bought, "rented": rented}, made, draws=40).pairs[0]
    assert len(pair.crossings) == 7
    assert pair.range is not None
    assert pair.range.share_crossing == 1.0
    assert pair.range.p5 is not None
    assert pair.range.p95 is not None
    assert 0.9 * 3.125 < pair.range.p5 < 3.125 < pair.range.p95 < 1.1 * 3.125


def test_draws_that_change_places_the_other_way_are_told_apart() -> None:
    # b rises through the 10 dollars of a at 5 years, or falls through them where the figure is negative.
    made = made_book(figure("energy.escalation", 0.4, -0.5, 1.0))
    systems = {
        "a": pricer(service=constant(10.0)),
        "b": pricer(service=lambda book, years: 10.0 + book.number("energy.escalation") * (years - 5.0)),
    }
    pair = one("years", systems, made, draws=200).pairs[0]
    assert [crossing.cheaper_above for crossing in pair.crossings] == [pair.a]
    assert pair.range is not None
    # The triangle over -0.5 to 1 with its mode at 0.4 is below 0 with 0.5^2 / (1.5 x 0.9).
    assert pair.range.share_reversed == pytest.approx(0.25 / 1.35, abs=0.006)
    assert pair.range.share_crossing == pytest.approx(1.0 - 0.25 / 1.35, abs=0.006)


def test_with_few_crossings_no_quantiles_are_told() -> None:
    made = made_book(figure(PRICE, 1.0), figure("cooling.pue", 1.0, 0.0, 2.0))
    systems = {
        "a": pricer(purchase=lambda book, years: book.number(PRICE) * book.number("cooling.pue")),
        "b": pricer(purchase=constant(1.0)),
    }
    found = one(PRICE, systems, made, draws=50, bounds={PRICE: (0.99, 1.01)}).pairs[0].range
    assert found is not None
    assert 0.0 < found.share_crossing < 0.1
    assert (found.p5, found.p50, found.p95) == (None, None, None)


def test_what_is_varied_is_not_drawn() -> None:
    made = made_book(figure(PRICE, 0.1, 0.05, 0.2), figure("energy.factor", 1.0))
    assert one(PRICE, made=made, draws=50).pairs[0].range is None
    found = one("years", made=made, draws=50).pairs[0].range
    assert found is not None
    assert found.p5 is not None
    assert found.p95 is not None
    assert found.p5 < 5.0 < found.p95


def test_systems_are_compared_with_the_first_or_as_named() -> None:
    systems = cheap_at_first() | {"third": pricer(purchase=constant(1e6))}
    found = one("years", systems)
    assert [(pair.a, pair.b) for pair in found.pairs] == [("hdd", "ssd"), ("hdd", "third")]
    named = one("years", systems, pairs=[("third", "ssd")])
    assert [(pair.a, pair.b) for pair in named.pairs] == [("third", "ssd")]
    # Who is the cheapest where knows all of them all the same.
    assert named.cheapest == found.cheapest
    assert [name for _, _, name in stretches(found)] == ["hdd", "ssd"]


def test_the_order_of_systems_and_figures_does_not_matter() -> None:
    systems = cheap_at_first()
    found = one("years", draws=50).pairs[0]
    made = made_book(*reversed(book().figures.values()))
    turned = one("years", dict(reversed(systems.items())), made, draws=50).pairs[0]
    assert (turned.a, turned.b) == ("ssd", "hdd")
    assert turned.crossings[0].at == pytest.approx(found.crossings[0].at, rel=1e-9)
    assert turned.crossings[0].cheaper_below == found.crossings[0].cheaper_below
    assert turned.range is not None
    assert found.range is not None
    assert turned.range.p50 == pytest.approx(found.range.p50, rel=1e-3)


def test_the_same_seed_gives_the_same() -> None:
    assert one("years", draws=50).as_dict() == one("years", draws=50).as_dict()
    assert one("years", draws=50).as_dict() != one("years", draws=50, seed=2).as_dict()


def test_the_document_is_json() -> None:
    found = json.loads(json.dumps(one("energy.factor", draws=20).as_dict(), allow_nan=False))
    assert set(found) == {
        "of", "unit", "text", "value", "low", "high", "ended_by", "dollars", "axis", "course", "cheapest",
        "pairs",
    }  # fmt: skip
    assert set(found["course"]["usd"]) == {"hdd", "ssd"}
    assert len(found["course"]["at"]) == len(found["course"]["usd"]["hdd"])
    assert found["course"]["at"] == sorted(found["course"]["at"])
    assert 1.0 in found["course"]["at"]
    assert set(found["pairs"][0]["crossings"][0]) == {
        "at", "lower", "upper", "kind", "cheaper_below", "cheaper_above", "usd_below", "usd_above", "also",
    }  # fmt: skip
    assert set(found["pairs"][0]["range"]) == {
        "draws", "seed", "p5", "p50", "p95", "share_crossing", "share_a_cheaper", "share_b_cheaper",
        "share_same", "share_reversed",
    }  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(
    first=st.floats(1.0, 1e4),
    more=st.floats(1.0, 1e4),
    slope=st.floats(1.0, 1e3),
    less=st.floats(0.01, 0.99),
)
def test_the_cheaper_one_is_cheaper_on_its_side(first: float, more: float, slope: float, less: float) -> None:
    systems = {
        "a": pricer(purchase=constant(first), energy=lambda book, years: slope * years),
        "b": pricer(purchase=constant(first + more), energy=lambda book, years: less * slope * years),
    }
    wanted = more / (slope * (1.0 - less))
    found = one("years", systems)
    at = [crossing.at for crossing in found.pairs[0].crossings]
    if 1 / 365 < wanted < 30.0:
        assert at == pytest.approx([wanted], rel=1e-6)
    for start, end, name in stretches(found):
        usd = {
            system: priced(book(), Horizon("time", (start * end) ** 0.5)).usd
            for system, priced in systems.items()
        }
        assert usd[name] <= min(usd.values()) * (1 + 1e-9)
    assert found.cheapest[0].start == found.low
    assert found.cheapest[-1].until == found.high
    assert SECONDS_PER_YEAR == 365 * DAY_S
