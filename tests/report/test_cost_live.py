"""What the workbook says it follows, it follows: its formulas against a new pricing, figure by figure."""

from __future__ import annotations

import math

import pytest

from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.pricing.wear import ROUNDING
from iowatt.lenses.wear import SECONDS_PER_YEAR
from iowatt.pages.cost import expression, live
from report.cost_priced import CASES, FIVE_YEARS, READING, priced

#: Other values of a figure, by how many times; what is nothing becomes something.
TIMES = (0.61, 1.37)
#: Tiers take long to be billed, month by month, and differ from the others in bills only.
OVER = {"tiers": Horizon("time", 1.5)}


def moved(base, number, figures, repeats=None):
    """A system of ``base`` as the workbook's formulas make it with other figures or repetitions."""
    given = base.systems[number]
    own = live.Live(given, live.numbers(base))
    if repeats is not None:
        seconds = repeats * given.work.duration_s
        given = changed(given, repeats=repeats, seconds=seconds, years=seconds / SECONDS_PER_YEAR)

    def anew(text):
        return expression.evaluate(text, lambda name: expression.value_of(name, made, None, figures))

    # Prices ask for figures alone, lives for those and the horizon, carbon for lives, components for all.
    made = given
    drives = []
    for drive in given.drives:
        price, lives = own.of_drive(drive), own.of_lives(drive)
        now = drive if price is None else changed(drive, price_usd=anew(price))
        if drive.lives is not None:
            there = drive.lives if lives is None else anew(lives)
            now = changed(now, lives=there, served=max(1, math.ceil(there - ROUNDING)))
        drives.append(now)
    made = changed(given, drives=drives)
    texts = {which: own.of_carbon(which) for which in ("operational", "embodied")}
    kg = {f"{which}_kg": anew(text) for which, text in texts.items() if text is not None}
    told = [changed(one, expression=own.of_component(one)) for one in base.systems[number].components]
    made = changed(made, carbon=changed(made.carbon, **kg), components=told)
    usd = expression.values(made, figures)
    return changed(made, components=[changed(one, usd=usd.get(one.key, one.usd)) for one in told])


def changed(part, **fields):
    return part.model_copy(update=fields)


def assert_follows(base, key, figures, fresh):
    """Components that claim to follow ``key`` come to what a new pricing says."""
    said = live.follows(base)[key]
    for number, new in enumerate(fresh.systems):
        old = base.systems[number]
        own = live.Live(old, live.numbers(base))
        made = moved(base, number, figures, new.repeats if key == live.HORIZON else None)
        was = {one.key: one for one in old.components}
        now = {one.key: one for one in made.components}
        for component in new.components:
            if component.key not in was:
                assert said in (live.NOT_FOLLOWED, live.ONLY_CARBON), (key, component.key)
            elif key not in own.keys(was[component.key])[1]:
                usd = now[component.key].usd
                assert usd == pytest.approx(component.usd, rel=1e-6, abs=1e-9), (key, component.key)
        for which in ("operational_kg", "embodied_kg"):
            if "carbon" not in said.partition("stays")[2]:
                assert getattr(made.carbon, which) == pytest.approx(getattr(new.carbon, which), rel=1e-9), (
                    key,
                    which,
                )


@pytest.mark.parametrize("case", CASES)
def test_every_expression_comes_to_its_dollars(case):
    base = priced(*CASES[case])
    for one in base.systems:
        own = live.Live(one, live.numbers(base))
        missing = [c.key for c in one.components if c.expression and own.of_component(c) is None]
        assert missing == []
        assert own.of_carbon("operational") is not None
        assert own.of_carbon("embodied") is not None
        counted = [drive for drive in one.drives if drive.lives is not None]
        assert len(counted) == (0 if case == "paper" else 2)
        assert all(own.of_lives(drive) is not None for drive in counted)


@pytest.mark.parametrize("case", CASES)
def test_what_is_said_to_follow_a_figure_does(case):
    tariff, preset, sets = CASES[case]
    over = OVER.get(case, FIVE_YEARS)
    base = priced(tariff, preset, sets, over)
    figures = live.numbers(base)
    assert len(figures) > 15
    for key, value in figures.items():
        for times in TIMES if case == "flat" else TIMES[1:]:
            other = value * times if value else 0.04 * times
            if key == "cooling.pue":
                other = max(1.0, other)
            fresh = priced(tariff, preset, (*sets, f"{key}={other!r}"), over)
            assert_follows(base, key, {**figures, key: other}, fresh)


@pytest.mark.parametrize("case", CASES)
def test_what_is_said_to_follow_the_horizon_does(case):
    tariff, preset, sets = CASES[case]
    base = priced(tariff, preset, sets)
    for horizon in (Horizon("time", 1.3), Horizon("time", 12.0), Horizon("work", 300_000.0)):
        fresh = priced(tariff, preset, sets, horizon)
        assert_follows(base, live.HORIZON, live.numbers(base), fresh)


def test_with_one_price_of_energy_nearly_everything_is_live():
    told = live.follows(priced(*CASES["flat"]))
    assert told[live.HORIZON].startswith("live")
    for key in (
        "purchase.price.ssd-sata", "energy.factor", "cooling.pue", "wear.service_life", "failures.warranty",
        "service.per_year", "disposal.per_drive", "carbon.grid.world", "carbon.price",
    ):  # fmt: skip
        assert told[key].startswith("live"), key


def test_carbon_of_a_drive_that_only_reads_says_that_reads_may_wear_it_and_are_not_followed():
    """Reads wear nothing as stated and are in no formula; counted, they use up drive after drive."""
    sets = ("wear.reads=0", "carbon.price=50")
    base = priced("flat:0.15", "default", sets, systems=(READING,))
    told = live.follows(base)["wear.reads"]
    assert not told.startswith("live") and told != live.NOT_FOLLOWED
    assert told.rpartition(" in ")[2].split(", ") == ["carbon", "disposal", "wear"]
    worn = priced("flat:0.15", "default", (*sets, "wear.reads=0.04"), systems=(READING,))
    kg = [one.systems[0].carbon.embodied_kg for one in (base, worn)]
    assert kg[1] > 10 * kg[0]
    carbon = next(one for one in base.systems[0].components if one.key == "carbon:embodied")
    assert "wear.reads" in live.Live(base.systems[0], live.numbers(base)).keys(carbon)[1]
