"""The search beside whole candidate spaces, simulated by brute force (``scripts/choose_spaces.py``)."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from iowatt.evaluate.choose import choose_request
from iowatt.evaluate.choose.conduct import trials_of
from iowatt.evaluate.choose.families import families_of
from iowatt.evaluate.choose.search import search

SPACES = Path(__file__).parent / "spaces"
NAMES = sorted(path.stem for path in SPACES.glob("*.toml"))
#: Searched in every run of the tests: two workloads below a limit on height; a trace with caches and tiers.
#: `make bench` searches all of them.
QUICK = ["mixed", "tenants"]
SEARCHED = NAMES if os.environ.get("IOWATT_WHOLE_SPACES") else QUICK
WITHIN = 0.01
"""How far above the cheapest of the space the chosen one may be: the dollars of two seeds differ by less."""


def space(name: str) -> list[dict[str, str]]:
    """The systems of a space that were simulated."""
    with (SPACES / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["missed"] != "error"]


@pytest.mark.parametrize("name", NAMES)
def test_a_space_has_systems_that_do_and_do_not(name):
    rows = space(name)
    assert 300 <= len(rows) <= 1000
    kept = sum(not row["missed"] for row in rows)
    assert 0 < kept < len(rows)


@pytest.mark.slow
@pytest.mark.parametrize("name", SEARCHED)
def test_the_chosen_system_is_the_cheapest_of_the_space(name):
    rows = {(row["family"], row["system"]): row for row in space(name)}
    lowest = min(float(row["usd"]) for row in rows.values() if not row["missed"])
    request = choose_request(SPACES / f"{name}.toml")
    with trials_of(request) as trials:
        found = search(families_of(request.question), [], trials)
    best = min((one.best for one in found if one.best is not None), key=lambda one: one.usd)
    assert best.usd <= lowest * (1 + WITHIN)
    assert not best.missed
    row = rows.get((best.system.design.family, best.system.title))
    assert row is None or not row["missed"]  # a size between those of the table
    # What overloads in the space is said to, and never chosen.
    for family in found:
        for state in family.states:
            for count, simulated in state.rows.items():
                known = rows.get((family.name, state.now.design.title(count)))
                if known is not None and simulated and known["overloaded"] == "1":
                    assert "load" in [one.what for one in state.missed[count]]
