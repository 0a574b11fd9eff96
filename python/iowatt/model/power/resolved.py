"""What came of resolving an array's power, and what every step of it needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from iowatt.base.problems import KeyPath, Problem
from iowatt.base.results import Note
from iowatt.model.power.plan import ArrayPlan

PATH: Final[KeyPath] = ("array", "power")


@dataclass
class Resolved:
    """The plan, where nothing is wrong, and notes for whoever reads its figures.

    ``base_dir`` is what files are relative to; ``busy_needed`` says that a Run is to follow in which no
    controller's processors are simulated, so that parts must say at what rate they are at full work.
    """

    base_dir: Path
    busy_needed: bool = False
    plan: ArrayPlan | None = None
    problems: list[Problem] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def problem(self, code: str, path: KeyPath, message: str, hint: str | None = None) -> None:
        """Keep what is wrong at ``path``."""
        self.problems.append(Problem(code, path, message, hint))
