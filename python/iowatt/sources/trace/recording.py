"""A recording of blktrace as a measurement: queued to completed, in the host's queue and the device."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from iowatt.base.errors import Argument, InputError
from iowatt.sources.observation import Observation
from iowatt.sources.trace.count import RequestCounter

if TYPE_CHECKING:
    from iowatt.sources.trace.count import Progress

FORMAT: Final = "blktrace"
_ROWS: Final = 262_144
_OPTIONS: Final = frozenset(("format", "devices", "device"))


def recording_files(path: Path) -> list[Path]:
    """The files of all CPUs of the recording ``path``, named without ``.blktrace.N``; none of a file."""
    if path.exists() or not path.parent.is_dir():
        return []
    shape = re.compile(re.escape(path.name) + r"\.blktrace\.([0-9]{1,9})", re.ASCII)
    found = [(int(match[1]), file) for file in path.parent.iterdir() if (match := shape.fullmatch(file.name))]
    return [file for _, file in sorted(found)]


def is_recording(path: Path, options: Mapping[str, Any]) -> bool:
    """Whether ``path`` is a recording of blktrace, or one of its files."""
    if options.get("format") is not None:
        return bool(options["format"] == FORMAT)
    if recording_files(path):
        return True
    try:
        with path.open("rb") as file:
            head = file.read(4)
    except OSError:
        return False
    # 0x656174 and the version, in either byte order.
    return head[1:4] == b"tae" or head[:3] == b"eat"


def observe_recording(
    path: Path,
    name: str | None,
    options: Mapping[str, Any],
    interval_ns: int | None,
    progress: Progress | None,
) -> Observation:
    """The observation of a recording.

    ``interval_ns``: as for :class:`iowatt.sources.trace.count.RequestCounter`.

    Raises ``InputError`` where a file is damaged, or no request was seen from one end to the other.
    """
    from iowatt import core
    from iowatt.sources.trace.count import TraceSource, to_observation

    strange = sorted(key for key, value in options.items() if value is not None and key not in _OPTIONS)
    if strange:
        message = f"no meaning for {path}, a recording of blktrace that is read as a measurement"
        raise InputError("not-applicable", Argument(strange[0]), message)
    wanted = [str(one) for one in options.get("devices") or ()]
    reader = core.StagesReader(str(path), wanted)
    # Requests, and those to devices that no queueing was recorded of: they count where nothing else is known.
    count, alone = RequestCounter(interval_ns), RequestCounter(interval_ns)
    while (batch := reader.read(_ROWS)) is not None:
        queued, issued, done = batch["queued_ns"], batch["issued_ns"], batch["completed_ns"]
        begun = queued >= 0
        waited = np.where(issued >= 0, issued - queued, -1)
        count.add(
            queued[begun], batch["op"][begun], batch["size"][begun], (done - queued)[begun], waited[begun]
        )
        without, took = ~begun, (done - issued)[~begun]
        alone.add(issued[without], batch["op"][without], batch["size"][without], took, np.zeros_like(took))
        if progress is not None:
            progress(None, int(json.loads(reader.summary())["completed"]))
    said = json.loads(reader.summary())
    devices = reader.devices()
    missing = [one for one in wanted if one not in devices]
    if missing:
        message = f"there is no device {missing[0]!r}; available: {', '.join(devices) or 'none'}"
        raise InputError("unknown-name", str(path), message)
    issues_only = not said["queued"]
    if issues_only:
        count = alone
    if count.zero_ns is None:
        message = (
            f"no request was seen from its queueing to its completion: {said['queued']} were queued (Q), "
            f"{said['issued']} issued (D) and {said['completed']} completed (C)"
        )
        hint = "record all three: blktrace without -a, or with -a queue -a issue -a complete"
        raise InputError("empty", str(path), message, hint=hint)
    return to_observation(
        TraceSource(
            path,
            name,
            FORMAT,
            said["origin_unix_ns"],
            wanted or devices,
            _notes(said, issues_only),
            recording_files(path) or [path],
            _HOPS,
        ),
        count,
    )


_HOPS: Final = (
    "of the time from queueing (Q) to completion (C), host queue is that to the issue of its first part to "
    "the device (D), merging and the scheduler included, and device the rest, the device's own queue included"
)


def _notes(said: Mapping[str, Any], issues_only: bool) -> list[str]:
    found = [
        f"blktrace: {said['queued']} requests were queued, {said['merged']} of them merged into others, "
        f"{said['issued']} issued to the device ({said['files']} files)"
    ]
    if said["long_gap"]:
        found.append(said["long_gap"])
    if issues_only:
        found.append(
            "no queueing (Q) was recorded: response times are those of the device, from issue to completion"
        )
    elif said["issued_alone"]:
        found.append(f"{said['issued_alone']} that were queued before the recording are left out")
    words = {
        "split": "were divided on the way; each is done with its last part",
        "requeued": "came back from the driver; the time until they went again is in the queue's",
        "failed": "failed, and have no response time",
        "unknown": "completions are of what the recording did not see begin",
        "unfinished": "were not done at its end",
        "forgotten": "are forgotten, because too many waited for an end that did not come",
        "others": "trims and flushes are left out",
    }
    found += [f"{said[key]} {text}" for key, text in words.items() if said[key]]
    if said["lost"]:
        found.append(
            f"{said['lost']} events are missing between others (blktrace lost them, or another device's are "
            "left out): larger buffers help, blktrace -b 2048 -n 8"
        )
    if said["partial"]:
        found.append(said["partial"])
    return found
