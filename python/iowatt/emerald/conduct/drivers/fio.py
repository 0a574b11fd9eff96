"""fio as the load generator: one call a stage, its files left as it wrote them.

job.fio          its input
fio.json         --output-format=json+, with its messages
NAME_iops.1.log  _bw _lat, by job
stdout.txt       stderr.txt
rest.json        of a stage without requests, instead
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.emerald.conduct.drivers.program import ProgramDriver, output
from iowatt.emerald.plan import Plan, PlanStage
from iowatt.emerald.plan.load import job_text, shares_of_streams
from iowatt.run.bundle import Run
from iowatt.sources import process
from iowatt.sources.environment import fio_version
from iowatt.sources.observation import Observation

JOB: Final = "job.fio"
OUTPUT: Final = "fio.json"
# fio 3.33 ends with code 0 when one of its jobs was killed; only its output tells.
_KILLED: Final = re.compile(r"fio: pid=\d+, got signal=(\d+)")
_MOST_BYTES: Final = 1 << 16
_TERMINATED: Final = "terminating on signal"


class FioDriver(ProgramDriver):
    """Runs stages by fio."""

    kind = "fio"
    job_file = JOB
    options = ("--output-format=json+", f"--output={OUTPUT}", JOB)
    install = "Debian: apt install fio"
    parse = ("--parse-only", JOB)
    tell_version = ("--version",)

    def find_version(self) -> str:
        """As fio prints it: "fio-3.33"."""
        found = fio_version()
        if found is None:
            raise InputError("tool-missing", None, "fio is not on the PATH", hint=self.install)
        return found

    def job(self, plan: Plan, stage: PlanStage, folder: Path) -> str:
        """The job file of a stage."""
        return job_text(plan, stage, folder=folder)

    def host_job(self, plan: Plan, stage: PlanStage, *, direct: bool, part: tuple[int, int]) -> str:
        """The job file of a stage on a load host."""
        return job_text(plan, stage, direct=direct, part=part)

    def version_in(self, said: str) -> str:
        """As fio prints it."""
        return said.strip().splitlines()[0] if said.strip() else "fio (unknown version)"

    def complaint(self, status: int, out: str, err: str) -> str | None:
        """fio's first message where it refuses."""
        lines = (err.strip() or out.strip()).splitlines()
        return None if status == 0 else lines[0] if lines else ""

    def refusal(self, job: str, scratch: Path) -> str | None:
        """fio's first message where it does not accept a job file."""
        (scratch / JOB).write_text(job, "utf-8")
        command = [self.program(), *self.parse]
        done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
        return self.complaint(done.returncode, done.stdout, done.stderr)

    def failure(self, folder: Path, ended: process.ProcessEnd) -> str | None:
        """Why fio failed, by its status and its messages, which stand before the JSON in its output."""
        files = [folder / name for name in ("stderr.txt", "stdout.txt", OUTPUT)]
        messages = "\n".join(("\n" + output(file, _MOST_BYTES)).partition("\n{")[0] for file in files)
        if killed := _KILLED.search(messages):
            return f"a job of fio was ended by signal {killed[1]}"
        if _TERMINATED in messages:
            return "fio was told to end by a signal"
        if not ended.status and not ended.overdue:
            return None
        lines = [line.strip() for line in messages.splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower() or "err=" in line] or lines
        return f"fio {ended.words}" + (f": {errors[0][:300]}" if errors else "")

    def observe(
        self, plan: Plan, stage: PlanStage, folder: Path, origin: float | None = None
    ) -> Observation | Run:
        """The content of fio's files of a stage. Raises ``InputError`` with the file and the place."""
        from iowatt.sources.fio import read

        del plan
        observed = read(folder / OUTPUT, interval_s=stage.interval_s, name=stage.id, origin=origin)
        busy = observed.busy_percent
        if busy is not None and observed.processors is not None:
            # The busiest thread, or all processors of this host, which may be fewer than fio's threads.
            busy = max(busy, 100 * observed.processors / (os.cpu_count() or 1))
        # fio's jobs are directions of streams; the rules' shares are those of the streams.
        return replace(observed, shares=shares_of_streams(stage, observed.shares), busy_percent=busy)
