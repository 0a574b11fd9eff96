"""The common part of the drivers fio and vdbench: one call a stage, output files left as they are."""

from __future__ import annotations

import shutil
import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Final

from iowatt.base.errors import InputError
from iowatt.emerald import targets
from iowatt.emerald.conduct.drivers.idle import requests, rest
from iowatt.emerald.driver import DriverError
from iowatt.emerald.plan import Plan, PlanStage
from iowatt.run.bundle import Run
from iowatt.sources import process
from iowatt.sources.observation import Observation

#: Longer than its stage by this, in s (laying out, writing logs), a program is ended as hanging.
ALLOWANCE_S: Final = 300.0


class ProgramDriver(ABC):
    """Runs stages by a program.

    ``mark``: name of the measurement, by which its processes are found again.
    """

    kind: str
    job_file: str  #: Name of the input file in the stage's folder.
    options: tuple[str, ...]  #: The program's options after its name.
    install: str  #: How to get the program.
    environment: ClassVar[Mapping[str, str]] = {}
    #: Arguments with which it only parses the input file, and with which (and files) it says its version.
    parse: tuple[str, ...]
    tell_version: tuple[str, ...]
    version_files: ClassVar[Mapping[str, str]] = {}

    def __init__(self, mark: str = "") -> None:
        self.mark = mark
        self._version: str | None = None

    def version(self) -> str:
        """The program and its version. Raises ``InputError`` where it is not installed or does not run."""
        if self._version is None:
            self._version = self.find_version()
        return self._version

    def check(self, plan: Plan) -> None:
        """Let the program parse the input file of every stage. Raises ``InputError`` with its message."""
        self.version()
        placed = targets.absolute(plan)
        for stage in plan.stages:
            if stage.workload is None:
                continue
            with tempfile.TemporaryDirectory() as scratch:
                refusal = self.refusal(self.job(placed, stage, Path(scratch)), Path(scratch))
            if refusal is not None:
                text = f"{self.version()} refuses its {self.job_file}: {refusal or 'it gives no reason'}"
                raise InputError("tool-failed", f"stage {stage.id}", text)

    def run(self, plan: Plan, stage: PlanStage, folder: Path, stop: threading.Event) -> None:
        """Run one stage to its end; a stage without requests is a rest."""
        if stage.workload is None:
            found = targets.paths(plan)
            rest(stage.seconds or 0.0, folder, stop, lambda: requests(found))
            return
        seconds = self.seconds(stage)
        try:
            text = self.job(targets.absolute(plan), stage, folder.absolute())
            (folder / self.job_file).write_text(text, "utf-8")
            ended = process.run(
                [self.program(), *self.options],
                folder=folder,
                stop=stop,
                limit_s=None if seconds is None else seconds + ALLOWANCE_S,
                mark=self.mark,
                environment=self.environment,
            )
        except OSError as error:
            message = f"{self.kind} could not be started: {error.strerror}"
            raise DriverError("tool-failed", str(folder), message) from None
        failure = None if ended.stopped else self.failure(folder, ended)
        if failure is not None:
            raise DriverError("tool-failed", None, failure)

    def program(self) -> str:
        """Path of the program. Raises ``InputError`` where it is not installed."""
        path = shutil.which(self.kind)
        if path is None:
            raise InputError("tool-missing", None, f"{self.kind} is not on the PATH", hint=self.install)
        return path

    def seconds(self, stage: PlanStage) -> float | None:
        """How long the program takes for a stage; None where it ends when all is written."""
        return stage.seconds

    @abstractmethod
    def find_version(self) -> str:
        """The program and its version."""

    @abstractmethod
    def version_in(self, said: str) -> str:
        """The version in what it said when asked for it."""

    @abstractmethod
    def complaint(self, status: int, out: str, err: str) -> str | None:
        """Its message where it did not accept the input file that it parsed; None where it did."""

    @abstractmethod
    def host_job(self, plan: Plan, stage: PlanStage, *, direct: bool, part: tuple[int, int]) -> str:
        """The input file of a stage on a load host, where it writes to the folder that it is started in.

        ``direct``: whether the targets there can be opened past the page cache.
        ``part``: which of so many hosts it is that share one range.
        """

    @abstractmethod
    def job(self, plan: Plan, stage: PlanStage, folder: Path) -> str:
        """The input file of a stage; the program writes to ``folder``."""

    @abstractmethod
    def refusal(self, job: str, scratch: Path) -> str | None:
        """The program's message where it does not accept an input file."""

    @abstractmethod
    def observe(
        self, plan: Plan, stage: PlanStage, folder: Path, origin: float | None = None
    ) -> Observation | Run:
        """What it left of a stage. Raises ``InputError`` with the file and the place.

        ``origin``: Unix time from which intervals are counted, where its figures can be counted anew.
        """

    @abstractmethod
    def failure(self, folder: Path, ended: process.ProcessEnd) -> str | None:
        """Why a run failed; None where it did not."""


def output(file: Path, most: int) -> str:
    """The beginning of a program's output file; empty where it does not exist."""
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            return opened.read(most)
    except OSError:
        return ""
