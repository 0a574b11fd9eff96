"""The load generators of a measurement: fio and vdbench as programs, and the simulator.

``fio``, ``vdbench`` (both a ``program``) and ``simulation`` are the drivers, ``hosts`` runs a program on
several load hosts (``stage_on_host``, ``host_targets``); ``course`` says which stages one simulation holds,
``idle`` waits through a stage without requests. Their contract is
:class:`iowatt.emerald.driver.LoadDriver`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

from iowatt.base.errors import Argument, InputError
from iowatt.emerald import targets
from iowatt.emerald.conduct.drivers.fio import OUTPUT as FIO_OUTPUT
from iowatt.emerald.conduct.drivers.fio import FioDriver
from iowatt.emerald.conduct.drivers.hosts import HostsDriver
from iowatt.emerald.conduct.drivers.simulation import SimulationDriver
from iowatt.emerald.conduct.drivers.vdbench import VdbenchDriver
from iowatt.emerald.driver import LoadDriver
from iowatt.emerald.plan import Plan

__all__ = [
    "FIO_OUTPUT", "FioDriver", "HostsDriver", "SimulationDriver", "VdbenchDriver", "claimed", "driver_of",
    "identities", "ready",
]  # fmt: skip


def driver_of(plan: Plan) -> LoadDriver:
    """The load generator of a plan.

    Raises ``InputError``: a simulation has hosts, or the addresses of hosts are wrong.
    """
    if plan.source == "simulation":
        if plan.hosts:
            text = "a simulated array makes its own requests"
            raise InputError("not-applicable", Argument("host"), text, hint="leave the hosts out")
        return SimulationDriver()
    program = FioDriver() if plan.source == "fio" else VdbenchDriver()
    return HostsDriver(plan, program) if plan.hosts else program


@contextlib.contextmanager
def ready(driver: LoadDriver) -> Iterator[None]:
    """Ends at the end whatever the load generator keeps open: the connections to its hosts."""
    try:
        yield
    finally:
        if isinstance(driver, HostsDriver):
            driver.close()


@contextlib.contextmanager
def claimed(
    driver: LoadDriver,
    plan: Plan,
    erase: str | None,
    *,
    ours: Sequence[str] = (),
    tell: Callable[[str], None] = lambda _text: None,
) -> Iterator[targets.Claim]:
    """The targets of a plan, here or on its load hosts; as :func:`iowatt.emerald.targets.claimed`."""
    if isinstance(driver, HostsDriver):
        with driver.claimed(plan, erase, ours=ours, tell=tell) as claim:
            yield claim
        return
    with targets.claimed(plan, erase, ours=ours, tell=tell) as claim:
        yield claim


def identities(driver: LoadDriver, plan: Plan) -> list[str]:
    """The files that a measurement may write from now on, for its resumption."""
    if isinstance(driver, HostsDriver):
        return driver.identities()
    return [targets.identity(path) for path in targets.paths(plan)]
