"""From watts at full rates to joules of single operations on flash.

A data sheet gives the draw of the whole drive at its highest rates. Controller, memory and interface draw a
part of it as long as the drive is awake; the rest is divided among operations so that the simulated drive
draws the same at the same work.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from iowatt.model.library.derive import Steps
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.electrical.figures import HddPower

if TYPE_CHECKING:
    from iowatt.model.library.ssd.figures import FlashGeometry, Sheet, Times

SEQUENTIAL: Final = 128 * 1024
SMALL: Final = 4096


ACTIVE_IDLE_SHARE: Final = 0.4
"""Awake without work, over the most drawn: the mean of 0.31 (Samsung 845DC PRO), 0.32 (845DC EVO), 0.38
(Optane P4800X) and 0.42 (Micron 5210), by their sheets, and 0.57 of an NVMe drive whose reads were measured
(2.48 W, and a part by bytes; nlesc-recruit/powersensor3-results)."""
ASLEEP_SHARE: Final = 0.1
"""Idle watts below this share of the most drawn are those of a sleep state: sheets of drives that never sleep
have 0.108 (Intel S3700) and more, figures of sleep states 0.05 and less."""
AWAKE_S: Final = 0.1
"""How long a drive with a sleep state stays awake after its work: the idle time of Linux before the first
non-operational NVMe state."""


@dataclass(frozen=True)
class WorkWatts:
    """Watts of the whole drive at its highest rates; None where not known.

    ``most`` is the highest of any work, ``limit`` the most that the sheet allows. ``reads_known``: reads have
    a published figure; otherwise theirs is that of other work.
    """

    sequential_read: float | None
    sequential_write: float | None
    random_read: float | None
    most: float | None
    limit: float | None
    reads_known: bool = False

    @classmethod
    def any(cls, watts: float) -> WorkWatts:
        """One figure for all kinds of work."""
        return cls(watts, watts, None, watts, watts)


@dataclass(frozen=True)
class OperationJoules:
    """Joules beyond those of being awake.

    For sensing and programming a page of one plane, erasing a block of one, moving a byte to or from the
    host, and for a command.
    """

    read_j: float | None
    program_j: float | None
    erase_j: float | None
    transfer_j_per_byte: float | None
    command_j: float | None


#: For a drive whose watts are not known.
UNKNOWN: Final = OperationJoules(None, None, None, None, None)


def work(file: DeviceFile, steps: Steps) -> WorkWatts:
    """Watts by kind of work; a kind that is not published takes the nearest that is."""
    names = ("sequential_read", "sequential_write", "random_read", "random_write", "active")
    known = {name: watts for name in names if (watts := file.usable_watts(name)) is not None}

    def nearest(name: str, others: tuple[str, ...]) -> float | None:
        if name in known:
            return known[name]
        other = next((other for other in others if other in known), None)
        if other is None:
            return None
        watts = known[other]
        return steps.derive(f"power.{name}", watts, f"{watts:g} W", f"taken as power.{other}")

    limits = [one.power for one in file.power.state if one.operational]
    limits += [] if (limit := file.usable_watts("max")) is None else [limit]
    return WorkWatts(
        sequential_read=nearest(
            "sequential_read", ("active", "random_read", "sequential_write", "random_write")
        ),
        sequential_write=nearest("sequential_write", ("active", "random_write", "sequential_read")),
        random_read=known.get("random_read"),
        most=max(known.values(), default=None),
        limit=max([*known.values(), *limits], default=None) if known else None,
        reads_known="sequential_read" in known,
    )


def asleep(power: HddPower, most: float | None) -> bool:
    """Whether the idle watts are those of a sleep state."""
    if power.idle is None:
        return False
    states = [state.power for state in power.state if not state.operational]
    return power.idle <= max(states, default=-1.0) or power.idle < ASLEEP_SHARE * (most or 0.0)


def active_idle(power: HddPower, work: WorkWatts) -> tuple[float | None, str | None]:
    """Watts of a drive that is awake, without its operations, and the rule where they are assumed.

    As published; else those of idling, unless that is a sleep state; else ``ACTIVE_IDLE_SHARE`` of the most
    drawn, but no more than any work draws.
    """
    most = work.most
    if power.active_idle is not None or power.idle is None:
        return power.active_idle, None
    if most is None or not asleep(power, most):
        return power.idle, None
    rule = (
        f"power.idle is a sleep state's; {ACTIVE_IDLE_SHARE:g} of the most drawn, the mean of five drives of "
        "which both are known (0.3 to 0.57)"
    )
    works = [work.sequential_read, work.sequential_write, work.random_read]
    return min([ACTIVE_IDLE_SHARE * most, *(watts for watts in works if watts is not None)]), rule


def operations(
    work: WorkWatts, active_w: float, sheet: Sheet, geometry: FlashGeometry, times: Times
) -> OperationJoules:
    """Joules of operations on top of ``active_w`` at which full rates draw what ``work`` says.

    *Writes*: programming and erasing, in which a die draws the same watts, take what moving bytes leaves of
    P(sequential write). *Reads*: a die senses with its share of the write's watts, ``r`` joules a page;
    moving a byte takes ``x``, a command ``c``. With a published figure of sequential reads

        rate (r / page + x + c / 128 KiB) = P(sequential read)
        iops (r + 4096 x + c)             = P(random read), where that is published, else c = 0

    and ``r`` is bounded so that no reading draws more than the most of the sheet. Without such a figure, no
    reading draws more than the sheet's figure, even with each unit on its own page at the highest rate.
    """
    above = [
        max(0.0, (watts or active_w) - active_w) for watts in (work.sequential_read, work.sequential_write)
    ]
    reading, writing = above
    page, pages = geometry.page_bytes, max(1, geometry.mapping_bytes // geometry.page_bytes)
    sense = writing / geometry.dies * times.read_s / geometry.planes
    byte, command = 0.0, 0.0
    shapes = _scattered(sheet, geometry.mapping_bytes, pages)
    if work.reads_known:
        per_byte = reading / sheet.read_rate
        most = max(0.0, (work.most or active_w) - active_w)
        extra = [(most - moved * per_byte, sensed - moved / page) for sensed, moved in shapes]
        sense = min([sense, per_byte * page, *(max(0.0, left) / more for left, more in extra if more > 0)])
        if work.random_read is not None:
            random = max(0.0, work.random_read - active_w) / sheet.read_iops
            command = (random - sense * pages - SMALL * (per_byte - sense / page)) / (1 - SMALL / SEQUENTIAL)
            if command < 0:
                sense = max(0.0, (random - SMALL * per_byte) / (pages - SMALL / page))
            command = min(max(0.0, command), SEQUENTIAL * (per_byte - sense / page))
        byte = per_byte - sense / page - command / SEQUENTIAL
    else:
        sense = min([sense, *(reading / sensed for sensed, _ in shapes)])
        byte = min((reading - sensed * sense) / moved for sensed, moved in shapes)
    pages_per_s = sheet.write_rate / page
    left = max(0.0, writing - sheet.write_rate * (byte + command / SEQUENTIAL))
    erase_share = times.erase_s / (geometry.pages_per_block * times.program_s)
    program = left / (pages_per_s * (1 + erase_share))
    return OperationJoules(sense, program, program * times.erase_s / times.program_s, max(0.0, byte), command)


def _scattered(sheet: Sheet, unit: int, pages: int) -> list[tuple[float, float]]:
    """Pages sensed and bytes moved a second by the reads that draw most, units lying anywhere.

    Of every size from 4 to 128 KiB: the most may lie where bytes and not commands become the limit, or where
    a read begins one unit more.
    """
    shapes = []
    for size in range(SMALL, SEQUENTIAL + 1, SMALL):
        requests = min(sheet.read_iops, sheet.read_rate / size)
        shapes.append((requests * math.ceil(size / unit) * pages, requests * size))
    return shapes
