"""vdbench with the parameter files of a lab: one call, one Java, for all stages with requests.

The call begins with the first stage that is asked for; each stage lasts from the start of its run definition
to its end, as vdbench writes them into ``out/status.html`` while it works. In the folder of the stage that
began it lie ``out/`` and what vdbench printed; each stage has ``script.json``: its run definition, and where
``out`` is.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import threading
import time
from pathlib import Path
from typing import Final

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.emerald import script
from iowatt.emerald.conduct.drivers.idle import requests, rest
from iowatt.emerald.conduct.drivers.program import ALLOWANCE_S
from iowatt.emerald.conduct.drivers.vdbench import OUTPUT, VdbenchDriver
from iowatt.emerald.driver import DriverError
from iowatt.emerald.plan import Plan, PlanStage
from iowatt.emerald.targets import paths
from iowatt.run.bundle import Run
from iowatt.sources import process
from iowatt.sources.observation import Observation

CALL: Final = "script.json"
_STATUS: Final = re.compile(r"\t\s*(Starting|Slaves done)\s+rd=([^\t\r\n]+)")
_LOOK_S: Final = 0.02


class ScriptDriver:
    """Runs a lab's own parameter files. ``close`` ends the call, wherever it is."""

    kind = "vdbench"

    def __init__(self, plan: Plan) -> None:
        assert plan.script is not None
        self.mark = ""
        self._script = plan.script
        self._vdbench = VdbenchDriver()
        self._content = script.content(plan.script)
        self._runs = script.runs_by_stage(plan, self._content.runs)
        self._call: _Call | None = None

    @property
    def systems(self) -> list[str]:
        """Hosts of the script other than this one: what their targets are is not known here."""
        return self._content.systems

    def version(self) -> str:
        """vdbench's version. Raises ``InputError`` where it is not installed."""
        return self._vdbench.version()

    def check(self, plan: Plan) -> None:
        """Let vdbench parse the files together. Raises ``InputError`` with its message."""
        del plan
        self.version()
        with tempfile.TemporaryDirectory() as scratch:
            status, said = self._vdbench.tried(["-s", *self._words()], Path(scratch))
        refusal = self._vdbench.complaint(status, said, "")
        if refusal is not None:
            text = f"{self.version()} refuses the script: {refusal or 'it gives no reason'}"
            raise InputError("tool-failed", self._script.files[-1], text)

    def run(self, plan: Plan, stage: PlanStage, folder: Path, stop: threading.Event) -> None:
        """Wait through one stage; the first one begins the call, the last one waits for its end.

        Raises ``DriverError``: vdbench failed or ended before the stage did, or runs another stage.
        """
        if stage.workload is None:
            if self._call is not None:
                self._call.finish(stop)
            rest(stage.seconds or 0.0, folder, stop, lambda: requests(paths(plan)))
            return
        if self._call is None or self._call.over:
            words = [self._vdbench.program(), *self._words()]
            self._call = _Call(words, folder, self.mark, dict(self._vdbench.environment))
        name = self._runs[stage.id]
        where = os.path.relpath(self._call.folder / OUTPUT, folder)
        (folder / CALL).write_text(json.dumps({"run": name, "output": where}, indent=2) + "\n", "utf-8")
        stages = list(self._runs)
        later = {self._runs[one] for one in stages[stages.index(stage.id) + 1 :]}
        self._wait(stage, name, later, stop)
        if stage.id == stages[-1] and not stop.is_set():
            self._call.finish(stop)
        failure = None if stop.is_set() else self._call.failure(self._vdbench)
        if failure is not None:
            raise DriverError("tool-failed", None, failure)

    def observe(self, plan: Plan, stage: PlanStage, folder: Path) -> Observation | Run:
        """The run of a stage in vdbench's output. Raises ``InputError`` with the file and the place."""
        del plan, stage
        output, name = call_of(folder)
        return self._vdbench.found(output, name)

    def close(self) -> None:
        """End the call."""
        if self._call is not None:
            self._call.end()

    def _words(self) -> list[str]:
        variables = [f"{name}={value}" for name, value in self._script.variables.items()]
        return ["-f", *self._script.files, "-o", OUTPUT, *variables]

    def _wait(self, stage: PlanStage, name: str, later: set[str], stop: threading.Event) -> None:
        """Until the run has ended, the call is over, or ``stop`` is set."""
        call = self._call
        assert call is not None
        since: float | None = None
        while not stop.is_set():
            over = call.over  # before the status is read: nothing is written after it
            begun, ended = call.seen()
            if name in ended:
                return
            other = next((one for one in begun if one in later), None)
            if other is not None:
                call.end()
                text = f"the script runs {other} before {name}, which is stage {stage.id}"
                raise DriverError("tool-failed", None, text)
            if name in begun and since is None:
                since = time.monotonic()
            if over:
                failure = call.failure(self._vdbench)
                text = failure or f"vdbench ended before {name}, which is stage {stage.id}"
                raise DriverError("tool-failed", None, text)
            longest = None if stage.seconds is None else stage.seconds + ALLOWANCE_S
            if since is not None and longest is not None and time.monotonic() > since + longest:
                call.end()
                text = f"{name} did not end when the time of stage {stage.id} was over"
                raise DriverError("tool-failed", None, text)
            time.sleep(_LOOK_S)
        call.end()


class _Call:
    """One call of vdbench, in a thread."""

    def __init__(self, words: list[str], folder: Path, mark: str, environment: dict[str, str]) -> None:
        self.folder = folder
        self._stop = threading.Event()
        self._ended: process.ProcessEnd | None = None
        self._error: OSError | None = None
        self._words, self._mark, self._environment = words, mark, environment
        self._thread = threading.Thread(target=self._run, name="vdbench", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._ended = process.run(
                self._words, folder=self.folder, stop=self._stop, mark=self._mark,
                environment=self._environment,
            )  # fmt: skip
        except OSError as error:
            self._error = error

    @property
    def over(self) -> bool:
        """Whether vdbench has ended."""
        return not self._thread.is_alive()

    def seen(self) -> tuple[list[str], list[str]]:
        """Names of runs that have begun, and of those that have ended."""
        try:
            text = (self.folder / OUTPUT / "status.html").read_text("utf-8", "replace")
        except OSError:
            return [], []
        found = [(what, name.split()[0]) for what, name in _STATUS.findall(text)]
        return tuple([n for w, n in found if w == one] for one in ("Starting", "Slaves done"))  # type: ignore[return-value]

    def finish(self, stop: threading.Event) -> None:
        """Wait for its end."""
        while not self.over and not stop.wait(_LOOK_S):
            pass
        if stop.is_set():
            self.end()

    def end(self) -> None:
        """Ask it to end, and wait."""
        self._stop.set()
        self._thread.join()

    def failure(self, vdbench: VdbenchDriver) -> str | None:
        """Why it failed; None where it did not, or has not ended."""
        if not self.over:
            return None
        if self._error is not None or self._ended is None:
            return f"vdbench could not be started: {self._error.strerror if self._error else 'no reason'}"
        return None if self._ended.stopped else vdbench.failure(self.folder, self._ended)


def call_of(folder: Path) -> tuple[Path, str]:
    """The output of a script that ran a stage, and the name of its run there. Raises ``InputError``."""
    file = folder / CALL
    found = input_file.json_object(file)
    try:
        return folder / str(found["output"]), str(found["run"])
    except KeyError:
        raise InputError("damaged", str(file), "has no output and no run") from None
