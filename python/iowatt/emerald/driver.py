"""The protocol of load generators of a measurement: fio, vdbench, file operations or the simulator.

A driver leaves all its output in the folder of the stage, as its program wrote it; nothing is read before it
has ended, so the output is complete even after a crash.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Protocol

from iowatt.base.errors import IowattError
from iowatt.emerald.plan import Plan, PlanStage
from iowatt.run.bundle import Run
from iowatt.sources.observation import Observation


class DriverError(IowattError):
    """The load generator ended before its stage did, or would not start: the measurement can be resumed."""

    exit_code = 1


class LoadDriver(Protocol):
    """Runs stages, one at a time."""

    kind: str  #: "fio", "vdbench", "files" or "simulation".

    def version(self) -> str:
        """The program and its version: "fio-3.33". Raises ``InputError`` where it is not installed."""

    def check(self, plan: Plan) -> None:
        """Find errors before the first request: target, sizes, job files. Raises ``InputError``."""

    def run(self, plan: Plan, stage: PlanStage, folder: Path, stop: threading.Event) -> None:
        """Run one stage to its end, leaving its output in ``folder``; ends early when ``stop`` is set.

        Raises ``DriverError`` where the program fails or dies.
        """

    def observe(self, plan: Plan, stage: PlanStage, folder: Path) -> Observation | Run:
        """The observation of a stage that has ended. Raises ``InputError`` with the file and the place."""
