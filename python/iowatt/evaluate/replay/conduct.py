"""Runs fio with the meters beside it."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from iowatt.base.errors import InputError, IowattError
from iowatt.evaluate.replay import job
from iowatt.evaluate.replay.trace import Replayed
from iowatt.sources.meters.recorders import InstrumentRequest, Recorders
from iowatt.sources.process import child

if TYPE_CHECKING:
    from iowatt.evaluate.replay.target import Target

#: How much longer than the trace fio may take, as a factor and in s, before it hangs.
_ALLOWANCE: Final = (3.0, 120.0)
_NAMED: Final = re.compile(r"([A-Za-z0-9_.-]{1,60})=(.+)", re.ASCII)


@dataclass(frozen=True)
class MeterAddress:
    """An instrument as the command line names it."""

    name: str | None
    address: str

    @classmethod
    def parse(cls, text: str) -> MeterAddress:
        """``pdu=snmp://...`` or ``snmp://...``."""
        match = _NAMED.fullmatch(text)
        return cls(match[1], match[2]) if match else cls(None, text)


def recorders(addresses: Sequence[MeterAddress], folder: Path, interval_s: float) -> Recorders:
    """Recorders of the instruments that the command line names. Raises ``InputError``."""
    return Recorders([InstrumentRequest(one.name, one.address, interval_s) for one in addresses], folder)


def run_fio(
    trace: Replayed, target: Target, folder: Path, *, depth: int, stop: threading.Event, mark: str
) -> None:
    """Replay the trace by fio, whose files are left in ``folder``.

    Raises ``InputError`` where fio is not there or refuses, ``IowattError`` where it dies.
    """
    program = shutil.which("fio")
    if program is None:
        raise InputError("tool-missing", None, "fio is not on the PATH", hint="Debian: apt install fio")
    lead_ms = job.write(trace, folder, depth=depth, direct=target.direct)
    link = folder / job.TARGET
    link.symlink_to(target.path.absolute())
    words = [program, "--output-format=json+", f"--output={job.OUTPUT}"]
    # Where the trace only reads, fio is told not to write whatever it finds.
    words += [] if trace.write.any() else ["--readonly"]
    factor, seconds = _ALLOWANCE
    try:
        ended = child.run(
            [*words, job.JOB],
            folder=folder,
            stop=stop,
            limit_s=lead_ms / 1e3 + factor * trace.seconds + seconds,
            mark=mark,
        )
    finally:
        link.unlink(missing_ok=True)
        for part in folder.glob("part*.iolog"):
            part.unlink()
    if ended.status or ended.overdue or not (folder / job.OUTPUT).exists():
        raise IowattError("tool-failed", str(target.path), f"fio {ended.words}{_said(folder)}")


def _said(folder: Path) -> str:
    for name in ("stderr.txt", "stdout.txt"):
        path = folder / name
        lines = path.read_text("utf-8", "replace").split("\n") if path.exists() else []
        told = [line.strip() for line in lines if line.strip()]
        if told:
            return f": {told[0][:300]}"
    return ""
