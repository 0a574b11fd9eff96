"""Settings of host, load generator and targets, read before and after a measurement.

``settings`` may not change: a difference is named in the journal and in the result. ``state`` may
(temperatures, hours, allocated blocks) and is kept for the record.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import shutil
import stat
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

SETTINGS_SCHEMA: Final = "iowatt.settings/1"

Values = dict[str, str]

#: Of a block device's queue; files that a kernel does not have are left out.
_QUEUE: Final = (
    "scheduler", "nr_requests", "read_ahead_kb", "rotational", "write_cache", "fua", "rq_affinity",
    "nomerges", "wbt_lat_usec", "io_poll", "io_poll_delay", "max_sectors_kb", "max_segments",
    "logical_block_size", "physical_block_size", "add_random", "iostats", "zoned", "discard_granularity",
    "discard_max_bytes",
)  # fmt: skip
#: Of the device behind it.
_DEVICE: Final = (
    "model", "vendor", "serial", "rev", "firmware_rev", "wwid", "queue_depth", "queue_type", "timeout",
    "cache_type", "power/control", "power/autosuspend_delay_ms",
)  # fmt: skip
_SYSCTL: Final = (
    "vm/dirty_background_ratio", "vm/dirty_ratio", "vm/dirty_background_bytes", "vm/dirty_bytes",
    "vm/dirty_expire_centisecs", "vm/dirty_writeback_centisecs", "vm/swappiness",
    "vm/vfs_cache_pressure", "fs/aio-max-nr", "kernel/numa_balancing",
)  # fmt: skip
_LAYERS: Final = (
    "md/level", "md/raid_disks", "md/chunk_size", "md/stripe_cache_size", "dm/name", "bcache/cache_mode",
)  # fmt: skip
_SMART: Final = ("model_name", "serial_number", "firmware_version", "user_capacity", "rotation_rate")
_SMART_STATE: Final = (
    "smart_status", "temperature", "power_on_time", "ata_smart_attributes",
    "nvme_smart_health_information_log",
)  # fmt: skip
_SMART_S: Final = 30


@dataclass(frozen=True)
class SettingChange:
    """A setting that changed; ``None`` where it is absent."""

    what: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        return f"{self.what} was {self.before or 'not there'} and is {self.after or 'not there'}"


def snapshot(targets: Sequence[Path], *, driver: str | None, files: Sequence[Path] = ()) -> dict[str, Values]:
    """The settings of this machine, of the load generator, and of the targets.

    ``targets``: files or block devices under test.
    ``driver``: the load generator and its version, "fio-3.33".
    ``files``: other files that the measurement depends on, by digest: the scenario that is simulated.
    Returns ``settings`` and ``state``, names to values.
    """
    settings, state = _machine()
    settings["iowatt"] = version("iowatt")
    if driver is not None:
        settings["driver"] = driver
    settings |= {f"file {file}": _digest(file) for file in files}
    for target in targets:
        _join(settings, state, _target(target), f"target {target}: ")
    return {"settings": settings, "state": state}


def document(found: dict[str, Values]) -> dict[str, Any]:
    """A snapshot as the document of ``settings-before.json``."""
    return {"schema": SETTINGS_SCHEMA, "at": time.time(), **found}


def compare(before: Values, after: Values) -> list[SettingChange]:
    """The differences between the ``settings`` of two snapshots, by name."""
    changes = [SettingChange(name, before.get(name), after.get(name)) for name in sorted({**before, **after})]
    return [change for change in changes if change.before != change.after]


def _join(settings: Values, state: Values, found: tuple[Values, Values], prefix: str = "") -> None:
    settings |= {f"{prefix}{key}": value for key, value in found[0].items()}
    state |= {f"{prefix}{key}": value for key, value in found[1].items()}


def _machine() -> tuple[Values, Values]:
    uname = platform.uname()
    settings = {
        "host": uname.node,
        "kernel": f"{uname.system} {uname.release} {uname.version}",
        "machine": uname.machine,
        "processors": str(os.cpu_count()),
        "kernel command line": _text(Path("/proc/cmdline")) or "unknown",
    }
    for name in _SYSCTL:
        _put(settings, f"sysctl {name}", Path("/proc/sys") / name)
    cpu = Path("/sys/devices/system/cpu")
    governors = {_text(file) for file in cpu.glob("cpu[0-9]*/cpufreq/scaling_governor")} - {None}
    if governors:
        settings["frequency governor"] = ", ".join(sorted(map(str, governors)))
    _put(settings, "frequency boost", cpu / "cpufreq" / "boost")
    _put(settings, "frequency no turbo", cpu / "intel_pstate" / "no_turbo")
    _put(settings, "transparent huge pages", Path("/sys/kernel/mm/transparent_hugepage/enabled"))
    state: Values = {}
    _put(state, "load", Path("/proc/loadavg"))
    _put(state, "boot", Path("/proc/sys/kernel/random/boot_id"))
    return settings, state


def _target(path: Path) -> tuple[Values, Values]:
    """A file with its file system, or a block device; and the devices below either."""
    try:
        found = path.stat()
    except OSError as error:
        return {"kind": f"cannot be read: {error.strerror}"}, {}
    settings: Values = {"path": str(path.resolve())}
    state: Values = {}
    if stat.S_ISBLK(found.st_mode):
        settings["kind"] = "block device"
        number = _numbers(found.st_rdev)
    elif stat.S_ISDIR(found.st_mode):  # files are made in it
        settings |= {"kind": "directory", "inode": str(found.st_ino)}
        number = _numbers(found.st_dev)
        settings |= _mount(number)
    else:
        settings |= {"kind": "file", "bytes": str(found.st_size), "inode": str(found.st_ino)}
        state["allocated bytes"] = str(found.st_blocks * 512)
        number = _numbers(found.st_dev)
        settings |= _mount(number)
    below = Path("/sys/dev/block") / number
    if below.exists():
        _join(settings, state, _block(below.resolve(), 0))
    return settings, state


def _block(device: Path, depth: int) -> tuple[Values, Values]:
    """A block device in sysfs, the disk that it is a part of, and the devices that it is made of."""
    name = device.name
    settings: Values = {}
    state: Values = {}
    _put(settings, f"{name} size in sectors", device / "size")
    _put(settings, f"{name} read only", device / "ro")
    disk = device if (device / "queue").is_dir() else device.parent
    keys = [*(f"queue/{key}" for key in _QUEUE), *(f"device/{key}" for key in _DEVICE), *_LAYERS]
    for key in keys:
        _put(settings, f"{name} {key}", disk / key)
    _put(state, f"{name} requests", device / "stat")
    _join(settings, state, _smart(disk.name), f"{name} ")
    if depth < 4 and (disk / "slaves").is_dir():
        for slave in sorted((disk / "slaves").iterdir()):
            _join(settings, state, _block(slave.resolve(), depth + 1))
    return settings, state


def _smart(disk: str) -> tuple[Values, Values]:
    """smartctl's values of a disk: its identity is a setting, its condition is state."""
    program = shutil.which("smartctl")
    if program is None or not Path("/dev", disk).exists():
        return {}, {}
    command = [program, "--json", "-i", "-H", "-A", f"/dev/{disk}"]
    try:
        found = json.loads(subprocess.run(command, capture_output=True, timeout=_SMART_S, check=False).stdout)
        return (
            {f"smart {key}": str(found[key]) for key in _SMART if key in found},
            {f"smart {key}": json.dumps(found[key], sort_keys=True) for key in _SMART_STATE if key in found},
        )
    except (OSError, subprocess.SubprocessError, ValueError, TypeError):
        return {}, {"smart": "could not be read"}


def _mount(device: str) -> Values:
    """The mount of a device (proc(5), mountinfo)."""
    for line in (_text(Path("/proc/self/mountinfo")) or "").splitlines():
        before, _, after = line.partition(" - ")
        fields, further = before.split(), after.split()
        if len(fields) >= 6 and len(further) >= 3 and fields[2] == device:
            kind, source, options = further[:3]
            return {"file system": kind, "mount": source, "options": f"{fields[5]} {options}"}
    return {}


def _numbers(number: int) -> str:
    return f"{os.major(number)}:{os.minor(number)}"


def _put(values: Values, name: str, file: Path) -> None:
    text = _text(file)
    if text is not None:
        values[name] = text


def _text(file: Path) -> str | None:
    with contextlib.suppress(OSError):
        return file.read_bytes().decode("utf-8", "replace").strip()
    return None


def _digest(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        return f"cannot be read: {error.strerror}"
