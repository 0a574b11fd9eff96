"""Tasks that go wrong where they run; the workers of a test's cluster import them by this name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from iowatt.evaluate.search.tasks.executor import MachineError

LACKING = "IOWATT_TEST_LACKING"


def where(_argument, _report):
    """The machine's word for itself; one that lacks something says so instead."""
    if LACKING in os.environ:
        raise MachineError("wrong-format", "trace.csv", "is not there", hint="put it there")
    return "done"


def nowhere(_argument, _report):
    raise MachineError("wrong-format", "trace.csv", "is not there")


def dies(marks, _report):
    """Takes its worker with it, each time."""
    Path(marks, str(time.monotonic_ns())).touch()
    os.kill(os.getpid(), signal.SIGKILL)


def dies_once(mark, _report):
    if not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def says(seconds, report):
    """How far it is, at first all the time."""
    begun = time.monotonic()
    while (gone := time.monotonic() - begun) < seconds:
        report(gone / seconds)
        time.sleep(0.005)
    return "said"


class UnlikeOthersError(Exception):
    """Cannot be made again from what it was made of."""

    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


def unlike(_argument, _report):
    raise UnlikeOthersError("this", "that")
