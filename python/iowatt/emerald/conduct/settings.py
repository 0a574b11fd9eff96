"""What a measurement was made on, read before and after: no setting may change in between.

Two kinds are kept apart. ``settings`` may not change: a difference is named in the journal and in the
result. ``state`` may (temperatures, hours, allocated blocks) and is kept for the record.
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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

SETTINGS_SCHEMA: Final = "iowatt.settings/1"

Values = dict[str, str]

#: Of a block device's queue; what a kernel does not have is left out.
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
_SMART_S: Final = 30


@dataclass(frozen=True)
class Change:
    """A setting that is not what it was; ``None`` where it is not there."""

    what: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        return f"{self.what} was {self.before or 'not there'} and is {self.after or 'not there'}"


def snapshot(
    targets: Sequence[Path], *, driver: str | None, files: Sequence[Path] = ()
) -> dict[str, dict[str, str]]:
    """The settings of this machine, of what makes the requests, and of the targets.

    Parameters
    ----------
    targets:
        Files or block devices under test.
    driver:
        The load generator and its version, "fio-3.33".
    files:
        Whatever else the measurement depends on, by digest: the scenario that is simulated.

    Returns
    -------
    dict
        ``settings`` and ``state``, names to values.
    """
    settings, state = _machine()
    settings["iowatt"] = version("iowatt")
    if driver is not None:
        settings["driver"] = driver
    for file in files:
        settings[f"file {file}"] = _digest(file)
    for target in targets:
        kept, passing = _target(target)
        settings |= {f"target {target}: {key}": value for key, value in kept.items()}
        state |= {f"target {target}: {key}": value for key, value in passing.items()}
    return {"settings": settings, "state": state}


def document(found: dict[str, dict[str, str]]) -> dict[str, Any]:
    """A snapshot as ``settings-before.json`` has it."""
    return {"schema": SETTINGS_SCHEMA, "at": time.time(), **found}


def compare(before: dict[str, str], after: dict[str, str]) -> list[Change]:
    """What differs between the ``settings`` of two snapshots, by name."""
    names = sorted(before.keys() | after.keys())
    return [
        Change(name, before.get(name), after.get(name))
        for name in names
        if before.get(name) != after.get(name)
    ]


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
        number = found.st_rdev
    else:
        settings |= {"kind": "file", "bytes": str(found.st_size), "inode": str(found.st_ino)}
        state["allocated bytes"] = str(found.st_blocks * 512)
        number = found.st_dev
        for mount in _mounts():
            if mount["device"] == _numbers(number):
                settings |= {
                    "file system": mount["kind"],
                    "mount": mount["source"],
                    "options": mount["options"],
                }
                break
    below = Path("/sys/dev/block") / _numbers(number)
    if below.exists():
        kept, passing = _block(below.resolve(), 0)
        settings |= kept
        state |= passing
    return settings, state


def _block(device: Path, depth: int) -> tuple[Values, Values]:
    """A block device in sysfs, the disk that it is a part of, and those that it is made of."""
    name = device.name
    settings: Values = {}
    state: Values = {}
    _put(settings, f"{name} size in sectors", device / "size")
    _put(settings, f"{name} read only", device / "ro")
    disk = device if (device / "queue").is_dir() else device.parent
    for key in _QUEUE:
        _put(settings, f"{name} queue/{key}", disk / "queue" / key)
    for key in _DEVICE:
        _put(settings, f"{name} device/{key}", disk / "device" / key)
    for key in (
        "md/level",
        "md/raid_disks",
        "md/chunk_size",
        "md/stripe_cache_size",
        "dm/name",
        "bcache/cache_mode",
    ):
        _put(settings, f"{name} {key}", disk / key)
    _put(state, f"{name} requests", device / "stat")
    kept, passing = _smart(disk.name)
    settings |= {f"{name} {key}": value for key, value in kept.items()}
    state |= {f"{name} {key}": value for key, value in passing.items()}
    if depth < 4 and (disk / "slaves").is_dir():
        for slave in sorted((disk / "slaves").iterdir()):
            kept, passing = _block(slave.resolve(), depth + 1)
            settings |= kept
            state |= passing
    return settings, state


def _smart(disk: str) -> tuple[Values, Values]:
    """What smartctl says of a disk: who it is stays, how it fares may change."""
    program = shutil.which("smartctl")
    if program is None or not Path("/dev", disk).exists():
        return {}, {}
    try:
        done = subprocess.run(
            [program, "--json", "-i", "-H", "-A", f"/dev/{disk}"],
            capture_output=True,
            timeout=_SMART_S,
            check=False,
        )
        said = json.loads(done.stdout)
        settings = {
            f"smart {key}": str(said[key])
            for key in ("model_name", "serial_number", "firmware_version", "user_capacity", "rotation_rate")
            if key in said
        }
        state = {
            f"smart {key}": json.dumps(said[key], sort_keys=True)
            for key in (
                "smart_status",
                "temperature",
                "power_on_time",
                "ata_smart_attributes",
                "nvme_smart_health_information_log",
            )
            if key in said
        }
    except (OSError, subprocess.SubprocessError, ValueError, TypeError):
        return {}, {"smart": "could not be read"}
    return settings, state


def _mounts() -> Iterator[dict[str, str]]:
    """The mounts of this machine; see proc(5), mountinfo."""
    for line in (_text(Path("/proc/self/mountinfo")) or "").splitlines():
        before, _, after = line.partition(" - ")
        fields, further = before.split(), after.split()
        if len(fields) >= 6 and len(further) >= 3:
            yield {
                "device": fields[2],
                "kind": further[0],
                "source": further[1],
                "options": f"{fields[5]} {further[2]}",
            }


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
