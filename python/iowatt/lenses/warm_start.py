"""Whether a simulated virtual pool starts warm: with the data of its workload in the fast part already."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_WARM: Final = {
    "hot": "the data that its workload uses most",
    "first-touch": "the data that its workload uses first",
}
#: What starts cold, by scheme.
_COLD: Final = {"caching": "empty", "tiering": "cold"}


def warm_starts(run: Run) -> Iterator[str]:
    """A phrase for each virtual pool whose fast part holds what the workload is about to use."""
    named = (run.plan.get("names") or {}).get("virtual_pools", ())
    plans = (run.plan.get("simulation") or {}).get("virtual_pools", ())
    for name, plan in zip(named, plans, strict=False):
        start = plan["scheme"].get("initial")
        placement = start.get("placement") if isinstance(start, dict) else None
        if placement in _WARM:
            yield (
                f"{name['name']} starts warm: its fast part already holds {_WARM[placement]} "
                f'(initial = "{placement}"); initial = "{_COLD[plan["scheme"]["kind"]]}" shows how long '
                "warming up takes"
            )
