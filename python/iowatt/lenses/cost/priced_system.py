"""A system that is priced, and what it was made of: a Run, or a year of Runs at several loads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from iowatt.lenses.cost.observe import observe
from iowatt.lenses.cost.system import System

if TYPE_CHECKING:
    from iowatt.lenses.cost.year import Year
    from iowatt.run.bundle import Run


@dataclass(frozen=True)
class Subject:
    """What is priced; ``run`` where it is one Run, ``year`` where it was made of several."""

    system: System
    run: Run | None = None
    year: Year | None = None

    @classmethod
    def of(cls, run: Run) -> Subject:
        """A Run by itself."""
        return cls(observe(run), run)
