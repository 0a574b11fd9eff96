"""One sweep of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from iowatt.evaluate.search.axes import Axis
from iowatt.evaluate.search.rate import RateRequest
from iowatt.render.figure import Cell


@dataclass(frozen=True)
class Stage:
    """One sweep of a study: a scenario and what varies in it.

    ``said`` are columns that tell its points from those of other stages in the table of all points.
    """

    key: str
    text: str
    #: What file names in ``text`` are relative to.
    base: Path
    axes: Sequence[Axis]
    said: dict[str, Cell]
    #: Whether the Runs themselves are kept, for what no table of a sweep holds.
    bundles: bool = False
    #: How points are judged at a response limit; None: as their scenarios say.
    within: RateRequest | None = None
