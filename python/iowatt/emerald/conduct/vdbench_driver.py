"""vdbench as the load generator: one call a stage.

stage.parm   what it was told
out/         its output folder: flatfile.html, histogram.html, totals.html ...
stdout.txt   stderr.txt
rest.json    of a stage without requests, instead
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.emerald.conduct import target
from iowatt.emerald.conduct.idle_stage import rest
from iowatt.emerald.driver import DriverError
from iowatt.emerald.plan import vdbench
from iowatt.emerald.plan.model import Plan, Stage
from iowatt.run.bundle import Run
from iowatt.sources.observation import Observation
from iowatt.sources.process import child

PARAMETERS: Final = "stage.parm"
OUTPUT: Final = "out"
_ALLOWANCE_S: Final = 300.0
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
_SEEN_BYTES: Final = 1 << 20


class VdbenchDriver:
    """Runs stages by vdbench; the parameter file of each is checked by vdbench's own parser first.

    Parameters
    ----------
    mark:
        Name of the measurement, by which its processes are found again.
    """

    kind = "vdbench"

    def __init__(self, mark: str = "") -> None:
        self.mark = mark
        self._version: str | None = None

    def version(self) -> str:
        """As it says it: "vdbench50406". Raises ``InputError`` where it is not installed or does not run."""
        if self._version is None:
            with tempfile.TemporaryDirectory() as scratch:
                said = _simulate(_ANY, Path(scratch))[1]
            found = _DISTRIBUTION.search(said)
            self._version = found[1] if found else "vdbench, which does not say its version"
        return self._version

    def check(self, plan: Plan) -> None:
        """Let vdbench parse the parameter file of every stage. Raises ``InputError`` with what it says."""
        placed = target.absolute(plan)
        for stage in plan.stages:
            if stage.workload is None:
                continue
            with tempfile.TemporaryDirectory() as scratch:
                code, said = _simulate(vdbench.stage_text(placed, stage), Path(scratch))
            if code != 0:
                wrong = [line for line in said.splitlines() if line.strip()]
                raise InputError(
                    "tool-failed",
                    f"stage {stage.id}",
                    f"vdbench refuses its parameter file: {wrong[-1] if wrong else 'it does not say why'}",
                )

    def run(self, plan: Plan, stage: Stage, folder: Path, stop: threading.Event) -> None:
        """Run one stage to its end; a stage without requests is a rest."""
        if stage.workload is None:
            rest(stage.seconds or 0.0, target.paths(plan), folder, stop)
            return
        elapsed = None if stage.seconds is None else vdbench.seconds(stage)[0]
        try:
            (folder / PARAMETERS).write_text(vdbench.stage_text(target.absolute(plan), stage), "utf-8")
            ended = child.run(
                [_program(), "-f", PARAMETERS, "-o", OUTPUT],
                folder=folder,
                stop=stop,
                limit_s=None if elapsed is None else elapsed + _ALLOWANCE_S,
                mark=self.mark,
                environment={"TZ": _ZONE},
            )
        except OSError as error:
            raise DriverError(
                "tool-failed", str(folder), f"vdbench could not be started: {error.strerror}"
            ) from None
        if ended.stopped:
            return
        if ended.status or ended.overdue:
            raise DriverError("tool-failed", None, f"vdbench {ended.words}{_complaint(folder)}")

    def observe(self, plan: Plan, stage: Stage, folder: Path) -> Observation | Run:
        """What its flat file says. Raises ``InputError`` with the file and the place."""
        from iowatt.sources.vdbench import observe

        del plan
        wanted = vdbench.run_name(stage)
        for found in observe.read(folder / OUTPUT, time_zone=_ZONE):
            if found.name == wanted:
                return found
        raise InputError("tool-output", str(folder / OUTPUT), f"the output has no run {wanted}")


def _program() -> str:
    found = shutil.which("vdbench")
    if found is None:
        raise InputError(
            "tool-missing",
            None,
            "vdbench is not on the PATH",
            hint="it is free at oracle.com and needs Java; the driver fio needs neither",
        )
    return found


def _simulate(text: str, scratch: Path) -> tuple[int, str]:
    """Exit status and output of vdbench on a parameter file that it parses and does not run."""
    parameters = scratch / PARAMETERS
    parameters.write_text(text, "utf-8")
    try:
        done = subprocess.run(
            [_program(), "-s", "-f", str(parameters), "-o", str(scratch / OUTPUT)],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PARSE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InputError(
            "tool-failed", "vdbench", f"the program does not answer within {_PARSE_S} s"
        ) from None
    except OSError as error:
        raise InputError(
            "tool-failed", "vdbench", f"the program could not be started: {error.strerror}"
        ) from None
    return done.returncode, done.stdout + done.stderr


def _complaint(folder: Path) -> str:
    """The last thing that vdbench said, after a colon."""
    said = ""
    for name in ("stderr.txt", "stdout.txt"):
        try:
            with (folder / name).open(encoding="utf-8", errors="replace") as file:
                lines = [line.strip() for line in file.read(_SEEN_BYTES).splitlines() if line.strip()]
        except OSError:
            continue
        said = said or (lines[-1][:300] if lines else "")
    return f": {said}" if said else ""
