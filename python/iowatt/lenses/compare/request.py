"""The options of a comparison, checked, and the Runs of each side opened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.run.bundle import Run, is_bundle

OPS: Final = ("all", "read", "write")
POINTS: Final = ("host", "switch", "array")

#: The threshold of a spike where none is given and no histogram was kept.
THRESHOLD_S: Final = 1e-3
CONFIDENCE: Final = 0.95


@dataclass(frozen=True)
class CompareRequest:
    """A comparison: the Runs of both sides, and which of their requests.

    Times in s. ``threshold_s`` is what a spike is over (None: the 99th percentile before); ``every_s`` how
    long a block of the course over time is (at least; None: as the Runs have it); ``expected_interval_s``
    what one outstanding request of a closed loop is expected to come after the one before (None: found, see
    :mod:`iowatt.lenses.compare.omission`).
    """

    before: Sequence[Run]
    after: Sequence[Run]
    op: str = "all"
    point: str = "host"
    workload: str | None = None
    threshold_s: float | None = None
    every_s: float | None = None
    expected_interval_s: float | None = None
    confidence: float = CONFIDENCE
    resamples: int | None = None
    seed: int = 1

    @property
    def used_threshold_s(self) -> float:
        """The threshold in use: ``threshold_s``, or a default where none is known."""
        return THRESHOLD_S if self.threshold_s is None else self.threshold_s

    def __post_init__(self) -> None:
        for name, value, known in (("op", self.op, OPS), ("point", self.point, POINTS)):
            if value not in known:
                raise InputError(
                    "not-accepted", Argument(name), f"{value!r} is not accepted; expected {', '.join(known)}"
                )
        for name, seconds in (
            ("spike", self.threshold_s),
            ("every", self.every_s),
            ("expected_interval", self.expected_interval_s),
        ):
            if seconds is not None and not 0 < seconds < float("inf"):
                raise InputError(
                    "out-of-range", Argument(name), f"{seconds} s is not accepted; expected a time above 0"
                )
        if not 0.5 <= self.confidence < 1:
            raise InputError(
                "out-of-range",
                Argument("confidence"),
                f"{self.confidence} is not accepted; expected a number from 0.5 to below 1",
            )
        for side, runs in (("before", self.before), ("after", self.after)):
            if not runs:
                raise InputError(
                    "missing", Argument(side), "no Run is given; expected one, several or a folder of Runs"
                )


def open_runs(given: Iterable[Run | Path | str]) -> list[Run]:
    """The Runs; a folder of Runs gives all of them, in the order of their names.

    Raises
    ------
    InputError
        One is neither a Run nor a folder of Runs, or is given twice.
    """
    found: list[Run] = []
    for one in given:
        if isinstance(one, Run):
            found.append(one)
            continue
        path = Path(one)
        inside: list[Path] = []
        if path.is_dir() and not is_bundle(path):
            inside = sorted(each for each in path.iterdir() if each.is_dir() and is_bundle(each))
        found += [Run.open(each) for each in inside or [path]]
    places = [run.path.resolve() for run in found if run.path is not None]
    twice = next((place for at, place in enumerate(places) if place in places[:at]), None)
    if twice is not None:
        raise InputError("duplicate", str(twice), "this Run is given twice on one side")
    return found
