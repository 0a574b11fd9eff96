"""RAID levels and erasure codes: drives that each needs, and bytes that it leaves in whole stripes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from iowatt.model.erasure_code import Code

EC: Final = "ec"
#: A level as scenarios have it: a number, or ``ec``.
Level = int | str

LEAST_DRIVES: Final = {0: 1, 1: 2, 4: 3, 5: 3, 6: 4, 10: 4}

DEFAULT_CHUNKLET: Final = 256 << 20
#: Chunklets of a RAID set: where nothing is given, and the least.
SET_SIZE: Final[dict[Level, int]] = {0: 1, 10: 2, 5: 4, 6: 8}
LEAST_SET: Final[dict[Level, int]] = {0: 1, 10: 2, 5: 3, 6: 4}


def count_problem(level: Level, count: int, code: Code | None = None) -> tuple[str, str] | None:
    """Why ``count`` drives do not make ``level``, and the fix; None where they do."""
    if code is not None:
        if count == code.width:
            return None
        fix = f"set count to {code.width}, or lay stripes over chunklets of more drives (chunklet = true)"
        return f"a stripe of {code.label} has {code.width} units, a drive each, not {count}", fix
    assert isinstance(level, int)
    least = LEAST_DRIVES[level]
    if count < least:
        others = {5: "1", 4: "1", 6: "5", 10: "1", 1: "0"}
        fix = f"set count to {least} or more"
        fits = level in others and count >= LEAST_DRIVES[int(others[level])]
        return (
            f"RAID-{level} needs at least {least} drives, not {count}",
            f"{fix}, or raid.level to {others[level]}" if fits else fix,
        )
    if level == 10 and count % 2:
        return f"RAID-10 mirrors pairs of drives; {count} is odd", f"set count to {count - 1} or {count + 1}"
    return None


#: Drives of one redundancy group beyond which it is wider than practice. IBM's FlashSystem makes groups of 9
#: (RAID-5) and 12 (RAID-6) by default, 16 at most (`mkdistributedarray`); NetApp's ONTAP
#: recommends 12 to 20 disks or 20 to 28 SSDs for its double parity. These lie between what is recommended and
#: what is possible there.
WIDEST_USUAL: Final = {4: 12, 5: 12, 6: 24}


def width_warning(level: Level, width: int) -> str | None:
    """Why a redundancy group of ``width`` drives is wider than practice; None where it is not.

    A code says itself how wide it is.
    """
    if not isinstance(level, int):
        return None
    most = WIDEST_USUAL.get(level)
    if most is None or width <= most:
        return None
    lost = "two drives fail" if level in (4, 5) else "three drives fail"
    return (
        f"one RAID-{level} group of {width} drives is wider than practice ({most} at most): all of its data "
        f"is lost once {lost}; use several pools, or sets over chunklets (raid.set_size); `iowatt "
        "durability` says how likely that is"
    )


def data_drives(level: Level, count: int, code: Code | None = None) -> int:
    """Drives' worth of data among ``count``."""
    if code is not None:
        return code.data
    assert isinstance(level, int)
    return {0: count, 1: 1, 10: count // 2, 4: count - 1, 5: count - 1, 6: count - 2}[level]


def usable_bytes(
    level: Level,
    count: int,
    stripe_unit: int,
    drive_bytes: int,
    code: Code | None = None,
    *,
    log_bytes: int = 0,
) -> int:
    """Bytes that a volume can use.

    Each drive gives whole stripe units; the rest at its end is lost, and ``log_bytes`` of each are taken by
    a log of parity updates. RAID-1 has no stripe and gives one drive.
    """
    units = drive_bytes // stripe_unit - log_bytes // stripe_unit
    per_drive = drive_bytes if level == 1 else units * stripe_unit
    return data_drives(level, count, code) * per_drive


def usable_bytes_of(pool: Mapping[str, Any]) -> int:
    """The same of a pool of a plan, with all regions of a pool of chunklets."""
    if (chunklets := pool.get("chunklets")) is not None:
        return sum(region_bytes(region, chunklets["bytes"]) for region in chunklets["regions"])
    drive, raid = pool["device"], pool["raid"]
    drive_bytes = drive["sectors"] * drive["sector_bytes"]
    level, code = level_of(raid)
    logged = (raid.get("log") or {}).get("drive_bytes", 0)
    unit = raid["stripe_unit_bytes"]
    return usable_bytes(level, pool["count"], unit, drive_bytes, code, log_bytes=logged)


def region_bytes(region: Mapping[str, Any], chunklet: int) -> int:
    """Bytes that a volume can use of a region of chunklets."""
    level, code = level_of(region["raid"])
    unit = region["raid"]["stripe_unit_bytes"]
    return int(region["sets"] * data_drives(level, region["set_size"], code) * (chunklet // unit * unit))


def level_of(raid: Mapping[str, Any]) -> tuple[Level, Code | None]:
    """Level and code of a ``RaidPlan`` of iowatt-sim."""
    code = raid.get("code")
    return (int(raid["level"]), None) if code is None else (EC, Code(**code))


def level_name(level: Level, code: Code | None = None) -> str:
    """For people: ``RAID-6``, ``EC 8+3``, ``LRC(12,2,2)``."""
    return f"RAID-{level}" if code is None else code.label


def name_of(raid: Mapping[str, Any]) -> str:
    """The same of a ``RaidPlan``."""
    return level_name(*level_of(raid))


_PARITY: Final[dict[Level, int]] = {4: 1, 5: 1, 6: 2}


def parity_units(level: Level, code: Code | None = None) -> int:
    """Parity units of a stripe."""
    return _PARITY.get(level, 0) if code is None else code.parity_units
