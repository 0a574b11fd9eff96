"""The Runs of each system that is compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.lenses.compare.request import open_runs
from iowatt.run.bundle import Run

LEAST_SYSTEMS: Final = 2
MOST_SYSTEMS: Final = 20
"""Systems up to which a difference can still be told from chance: the least p of the bootstrap, over all of
their comparisons, is well below the level of a verdict. More are a sweep."""


def open_systems(given: Iterable[Iterable[Run | Path | str]]) -> list[list[Run]]:
    """The Runs of each system: one, those of a folder, or several that are given together.

    Raises
    ------
    InputError
        One is neither a Run nor a folder of Runs, a Run is given twice, or there are too few or too many.
    """
    asked = list(given)
    if len(asked) < LEAST_SYSTEMS:
        raise InputError(
            "missing",
            Argument("after"),
            "one system is given; expected at least two Runs, or folders of Runs",
        )
    if len(asked) > MOST_SYSTEMS:
        raise InputError(
            "too-large",
            Argument("runs"),
            f"{len(asked)} systems are given; expected at most {MOST_SYSTEMS}",
            hint="`iowatt sweep` has a table of any number of points",
        )
    found = [open_runs(one) for one in asked]
    _distinct([run for runs in found for run in runs])
    return found


def _distinct(runs: Sequence[Run]) -> None:
    places = [run.path.resolve() for run in runs if run.path is not None]
    twice = next((place for at, place in enumerate(places) if place in places[:at]), None)
    if twice is not None:
        raise InputError("duplicate", str(twice), "this Run is given twice; each is one system")
