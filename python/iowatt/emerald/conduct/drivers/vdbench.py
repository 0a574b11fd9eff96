"""vdbench as the load generator: one call a stage.

stage.parm   its input
out/         its output folder: flatfile.html, histogram.html, totals.html ...
stdout.txt   stderr.txt
rest.json    of a stage without requests, instead
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

from iowatt.base.errors import InputError
from iowatt.emerald.conduct.drivers.program import ProgramDriver, output
from iowatt.emerald.phases import SEQUENTIAL
from iowatt.emerald.plan import Plan, PlanStage
from iowatt.emerald.plan.load import elapsed_s, run_name, stage_text
from iowatt.run.bundle import Run
from iowatt.sources import process
from iowatt.sources.observation import Observation

PARAMETERS: Final = "stage.parm"
OUTPUT: Final = "out"
# vdbench names itself in the first lines of its output.
_DISTRIBUTION: Final = re.compile(r"[Vv]dbench distribution: *(\S+)")
_ANY: Final = """\
sd=sd1,lun=/dev/null,size=1m
wd=wd1,sd=sd1
rd=rd1,wd=wd1,iorate=1,elapsed=2,interval=1
"""
# vdbench stamps its rows in local time with an abbreviation only.
_ZONE: Final = "UTC"
_PARSE_S: Final = 120
_MOST_BYTES: Final = 1 << 20


class VdbenchDriver(ProgramDriver):
    """Runs stages by vdbench; its own parser checks the parameter file of each first."""

    kind = "vdbench"
    job_file = PARAMETERS
    options = ("-f", PARAMETERS, "-o", OUTPUT)
    install = "it is free at oracle.com and needs Java; the driver fio needs neither"
    environment: ClassVar = {"TZ": _ZONE}
    parse = ("-s", "-f", PARAMETERS, "-o", OUTPUT)
    tell_version = parse
    version_files: ClassVar = {PARAMETERS: _ANY}

    def find_version(self) -> str:
        """As vdbench prints it: "vdbench50406"."""
        with tempfile.TemporaryDirectory() as scratch:
            return self.version_in(self._parsed(_ANY, Path(scratch))[1])

    def version_in(self, said: str) -> str:
        """From the first lines of its output."""
        found = _DISTRIBUTION.search(said)
        return found[1] if found else "vdbench (unknown version)"

    def seconds(self, stage: PlanStage) -> float | None:
        """The elapsed time of its run, with its warm-up."""
        return None if stage.seconds is None else elapsed_s(stage)

    def job(self, plan: Plan, stage: PlanStage, folder: Path) -> str:
        """The parameter file of a stage."""
        del folder
        return stage_text(plan, stage)

    def refusal(self, job: str, scratch: Path) -> str | None:
        """vdbench's last message where it does not accept a parameter file."""
        status, text = self._parsed(job, scratch)
        return self.complaint(status, text, "")

    def complaint(self, status: int, out: str, err: str) -> str | None:
        """Its last message where it refuses."""
        lines = [line for line in (out + err).splitlines() if line.strip()]
        return None if status == 0 else lines[-1] if lines else ""

    def host_job(self, plan: Plan, stage: PlanStage, *, direct: bool, part: tuple[int, int]) -> str:
        """The parameter file of a stage on a load host, whose targets are its own."""
        del direct
        if part[1] > 1 and stage.workload in SEQUENTIAL:
            text = "hosts that share their targets cannot each keep to a part of them by vdbench"
            hint = "give each host targets of its own: `host=a=ssh://lab1?targets=/dev/sdb`"
            raise InputError("unsupported", f"stage {stage.id}", text, hint=hint)
        return stage_text(plan, stage)

    def failure(self, folder: Path, ended: process.ProcessEnd) -> str | None:
        """Why vdbench failed, with its last message."""
        if not ended.status and not ended.overdue:
            return None
        for name in ("stderr.txt", "stdout.txt"):
            lines = [line.strip() for line in output(folder / name, _MOST_BYTES).splitlines() if line.strip()]
            if lines:
                return f"vdbench {ended.words}: {lines[-1][:300]}"
        return f"vdbench {ended.words}"

    def observe(
        self, plan: Plan, stage: PlanStage, folder: Path, origin: float | None = None
    ) -> Observation | Run:
        """The content of its flat file. Raises ``InputError`` with the file and the place."""
        del plan, origin
        return self.found(folder / OUTPUT, run_name(stage))

    def found(self, output: Path, name: str) -> Observation:
        """The run of a name in an output folder. Raises ``InputError`` with the file and the place."""
        from iowatt.sources.vdbench import read

        for found in read(output, time_zone=_ZONE):
            if found.name == name:
                return found
        raise InputError("tool-output", str(output), f"the output has no run {name}")

    def _parsed(self, text: str, scratch: Path) -> tuple[int, str]:
        """Exit status and output of vdbench on a parameter file that it parses and does not run."""
        (scratch / PARAMETERS).write_text(text, "utf-8")
        return self.tried(self.parse, scratch)

    def tried(self, words: Sequence[str], scratch: Path) -> tuple[int, str]:
        """Exit status and output of vdbench with arguments that make it parse only."""
        command = [self.program(), *words]
        try:
            done = subprocess.run(
                command,
                cwd=scratch,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_PARSE_S,
                check=False,
            )
        except (subprocess.TimeoutExpired, OSError) as error:
            late = isinstance(error, subprocess.TimeoutExpired)
            reason = f"does not answer within {_PARSE_S} s" if late else f"could not be started: {error}"
            raise InputError("tool-failed", "vdbench", f"the program {reason}") from None
        return done.returncode, done.stdout + done.stderr
