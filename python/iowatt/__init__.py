"""iowatt: what a storage system costs in watts, milliseconds and dollars.

The Python API has the words of the command line::

    import iowatt

    run = iowatt.run("scenario.toml", set=["array.pool.disks.count=24"])
    run.summary["energy"]["total_j"]
    run.table("intervals")
"""

from __future__ import annotations

from iowatt.base import signals

signals.hold_in_command()  # before everything that takes time

from importlib import import_module  # noqa: E402

# ``iowatt.run`` is the function, as ``iowatt run`` is the verb; the package of that name holds the Run
# bundle. Importing the package first keeps a later ``from iowatt.run.bundle import Run`` from putting
# the package in the function's place.
import_module("iowatt.run")

from iowatt.api import (  # noqa: E402 - after the package, see above
    budget,
    cache,
    choose,
    compare,
    cost,
    curve,
    durability,
    fleet,
    open_run,
    optimize,
    rate,
    run,
    sweep,
)

__all__ = [
    "budget", "cache", "choose", "compare", "cost", "curve", "durability", "fleet", "open_run", "optimize",
    "rate", "run", "sweep",
]  # fmt: skip
