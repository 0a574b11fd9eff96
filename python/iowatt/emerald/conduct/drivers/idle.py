"""A stage without requests: waits, and counts the requests of others to the targets."""

from __future__ import annotations

import json
import os
import stat
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.emerald.driver import DriverError

REST: Final = "rest.json"
# Fields of /sys/block/*/stat (kernel, block/stat.rst): completed reads and writes.
_READS, _WRITES = 0, 4


def rest(
    seconds: float, folder: Path, stop: threading.Event, count: Callable[[], dict[str, tuple[int, int]]]
) -> None:
    """Wait, or end early when ``stop`` is set; ``count`` is as :func:`requests`.

    Writes ``rest.json``: the times, and the requests that the devices below the targets completed meanwhile,
    whoever made them (on a device that also holds this folder, recordings are among them).
    """
    before = count()
    started = time.time()
    stop.wait(seconds)
    after = count()
    document: dict[str, Any] = {
        "start": started,
        "end": time.time(),
        "requests": {
            device: {"reads": after[device][0] - reads, "writes": after[device][1] - writes}
            for device, (reads, writes) in before.items()
            if device in after
        },
    }
    try:
        (folder / REST).write_text(json.dumps(document, indent=2) + "\n", "utf-8")
    except OSError as error:
        raise DriverError("unwritable", str(folder / REST), f"cannot be written: {error.strerror}") from None


def requests(targets: Sequence[Path]) -> dict[str, tuple[int, int]]:
    """Reads and writes that the devices below ``targets`` have completed since they were attached."""
    found = {}
    for target in targets:
        try:
            found_stat = target.stat()
            number = found_stat.st_rdev if stat.S_ISBLK(found_stat.st_mode) else found_stat.st_dev
            device = (Path("/sys/dev/block") / f"{os.major(number)}:{os.minor(number)}").resolve()
            counts = (device / "stat").read_text("ascii").split()
            found[device.name] = (int(counts[_READS]), int(counts[_WRITES]))
        except (OSError, ValueError, IndexError):
            continue  # tmpfs and network file systems have no device
    return found


def disturbed(folder: Path, targets: Sequence[Path] | None) -> str | None:
    """The requests that disturbed a rest of block devices, in a sentence; files share their device.

    ``targets``: None: of load hosts, which count those of block devices only.
    The counts are those of ``rest.json``; ``None`` where there are none, or they cannot be read.
    """
    try:
        counts = input_file.json_object(folder / REST)["requests"]
        devices = list(counts)
        if targets is not None:
            devices = [path.resolve().name for path in targets if path.is_block_device()]
        made = {name: counts[name]["reads"] + counts[name]["writes"] for name in devices if name in counts}
    except (InputError, OSError, ValueError, KeyError, TypeError):
        return None
    found = ", ".join(f"{count} of {name}" for name, count in made.items() if count)
    return f"requests were completed during the rest: {found}" if found else None
