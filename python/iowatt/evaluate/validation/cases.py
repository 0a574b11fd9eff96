"""What is replayed on which drive: the shipped traces, or one of the caller's.

A shipped trace is known by its content, whatever its file is called: the conditions under which it was
measured, and DiskSim's figures for it, go with it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.validation import measured
from iowatt.evaluate.validation.result import Arrivals
from iowatt.model.library.parameter_text import read_bytes

PACED: Final[Arrivals] = "paced by think time"
OPEN: Final[Arrivals] = "open"

FOLDER: Final = Path(str(files("iowatt.model.library") / "validation"))
_MOST_BYTES: Final = 64 << 20


@dataclass(frozen=True)
class Case:
    """One trace on one drive.

    device, drive:
        A library name or a file; which drive of a DiskSim file.
    trace, format:
        The measured trace.
    trace_device:
        Which device of the trace, where it holds several.
    arrivals:
        Paced: each request is issued its think time after the simulated completion of the one before it.
        Open: at its recorded time, into a queue in front of the drive; the services are compared one by one,
        too.
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
    trace_device: str | None = None
    arrivals: Arrivals = PACED
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
                "unknown-name",
                Argument("device", device),
                "there is no shipped trace of this device",
                hint=f"give `trace=FILE`; shipped are traces of {known}",
            )
        return found
    if device is None:
        raise InputError("missing", Argument("device"), f"expected the device that {trace} was measured on")
    same = _known_as(trace)
    if same:
        return [
            replace(case, device=device, trace=trace, format=format_ or case.format, drive=drive)
            for case in same
        ]
    if measured.is_queued(trace, format_):
        return [Case(device, trace, format_, drive, name, OPEN) for name in measured.devices(trace, format_)]
    return [Case(device, trace, format_, drive)]


@cache
def shipped() -> tuple[Case, ...]:
    """All shipped traces on the drives that they were measured on."""
    return tuple(
        Case(
            device=entry["device"],
            trace=FOLDER / entry["trace"],
            format=entry.get("format", "disksim-validate"),
            trace_device=entry.get("trace_device"),
            arrivals=OPEN if measured.is_queued(None, entry.get("format")) else PACED,
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


def _known_as(trace: Path) -> list[Case]:
    """The shipped cases whose trace has the same content."""
    if not trace.is_file():
        return []  # the reader says what is wrong
    try:
        digest = hashlib.sha256(read_bytes(trace, _MOST_BYTES)).hexdigest()
    except InputError:
        return []
    return [case for entry, case in zip(_listed(), shipped(), strict=True) if entry["sha256"] == digest]
