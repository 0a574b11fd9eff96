"""What runs on the machines of a cluster: one task, and its outcome.

This module travels by value, not by name, so that a machine with another iowatt, or none, refuses tasks
instead of failing in them: at import it needs nothing but Python."""

from __future__ import annotations

import os
import pickle
import platform
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any, Final, NamedTuple

Versions = tuple[str, str | None]
"""Of Python and of iowatt; ``None`` where it is not installed."""


def here() -> Versions:
    """The versions of this machine."""
    try:
        iowatt: str | None = metadata.version("iowatt")
    except metadata.PackageNotFoundError:
        iowatt = None
    return platform.python_version(), iowatt


def words(found: Versions) -> str:
    """Readable form for messages and tables."""
    python, iowatt = found
    return f"{f'iowatt {iowatt}' if iowatt else 'no iowatt'} on Python {python}"


DONE: Final = "done"
FAILED: Final = "failed"
ELSEWHERE: Final = "elsewhere"
"""The machine's fault (``MachineError``): another one may do it."""
REFUSED: Final = "refused"
"""Another iowatt or Python than the driver's."""

REPORT_S: Final = 1.0
"""Least time between two reports of a task."""


class TaskOutcome(NamedTuple):
    """The outcome of a task: ``content`` is the pickled result or error, or the versions found."""

    kind: str
    node: str
    host: str
    content: Any


def introduce() -> tuple[str, Versions]:
    """Name and versions of the machine that this runs on."""
    return platform.node(), here()


def perform(payload: bytes, expected: Versions, ticket: int, reports: Any, every_s: float) -> tuple[Any, ...]:
    """Do a pickled ``(work, argument)``; its :class:`TaskOutcome` as a plain tuple.

    Args:
        expected: Versions of the driver.
        reports: The actor that takes reports, or ``None``.
        every_s: Least time between two reports.
    """
    import ray

    node, host = ray.get_runtime_context().get_node_id(), platform.node()
    if here() != expected:
        return REFUSED, node, host, here()
    # A task has one processor; its tables are small.
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    try:
        work, argument = pickle.loads(payload)
        return DONE, node, host, pickle.dumps(work(argument, reporter(ticket, reports, every_s)))
    except KeyboardInterrupt:  # how Ray cancels a task
        raise
    except BaseException as error:
        from iowatt.evaluate.search.tasks.executor import MachineError

        if isinstance(error, MachineError):
            error.message += f" (on {host})"
            return ELSEWHERE, node, host, dumped(error)
        return FAILED, node, host, dumped(error)


def reporter(ticket: int, reports: Any, every_s: float) -> Callable[[float], None]:
    """The task's report function: it forwards few of the calls, and its failure never fails the task."""
    last = time.monotonic()

    def report(fraction: float) -> None:
        nonlocal last
        now = time.monotonic()
        if reports is None or now - last < every_s:
            return
        last = now
        try:
            reports.tell.remote(ticket, fraction)
        except Exception:  # the actor is lost: a report is, and no result
            return

    return report


def dumped(error: BaseException) -> bytes:
    """An exception as it travels; one that does not survive that goes as its text."""
    try:
        content = pickle.dumps(error)
        pickle.loads(content)
    except Exception:
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return content


class Reports:
    """The last report of each running task, until the driver takes them; an actor of the cluster."""

    def __init__(self) -> None:
        self._last: dict[int, float] = {}

    def tell(self, ticket: int, fraction: float) -> None:
        """How far a task is."""
        self._last[ticket] = fraction

    def take(self) -> dict[int, float]:
        """Reports since the last call."""
        told, self._last = self._last, {}
        return told
