"""Virtual pools that start with what their workload will use: a state that takes time to reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_KNOWING: Final = {
    "hot": "the data that its work uses most",
    "first-touch": "the data that its work uses first",
}
#: What starts without that knowledge, by scheme.
_COLD: Final = {"caching": "empty", "tiering": "cold"}


def warm_starts(run: Run) -> Iterator[str]:
    """A phrase for each virtual pool whose fast part holds what the workload is about to use."""
    named = (run.plan.get("names") or {}).get("virtual_pools", ())
    plans = (run.plan.get("simulation") or {}).get("virtual_pools", ())
    for name, plan in zip(named, plans, strict=False):
        start = plan["scheme"].get("initial")
        placement = start.get("placement") if isinstance(start, dict) else None
        if placement in _KNOWING:
            yield (
                f"{name['name']} starts warm: its fast part holds {_KNOWING[placement]} "
                f'(initial = "{placement}"); initial = "{_COLD[plan["scheme"]["kind"]]}" shows how long it '
                "takes to get there"
            )
