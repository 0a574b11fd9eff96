"""The load generators of a measurement: fio and vdbench as programs, and the simulator.

``fio``, ``vdbench`` (both a ``program``), ``files`` and ``simulation`` are the drivers, ``script`` runs
vdbench with a lab's own files, ``hosts`` a program on several load hosts (``stage_on_host``,
``host_targets``); ``course`` says which stages one simulation holds, ``idle`` waits through a stage
without requests. Their contract is :class:`iowatt.emerald.driver.LoadDriver`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

from iowatt.base.errors import Argument, InputError
from iowatt.emerald import targets
from iowatt.emerald.conduct.drivers.files import FilesDriver
from iowatt.emerald.conduct.drivers.fio import OUTPUT as FIO_OUTPUT
from iowatt.emerald.conduct.drivers.fio import FioDriver
from iowatt.emerald.conduct.drivers.hosts import HostsDriver
from iowatt.emerald.conduct.drivers.script import CALL, ScriptDriver, call_of
from iowatt.emerald.conduct.drivers.simulation import SimulationDriver
from iowatt.emerald.conduct.drivers.vdbench import VdbenchDriver
from iowatt.emerald.driver import LoadDriver
from iowatt.emerald.plan import Plan

__all__ = [
    "CALL", "FIO_OUTPUT", "FilesDriver", "FioDriver", "HostsDriver", "ScriptDriver", "SimulationDriver",
    "VdbenchDriver", "call_of", "claimed", "driver_of", "identities", "ready",
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
    if plan.script is not None and plan.script.files:
        return ScriptDriver(plan)
    if plan.source == "files":
        if plan.hosts:
            text = "operations on files are made by this host"
            raise InputError("unsupported", Argument("host"), text, hint="leave the hosts out")
        return FilesDriver()
    program = FioDriver() if plan.source == "fio" else VdbenchDriver()
    return HostsDriver(plan, program) if plan.hosts else program


@contextlib.contextmanager
def ready(driver: LoadDriver) -> Iterator[None]:
    """Ends at the end whatever the load generator keeps open: the connections to its hosts."""
    try:
        yield
    finally:
        if isinstance(driver, HostsDriver | ScriptDriver):
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
    if isinstance(driver, ScriptDriver) and driver.systems:
        _named_twice(plan, erase, driver.systems)
        yield targets.Claim()
        return
    if isinstance(driver, FilesDriver):
        if erase is not None:
            text = "file access overwrites nothing: it makes directories of its own in the target"
            raise InputError("not-applicable", Argument("erase"), text, hint="leave it out")
        yield targets.Claim()
        return
    with targets.claimed(plan, erase, ours=ours, tell=tell) as claim:
        yield claim


def _named_twice(plan: Plan, erase: str | None, systems: Sequence[str]) -> None:
    """Raise ``InputError`` unless the targets of other hosts, which cannot be looked at, are named twice."""
    named = [name.strip() for name in (erase or "").split(",") if name.strip()]
    wanted = [str(path) for path in targets.paths(plan)]
    if named == wanted:
        return
    text = f"are targets of {', '.join(systems)}, whose content cannot be seen from here"
    hint = f"if all may be erased, name them again: `erase={','.join(wanted)}`"
    raise InputError("unsafe-target", ", ".join(wanted), text, hint=hint)


def identities(driver: LoadDriver, plan: Plan) -> list[str]:
    """The files that a measurement may write from now on, for its resumption."""
    if isinstance(driver, HostsDriver):
        return driver.identities()
    if isinstance(driver, FilesDriver):
        return []
    return [targets.identity(path) for path in targets.paths(plan)]
