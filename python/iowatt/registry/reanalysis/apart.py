"""A new analysis in a process of its own, which reads nothing but the submission, and is ended in time.

Files of strangers are parsed by code that is fuzzed, and may still take more time or memory than anybody has.
The process has limits of the system; reading elsewhere, other programs and the network are refused in it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from iowatt.base.errors import InputError
from iowatt.registry.reanalysis.result import Reanalysis

CHILD: Final = "iowatt.registry.reanalysis.child"
_KEPT: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH")
_ERROR_BYTES: Final = 2000


@dataclass(frozen=True)
class AnalysisLimits:
    """What a new analysis may take."""

    seconds: float = 900.0  #: Of processor time, and half as much more by the clock.
    memory_bytes: int = 16 << 30  #: Of addresses.


def analyse_apart(folder: Path, limits: AnalysisLimits | None = None) -> Reanalysis:
    """Analyse a bundle that was unpacked into ``folder``, in another process.

    Raises ``InputError``: what the analysis refuses, or it took too long or too much.
    """
    limits = limits or AnalysisLimits()
    folder = folder.resolve()
    scratch = folder.parent / f"{folder.name}-scratch"
    scratch.mkdir()
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    environment |= {
        "PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(scratch), "TMPDIR": str(scratch),
        "OPENBLAS_NUM_THREADS": "1", "PYDANTIC_DISABLE_PLUGINS": "1", "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    request = {
        "folder": str(folder),
        "scratch": str(scratch),
        "seconds": limits.seconds,
        "memory_bytes": limits.memory_bytes,
    }
    try:
        done = subprocess.run(
            [sys.executable, "-m", CHILD],
            input=json.dumps(request).encode(),
            capture_output=True,
            env=environment,
            cwd=scratch,
            timeout=limits.seconds * 1.5,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _too_much(limits) from None
    return _answer(done, limits)


def _answer(done: subprocess.CompletedProcess[bytes], limits: AnalysisLimits) -> Reanalysis:
    try:
        answer = json.loads(done.stdout)
        if "error" in answer:
            error = answer["error"]
            raise InputError(error["code"], error["place"], error["message"], hint=error["hint"])
        return Reanalysis.model_validate(answer)
    except (ValueError, ValidationError, KeyError, TypeError):
        if done.returncode < 0 or b"MemoryError" in done.stderr[-_ERROR_BYTES:]:
            raise _too_much(limits) from None
        text = "the reanalysis failed: this is a bug in iowatt, not in the submission"
        raise RuntimeError(f"{text}: {done.stderr[-_ERROR_BYTES:].decode(errors='replace')}") from None


def _too_much(limits: AnalysisLimits) -> InputError:
    text = f"the new analysis took more than {limits.seconds:g} s, or more memory than it may have"
    hint = "submit a shorter simulation; the operator sets the limits"
    return InputError("too-large", "submission", text, hint=hint)
