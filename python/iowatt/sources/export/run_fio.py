"""Runs fio on an exported job file and reads what it did."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iowatt.base.errors import InputError, IowattError


@dataclass(frozen=True)
class Done:
    """What one job did in one direction."""

    job: str
    op: str
    requests: int
    bytes: int


def version() -> str | None:
    """What `fio --version` says; ``None`` where there is no fio."""
    program = shutil.which("fio")
    if program is None:
        return None
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def run(text: str, folder: Path) -> list[Done]:
    """Requests and bytes of each job of the job file ``text``, run with ``folder`` as the current directory.

    Raises
    ------
    InputError
        There is no fio, or it refuses or fails; with what it said.
    """
    program = shutil.which("fio")
    if program is None:
        raise InputError("tool-missing", None, "fio is not on the PATH", hint="Debian: apt install fio")
    with tempfile.TemporaryDirectory() as scratch:
        job, result = Path(scratch, "export.fio"), Path(scratch, "result.json")
        job.write_text(text, "utf-8")
        command = [program, "--output-format=json", f"--output={result}", str(job)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        if done.returncode != 0 or not result.exists():
            raise InputError(
                "tool-failed",
                None,
                f"fio ended with code {done.returncode}: {said[-1] if said else 'no message'}",
            )
        return read(result.read_text("utf-8"))


def read(text: str) -> list[Done]:
    """The jobs of fio's JSON output; messages of fio around it are passed over.

    Raises
    ------
    IowattError
        It is no such output, or a job ended in an error.
    """
    begin, end = text.find("{"), text.rfind("}")
    try:
        jobs: list[dict[str, Any]] = json.loads(text[begin : end + 1])["jobs"]
        failed = [job["jobname"] for job in jobs if job["error"]]
        found = [
            Done(job["jobname"], op, job[op]["total_ios"], job[op]["io_bytes"])
            for job in jobs
            for op in ("read", "write")
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise IowattError("tool-output", None, f"the output of fio is not its JSON: {error!r}") from None
    if failed:
        raise InputError(
            "tool-failed",
            None,
            f"fio reports errors of the jobs {', '.join(failed)}",
            hint="run the exported file to see them",
        )
    return found
