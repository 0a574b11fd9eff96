"""The durability lens on each point of a search: probabilities of loss and lost bytes as columns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import InputError
from iowatt.evaluate.search.axes import Cell

if TYPE_CHECKING:
    from iowatt.lenses.book import Book
    from iowatt.lenses.durability import DurableSystem, ExpectedLoss
    from iowatt.run.bundle import Run

PREFIX: Final = "durability."
COLUMNS: Final = (
    "loss_per_year", "loss_over_horizon", "bytes_lost_per_year", "unavailable_hours_per_year",
    "degraded_hours_per_year",
)  # fmt: skip
REBUILD: Final = f"{PREFIX}rebuild"
"""Column that says where the time of a rebuild is from."""
REBUILD_S: Final = f"{PREFIX}rebuild_s"
"""Column of that time, the longest of all pools."""


@dataclass(frozen=True)
class RiskBasis:
    """The assumptions of ``durability.*`` metrics; travels with a task."""

    book: Book
    years: float

    @classmethod
    def of(
        cls, preset: str = "default", assume: tuple[str, ...] = (), years: float | None = None
    ) -> RiskBasis:
        """The assumptions, read. Raises ``InputError`` where one is wrong."""
        from iowatt.lenses.book import find_book
        from iowatt.lenses.durability import YEARS

        return cls(find_book(preset, list(assume)), YEARS if years is None else years)

    @property
    def digest(self) -> str:
        """Digest of the assumptions."""
        figures = {key: str(figure.value) for key, figure in sorted(self.book.figures.items())}
        return hashlib.sha256(json.dumps([figures, self.years, "rebuilds simulated"]).encode()).hexdigest()

    def columns(self, run: Run, base: Path) -> dict[str, Cell | None]:
        """Columns of a Run, with the rebuild that ``iowatt durability`` simulates under its load.

        ``base`` is where files of its scenario are relative to. None where it does not say how its drives are
        joined.
        """
        from iowatt.evaluate.rebuild import with_rebuilds
        from iowatt.lenses.durability import DurableSystem

        if not run.plan.get("simulation", {}).get("pools"):
            return {}
        return self._columns(with_rebuilds(replace(DurableSystem.of_run(run), base=base)), hours=True)

    def stated(self, run: Run) -> dict[str, Cell | None]:
        """The same at the book's rebuild rate where the Run has no rebuild, for tables: nothing is simulated.

        Hours in which data is unavailable are left out of clusters, which takes their domains too long.
        """
        from iowatt.lenses.durability import DurableSystem

        if not run.plan.get("simulation", {}).get("pools"):
            return {}
        return self._columns(DurableSystem.of_run(run), hours=not run.plan["simulation"].get("clusters"))

    def expected(self, plan: Mapping[str, Any]) -> dict[str, float]:
        """The figures of a plan that was not run, roughly and at the book's rebuild rate: for screening."""
        from iowatt.lenses.durability import DurableSystem, rough_loss

        system = DurableSystem.of_plan(plan, str(plan["name"]))
        return _figures(_known(lambda: rough_loss(system, self.book.changed({}), self.years)))

    def _columns(self, system: DurableSystem, *, hours: bool) -> dict[str, Cell | None]:
        from iowatt.lenses.durability import expected_loss

        found = _known(lambda: expected_loss(system, self.book.changed({}), self.years, hours=hours))
        if found is None:
            return {}
        bases = sorted({one.basis for one in found.rebuilds})
        longest = max((one.seconds for one in found.rebuilds), default=None)
        return {**_figures(found), REBUILD: " and ".join(bases) or None, REBUILD_S: longest}


def _known(assess: Callable[[], ExpectedLoss | None]) -> ExpectedLoss | None:
    """What is found; None without data or a figure, such as of a book without failures."""
    with suppress(InputError):
        return assess()
    return None


def _figures(found: ExpectedLoss | None) -> dict[str, float]:
    figures = {} if found is None else {f"{PREFIX}{name}": getattr(found, name) for name in COLUMNS}
    return {name: value for name, value in figures.items() if value is not None}
