"""Books, and what is set beside them: the right figure, or an error that says what would be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cost_systems import NOTHING, book, case, priced, ssd, system, usd
from iowatt.base.errors import InputError
from iowatt.lenses.book.find import book_names, find_book
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.tariffs.load import JOULES_PER_KWH, ElectricLoad
from refused import refused

BOOK = """
schema = "iowatt.cost-book/1"
name = "mine"
title = "Mine"
extends = "default"

[[figure]]
key = "cooling.pue"
value = 1.2
source = "the operator"
quality = "stated"
"""


def test_a_book_of_ones_own_extends_another(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(BOOK)
    found = find_book(str(tmp_path / "mine.toml"), ["service.once=40:20..60"])
    assert found.number("cooling.pue") == 1.2
    assert found.lineage == ("mine", "default")
    assert found.figure("service.once").high == 60
    assert found.number("discount.rate") == book().number("discount.rate")


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        (("1.2", "0.5"), "out-of-range", "mine.toml:9: figure.0.value"),
        (("1.2", '"much"'), "wrong-type", "mine.toml:9: figure.0.value"),
        (("cooling.pue", "cooling.pu"), "unknown-name", "mine.toml:8: figure.0.key"),
        (('extends = "default"', 'extends = "mine.toml"'), "too-large", "mine.toml: extends"),
        (('extends = "default"', 'extends = "defalt"'), "unknown-name", "mine.toml: extends"),
    ],
)
def test_a_wrong_book_is_refused_with_its_place(
    tmp_path: Path, change: tuple[str, str], code: str, place: str
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(BOOK.replace(*change))
    with refused(code, re.compile(re.escape(place) + "$")):
        find_book(str(path))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (("stated", "sure"), "mine.toml:11: figure.0.quality"),
        (("iowatt.cost-book/1", "iowatt.cost-book/9"), "mine.toml:2: schema"),
    ],
)
def test_a_key_of_a_book_is_refused_with_its_line(
    tmp_path: Path, change: tuple[str, str], place: str
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(BOOK.replace(*change))
    with pytest.raises(InputError) as caught:
        find_book(str(path))
    assert caught.value.place == str(tmp_path / place)


@given(st.text() | st.builds("{}={}".format, st.sampled_from(["cooling.pue", "wear.charge"]), st.text()))
def test_whatever_is_set_is_taken_or_refused(text: str) -> None:
    try:
        found = book(text)
    except InputError:
        return
    assert found.figure(text.partition("=")[0].strip()).quality == "given"


@given(st.text(), st.sampled_from(["", ".toml"]))
def test_whatever_a_book_is_called_it_is_found_or_refused(name: str, ending: str) -> None:
    if name + ending not in book_names():
        with pytest.raises(InputError):
            find_book(f"no-such-folder/{name}{ending}")


def test_what_was_paid_comes_before_a_preset_and_what_is_set_before_that() -> None:
    def bought(paid: bool, *sets: str) -> float:
        made = book("purchase.charge=device", *sets, preset="dollars2014")
        drive = ssd(model="intel-320-300gb", price=(100.0, "2026", "invoice 17"), paid=paid)
        return usd(priced(system("x", drive), made, Horizon("time", 1.0)), "purchase:ssd.0")

    assert bought(False) == 450
    assert bought(True) == 100
    assert bought(True, "purchase.model.intel-320-300gb=90") == 90


def test_carbon_is_of_the_joules_that_are_billed_not_of_their_mean() -> None:
    """A year of 10 W and then 100 W, half of it: 43.8 kWh."""
    import numpy as np

    from iowatt.lenses.cost.pricing import carbon

    half = 365 * 43_200.0
    load = ElectricLoad.of_powers(np.array([half, half]), np.array([10.0, 100.0]))
    of = case(system("x", load=load, seconds=2 * half), book(*NOTHING), Horizon("time", 0.5))
    assert carbon.facility_kwh(of) == pytest.approx(43.8)
    assert of.bills.of(of.repeats).energy_j / JOULES_PER_KWH == pytest.approx(43.8)
