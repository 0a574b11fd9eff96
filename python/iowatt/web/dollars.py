"""What a Run costs, as every page of the server shows it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from iowatt.base.errors import InputError

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


@dataclass(frozen=True)
class RunDollars:
    """Dollars over the horizon, and for each usable TB; None where ``unpriced`` says why there are none."""

    usd: float | None
    usd_per_tb: float | None
    late: bool | None  #: Whether requests come faster than they are served.
    unpriced: str | None


def dollars_of(run: Run | Path, *, tariff: str | None = None, years: float | None = None) -> RunDollars:
    """Price a Run under a tariff, over some years; None leaves it to the book of prices."""
    from iowatt.lenses.cost import CostRequest, price_runs

    try:
        found = price_runs(CostRequest(runs=[run], samples=0, crossovers=(), tariff=tariff, years=years))
    except InputError as error:
        return RunDollars(None, None, late=None, unpriced=error.message)
    (system,) = found.systems
    return RunDollars(
        system.usd,
        system.usd_per_usable_tb,
        late=any(one.late for one in found.choice.excluded),
        unpriced="one of its drives has no price" if system.usd is None else None,
    )
