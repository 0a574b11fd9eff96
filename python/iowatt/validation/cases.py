"""What is replayed on which drive: the shipped traces, or one of the caller's.

A shipped trace is known by its content, whatever its file is called: the conditions under which it was
measured, and DiskSim's figures for it, go with it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from iowatt.errors import InputError
from iowatt.library.disksim.text import read_text

FOLDER: Final = Path(__file__).parents[1] / "library" / "validation"
_MOST_BYTES: Final = 64 << 20


@dataclass(frozen=True)
class Case:
    """One trace on one drive.

    device, drive:
        A library name or a file; which drive of a DiskSim file.
    trace, format:
        The measured trace.
    buffer:
        Figures of the drive's buffer that were otherwise when it was measured.
    conditions:
        The same in words.
    disksim:
        DiskSim's figures for this trace, milliseconds; None where there are none, and why.
    """

    device: str
    trace: Path
    format: str | None = None
    drive: str | None = None
    buffer: dict[str, Any] = field(default_factory=dict)
    conditions: str | None = None
    disksim: dict[str, float] | None = None
    disksim_note: str | None = None


def cases(
    device: str | None = None, drive: str | None = None, trace: Path | None = None, format_: str | None = None
) -> list[Case]:
    """The cases for a device and a trace; what is left out is what is shipped.

    Raises
    ------
    InputError
        Where there is no shipped trace of the device, or the trace's device is not named.
    """
    if trace is None:
        found = [case for case in shipped() if device in (None, case.device)]
        if not found:
            known = ", ".join(case.device for case in shipped())
            raise InputError(
                f"there is no shipped trace of {device!r}", hint=f"give --trace FILE; shipped are {known}"
            )
        return found
    if device is None:
        raise InputError("say which device the trace was measured on", where=str(trace), hint="--device NAME")
    same = _known_as(trace)
    if same is None:
        return [Case(device, trace, format_, drive)]
    return [
        Case(
            device,
            trace,
            format_ or same.format,
            drive,
            same.buffer,
            same.conditions,
            same.disksim,
            same.disksim_note,
        )
    ]


@cache
def shipped() -> tuple[Case, ...]:
    """All shipped traces on the drives that they were measured on."""
    return tuple(
        Case(
            device=entry["device"],
            trace=FOLDER / entry["trace"],
            format="disksim-validate",
            buffer=entry.get("buffer", {}),
            conditions=entry.get("conditions"),
            disksim=entry["disksim"],
            disksim_note=entry.get("disksim_note"),
        )
        for entry in _listed()
    )


def _listed() -> list[dict[str, Any]]:
    document = json.loads((FOLDER / "traces.json").read_text("utf-8"))
    return list(document["traces"])


def _known_as(trace: Path) -> Case | None:
    """The shipped case whose trace has the same text."""
    if not trace.is_file():
        return None  # the reader says what is wrong
    try:
        digest = hashlib.sha256(read_text(trace, _MOST_BYTES).encode()).hexdigest()
    except InputError:
        return None
    digests = {entry["sha256"]: case for entry, case in zip(_listed(), shipped(), strict=True)}
    return digests.get(digest)
