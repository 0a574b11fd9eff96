"""docs/reference/cost-result.md names every key of a result, and none that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from cost_systems import START, book, hdd, ssd, system
from iowatt.base.results import Note
from iowatt.lenses import cost
from iowatt.lenses.budget.result import ServiceLevel
from iowatt.lenses.cost.analysis import analyse
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.year import Cycle, make_year
from iowatt.tariffs.find import find_tariff
from lenses.cost import year_systems

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "cost-result.md").read_text("utf-8")
#: Keys whose value has names of systems, groups or ratings as its keys.
FREE = {"by_group", "ratios"}
#: Lists of notes: what a note has is said once.
NOTES = {"notes", "cautions"}
#: Elements that have a table of their own, in the page's order after that of the document.
OWN = ("pairs", "systems", "spin_down", "year")
#: What rows say that is no key: values, options, keys of the book; and keys of rows that link tables.
NO_KEYS = {
    "iowatt.cost/1", "work", "time", "once", "present", "paid", "total", "difference", "log", "linear",
    "cross", "jump", "tie", "worn", "service_life", "--duty", "discount.rate", "energy.site_kw",
    "energy.fixed", "a", "b", "text", "value", "unit",
}  # fmt: skip
CYCLE = Cycle("even", "Even", "made.toml", "iops", np.full((7, 24), 100.0), "nobody", "assumed")


def tables():
    """Each table as rows: names in its first column, and all names of the row."""
    found = []
    for block in re.findall(r"\| key \| what \|\n\|---\|---\|\n((?:\|.*\n)+)", PAGE):
        rows = [line.strip("|\n").split(" | ", 1) for line in block.splitlines()]
        found.append([(names(first), names(first) | names(what)) for first, what in rows])
    return found


def names(text):
    return set(re.findall(r"`([^`]+)`", text))


def keys(value):
    """All keys below a value but those of pairs, which have a table of their own."""
    if isinstance(value, list):
        return set().union(*(keys(one) for one in value))
    if not isinstance(value, dict):
        return set()
    left_out = FREE | NOTES | {"pairs"}
    below = (keys(one) for name, one in value.items() if name not in left_out)
    return set(value).union(*below)


@pytest.fixture(scope="module")
def document():
    """Everything in it: three systems, draws, a crossover, a year, rests, many drives in one place."""
    worn = ssd(model="cheap-ssd", counts={"bytes_read": 0.0, "bytes_written": 4e13})
    resting = hdd(model="seagate-powerchoice-2010")
    loads = (year_systems.system(0, 30), year_systems.system(100, 40), year_systems.system(200, 50))
    year = make_year(loads, CYCLE, START)
    subjects = [
        year,
        system("hybrid", worn, resting),
        system("hungry", hdd(name="hdd.1"), watts=60.0, seconds=431.0),
    ]
    made = book(
        "carbon.price=50",
        "disposal.residual=0.1",
        "purchase.model.some-ssd=1000",
        "purchase.model.cheap-ssd=0.0001",
    )
    crossed = ("purchase.factor",)
    tariff = find_tariff("flat:0.2,10")
    found = analyse(
        subjects, tariff, made, Horizon("time", 2.0), START,
        level=ServiceLevel(within_ms=20.0, of="p95"), samples=20, crossovers=crossed,
    )  # fmt: skip
    return found.as_dict()


def values(document):
    """What each table is of, in the page's order."""
    systems = document["systems"]
    pairs = [pair for one in document["crossovers"] for pair in one["pairs"]]
    spin_down = [row for one in systems for row in one["spin_down"]]
    years = [one["year"] for one in systems if one["year"] is not None]
    return {"document": [document], "pairs": pairs, "systems": systems, "spin_down": spin_down, "year": years}


def test_it_says_what_a_note_has_and_names_every_code():
    assert {f"`{name}`" for name in Note.model_fields} <= set(re.findall("`[^`]+`", PAGE.partition("|")[0]))
    sources = Path(cost.__file__).parent.rglob("*.py")
    made = re.compile(r"(?:code=|_caution\(\s*)\"([a-z-]+)\"")
    codes = {code for path in sources for code in made.findall(path.read_text("utf-8"))}
    table = re.search(r"\| code \| says \|\n\|---\|---\|\n((?:\|.*\n)+)", PAGE)[1]
    named = [name for line in table.splitlines() for name in sorted(names(line.split(" | ")[0]))]
    assert sorted(named) == sorted(codes)


def test_there_is_a_table_for_each(document):
    assert len(tables()) == len(values(document)) == 1 + len(OWN)
    assert all(values(document).values())
    assert any(pair["crossings"] for pair in values(document)["pairs"])
    drives = [drive for one in document["systems"] for drive in one["drives"]]
    assert any("count" in one for drive in drives for one in drive["replacements"])


@pytest.mark.parametrize("at", range(1 + len(OWN)))
def test_its_tables_have_every_key_of_a_result_and_no_other(document, at):
    of, elements = list(values(document).items())[at]
    rows = tables()[at]
    assert {name for first, _ in rows for name in first} == {key for one in elements for key in one}, of
    for first, said in rows:
        if not first & set(OWN):
            below = set().union(*(keys(one[name]) for one in elements for name in first - FREE - NOTES))
            below -= {one["name"] for one in document["systems"]}  # of courses, by system
            assert below <= said, (of, first, below - said)
            assert said - first - below <= NO_KEYS, (of, first, said - first - below)
