"""fio as the load generator: one call a stage, its files left as it wrote them.

job.fio          what it was told
fio.json         --output-format=json+, with its messages
NAME_iops.1.log  _bw _lat, by job
stdout.txt       stderr.txt
rest.json        of a stage without requests, instead
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import threading
from dataclasses import replace
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.emerald.conduct import target
from iowatt.emerald.conduct.idle_stage import rest
from iowatt.emerald.driver import DriverError
from iowatt.emerald.plan.fio import job_text, shares_of_streams
from iowatt.emerald.plan.model import Plan, Stage
from iowatt.run.bundle import Run
from iowatt.sources.export import check
from iowatt.sources.observation import Observation
from iowatt.sources.process import child

JOB: Final = "job.fio"
OUTPUT: Final = "fio.json"
#: How much longer than its stage fio may take (laying out, writing its logs) before it hangs.
_ALLOWANCE_S: Final = 300.0
# fio 3.33 ends with code 0 when one of its jobs was killed; it only says so.
_KILLED: Final = re.compile(r"fio: pid=\d+, got signal=(\d+)")
_SEEN_BYTES: Final = 1 << 16
_TOLD_TO_END: Final = "terminating on signal"


class FioDriver:
    """Runs stages by fio.

    Parameters
    ----------
    mark:
        Name of the measurement, by which its processes are found again.
    """

    kind = "fio"

    def __init__(self, mark: str = "") -> None:
        self.mark = mark
        self._version: str | None = None

    def version(self) -> str:
        """As fio says it: "fio-3.33". Raises ``InputError`` where it is not installed."""
        if self._version is None:
            self._version = check.fio_version()
        if self._version is None:
            raise InputError("tool-missing", None, "fio is not on the PATH", hint="Debian: apt install fio")
        return self._version

    def check(self, plan: Plan) -> None:
        """Let fio parse the job file of every stage. Raises ``InputError`` with what it says."""
        self.version()
        placed = target.absolute(plan)
        for stage in plan.stages:
            if stage.workload is None:
                continue
            with tempfile.TemporaryDirectory() as scratch:
                job = Path(scratch, JOB)
                job.write_text(job_text(placed, stage, folder=Path(scratch)), "utf-8")
                done = subprocess.run(
                    [_program(), "--parse-only", str(job)], capture_output=True, text=True, check=False
                )
            if done.returncode != 0:
                said = (done.stderr.strip() or done.stdout.strip()).splitlines()
                raise InputError(
                    "tool-failed",
                    f"stage {stage.id}",
                    f"{self.version()} refuses its job file: {said[0] if said else 'it does not say why'}",
                )

    def run(self, plan: Plan, stage: Stage, folder: Path, stop: threading.Event) -> None:
        """Run one stage to its end; a stage without requests is a rest."""
        if stage.workload is None:
            rest(stage.seconds or 0.0, target.paths(plan), folder, stop)
            return
        try:
            (folder / JOB).write_text(
                job_text(target.absolute(plan), stage, folder=folder.absolute()), "utf-8"
            )
            ended = child.run(
                [_program(), "--output-format=json+", f"--output={OUTPUT}", JOB],
                folder=folder,
                stop=stop,
                limit_s=None if stage.seconds is None else stage.seconds + _ALLOWANCE_S,
                mark=self.mark,
            )
        except OSError as error:
            raise DriverError(
                "tool-failed", str(folder), f"fio could not be started: {error.strerror}"
            ) from None
        if ended.stopped:
            return
        said = _said(folder)
        killed = _KILLED.search(said)
        if killed:
            raise DriverError("tool-failed", None, f"a job of fio was ended by signal {killed[1]}")
        if _TOLD_TO_END in said:
            raise DriverError("tool-failed", None, "fio was told to end by a signal")
        if ended.status or ended.overdue:
            raise DriverError("tool-failed", None, f"fio {ended.words}{_complaint(said)}")

    def observe(self, plan: Plan, stage: Stage, folder: Path) -> Observation | Run:
        """What fio's files of a stage say. Raises ``InputError`` with the file and the place."""
        from iowatt.sources.fio import read

        del plan
        seen = read(folder / OUTPUT, interval_s=stage.interval_s, name=stage.id)
        # fio's jobs are directions of streams; what the rules share out are the streams.
        return replace(seen, shares=shares_of_streams(stage, seen.shares), busy_percent=_busy_percent(seen))


def _busy_percent(seen: Observation) -> float | None:
    """Of the busiest thread, or of all processors of this host, which may have fewer than fio has threads."""
    if seen.busy_percent is None or seen.processors is None:
        return seen.busy_percent
    return max(seen.busy_percent, 100 * seen.processors / (os.cpu_count() or 1))


def _program() -> str:
    found = shutil.which("fio")
    if found is None:
        raise InputError("tool-missing", None, "fio is not on the PATH", hint="Debian: apt install fio")
    return found


def _said(folder: Path) -> str:
    """fio's messages: those in its output stand before the JSON."""
    said = []
    for name in ("stderr.txt", "stdout.txt", OUTPUT):
        try:
            with (folder / name).open(encoding="utf-8", errors="replace") as file:
                said.append(("\n" + file.read(_SEEN_BYTES)).partition("\n{")[0])
        except OSError:
            continue
    return "\n".join(said)


def _complaint(said: str) -> str:
    """The first message that looks like the cause, after a colon; "" where there is none."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    wrong = [line for line in lines if "error" in line.lower() or "err=" in line] or lines
    return f": {wrong[0][:300]}" if wrong else ""
