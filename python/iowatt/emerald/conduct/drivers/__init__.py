"""The load generators of a measurement: fio and vdbench as programs, and the simulator.

``fio``, ``vdbench`` (both a ``program``) and ``simulation`` are the drivers; ``course`` says which stages one
simulation holds, ``idle`` waits through a stage without requests. Their contract is
:class:`iowatt.emerald.driver.LoadDriver`.
"""

from __future__ import annotations

from collections.abc import Callable

from iowatt.emerald.conduct.drivers.fio import OUTPUT as FIO_OUTPUT
from iowatt.emerald.conduct.drivers.fio import FioDriver
from iowatt.emerald.conduct.drivers.simulation import SimulationDriver
from iowatt.emerald.conduct.drivers.vdbench import VdbenchDriver
from iowatt.emerald.driver import LoadDriver
from iowatt.emerald.plan import Plan

__all__ = ["FIO_OUTPUT", "FioDriver", "SimulationDriver", "VdbenchDriver", "driver_of"]


def driver_of(plan: Plan) -> LoadDriver:
    """The load generator of a plan."""
    drivers: dict[str, Callable[[], LoadDriver]] = {
        "fio": FioDriver, "vdbench": VdbenchDriver, "simulation": SimulationDriver,
    }  # fmt: skip
    return drivers[plan.source]()
