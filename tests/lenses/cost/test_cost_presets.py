"""The presets: sourced, within bounds, the figures of their sources; as text; their schemas."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iowatt.lenses.book.find import SET, book_names, find_book
from iowatt.lenses.book.keys import KEYS, key_rule
from iowatt.lenses.book.listing import assumptions, book_listing, everything, listing_lines
from iowatt.model.library.find import device_names
from iowatt.model.library.price_class import PRICE_CLASSES
from iowatt.model.library.reliability import RELIABILITY_CLASSES
from iowatt.tariffs.find import find_tariff

ROOT = Path(__file__).resolve().parents[3]
#: Keys that have no figure unless somebody sets one.
SET_BY_USERS = {"purchase.part.*", "wear.ssd_tbw", "carbon.grid"}


@pytest.fixture(params=book_names())
def book(request):
    return find_book(request.param)


def test_every_key_has_a_figure_or_is_the_users():
    figures = find_book("default").figures
    without = {key.pattern for key in KEYS if not any(key_rule(name) is key for name in figures)}
    assert without == SET_BY_USERS | {"purchase.model.*"}


def test_measured_and_published_figures_have_a_date_or_say_whose_they_are(book):
    for figure in book.figures.values():
        assert len(figure.source) > 10, figure.key
        if figure.quality == "measured":
            assert figure.date is not None, figure.key


def test_names_in_keys_are_classes_devices_kinds_or_estimates(book):
    domains = ("enclosure", "controller", "node", "rack")
    names = {*PRICE_CLASSES, *RELIABILITY_CLASSES, *device_names(), *domains, "hdd", "ssd"}
    for key in book.figures:
        rule = key_rule(key)
        if (
            rule is not None
            and rule.pattern.endswith("*")
            and not key.startswith(("purchase.part", "carbon.grid"))
        ):
            assert key.rpartition(".")[2] in names, key


def test_the_tariff_of_a_preset_is_one(book):
    assert find_tariff(book.word("energy.tariff")).energy is not None


def test_figures_of_the_default_are_those_of_their_sources():
    """Retail quartiles of 2025-07-23; Uptime 2025; EnterpriseDrive; Backblaze 2024; Tannu and Nair."""
    book = find_book("default")
    triples = {
        "purchase.price.hdd-to-6tb": (0.027, 0.035, 0.044),
        "purchase.price.hdd-to-12tb": (0.024, 0.027, 0.032),
        "purchase.price.hdd-to-18tb": (0.019, 0.021, 0.025),
        "purchase.price.hdd-over-18tb": (0.020, 0.0205, 0.021),
        "purchase.price.hdd-10k-15k": (0.083, 0.16, 0.42),
        "purchase.price.ssd-sata": (0.066, 0.114, 0.221),
        "purchase.price.ssd-nvme": (0.059, 0.078, 0.144),
        "purchase.price.ssd-u2": (0.21, 0.44, 0.46),
        "wear.amplification.ssd-sata": (1.32, 2.13, 4.35),
        "wear.amplification.ssd-nvme": (1.71, 3.66, 12.1),
        "failures.afr.hdd": (0.0135, 0.0157, 0.0171),
    }
    for key, expected in triples.items():
        figure = book.figures[key]
        assert (figure.low, figure.value, figure.high) == expected, key
    values = {
        "cooling.pue": 1.54, "carbon.grid.world": 481.0, "carbon.grid.usa": 369.0,
        "carbon.embodied.survey.ssd": 0.16,
        "carbon.embodied.survey.hdd": 0.02, "carbon.unit.boavizta.hdd": 31.11,
        "carbon.unit.boavizta.ssd": 6.34,
    }  # fmt: skip
    assert {key: book.number(key) for key in values} == values
    assert book.number("carbon.embodied.boavizta.ssd") == pytest.approx(2.20 / 48.5, rel=1e-5)
    assert book.number("carbon.embodied.vendor.hdd") == pytest.approx(29.7 / 30_000)
    assert book.number("carbon.embodied.vendor.ssd") == pytest.approx(4915 / 30_720, rel=1e-3)


def test_trends_of_prices_are_what_the_note_says():
    """Medians of 2023-11-16 and 2025-07-23 are 1.685 years apart."""
    source = find_book("default").figures["wear.price_decline"].source
    for first, last, said in ((0.0217, 0.0225, "2 %"), (0.1062, 0.1145, "5 %"), (0.0700, 0.0780, "7 %")):
        assert f"{(last / first) ** (1 / 1.685) - 1:.0%}".replace("%", " %") == said
        assert said in source
    assert f"{1 - (0.0205 / (299 / 6000)) ** (1 / 11):.0%}" == "8%"
    assert f"{1 - (0.114 / 1.5) ** (1 / 14):.0%}" == "17%"


def test_dollars2014_is_the_paper():
    book = find_book("dollars2014")
    words = {
        "purchase.charge": "used", "energy.demand": "run", "energy.fixed": "none", "wear.charge": "paper",
        "wear.limits": "book", "wear.ssd_basis": "host",
    }  # fmt: skip
    assert {key: book.word(key) for key in words} == words
    numbers = {
        "wear.reads": 0.1, "wear.ssd_tbw": 36.5, "wear.start_stop_cycles": 300_000.0, "cooling.pue": 1.0,
        "discount.rate": 0.0, "disposal.per_drive": 0.0, "disposal.residual": 0.0, "carbon.price": 0.0,
    }  # fmt: skip
    assert {key: book.number(key) for key in numbers} == numbers
    rates = [book.number(key) for key in book.figures if key.startswith("failures.afr.")]
    assert rates and not any(rates)


def test_what_was_used_is_told_in_order():
    book = find_book("default")
    for key in ("carbon.grid.usa", "purchase.price.ssd-u2", "purchase.price.hdd-to-6tb", "cooling.pue"):
        book.number(key)
    rows = assumptions(book)
    assert [row.key for row in rows] == [
        "purchase.price.hdd-to-6tb", "purchase.price.ssd-u2", "cooling.pue", "carbon.grid.usa",
    ]  # fmt: skip
    assert list(rows[0].as_dict()) == [
        "key", "unit", "text", "value", "low", "high", "source", "date", "quality", "note",
    ]  # fmt: skip
    json.dumps([row.as_dict() for row in rows], allow_nan=False)


def test_a_preset_as_text_has_every_figure_with_its_source(book):
    text = "\n".join(listing_lines(book_listing(book.name)))
    for row in everything(book):
        assert f"  {row.key} = " in text
    flat = " ".join(text.split())
    assert all(" ".join(figure.source.split()) in flat for figure in book.figures.values())


def test_what_is_set_stands_in_the_text():
    found = book_listing("default", ["cooling.pue=1.2:1.1..1.4"])
    text = "\n".join(listing_lines(found))
    assert "cooling.pue = 1.2 (1.1 to 1.4)" in text
    (row,) = [one for one in found.assumptions if one.key == "cooling.pue"]
    assert (row.value, row.low, row.high) == (1.2, 1.1, 1.4)
    assert (row.quality, row.source) == ("given", SET)
