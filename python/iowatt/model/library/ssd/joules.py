"""From watts at full rates to joules of single operations on flash.

A data sheet gives the draw of the whole drive while it works as fast as it can. A part of that is drawn by
controller, memory and interface as long as the drive is awake, whatever it does; what lies above is shared
out among operations so that the simulated drive draws the same at the same work.
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
"""An idle below this share of the most drawn is a sleep state's: sheets of drives that never sleep have 0.108
(Intel S3700) and more, figures of sleep states 0.05 and less."""
AWAKE_S: Final = 0.1
"""How long a drive that sleeps by itself stays awake after its work: the idle time of Linux before the first
non-operational NVMe state."""


@dataclass(frozen=True)
class WorkWatts:
    """Watts of the whole drive at its highest rates; None where nothing is known.

    ``most`` is the highest of any work, ``limit`` the most that the sheet allows: that, or a limit above it.
    ``reads_known``: reads have a figure of their own. Else theirs is that of other work.
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
    """Joules beyond those of being active.

    Of sensing and programming a page of one plane, erasing a block of one, moving a byte to or from the host,
    and of a command.
    """

    read_j: float | None
    program_j: float | None
    erase_j: float | None
    transfer_j_per_byte: float | None
    command_j: float | None


#: Of a drive whose watts are not known.
UNKNOWN: Final = OperationJoules(None, None, None, None, None)


def work(file: DeviceFile, steps: Steps) -> WorkWatts:
    """Watts by kind of work; one that is not published is taken from the nearest that is."""
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
    """Whether the idle watts are those of a sleep state, which a drive leaves for any work."""
    if power.idle is None:
        return False
    states = [state.power for state in power.state if not state.operational]
    return power.idle <= max(states, default=-1.0) or power.idle < ASLEEP_SHARE * (most or 0.0)


def active_idle(power: HddPower, most: float | None) -> tuple[float | None, str | None]:
    """Watts of a drive that is awake, before its operations count, and by which rule where it is assumed.

    As published; else those of idling, where that is no sleep; else ``ACTIVE_IDLE_SHARE`` of the most drawn.
    """
    if power.active_idle is not None or power.idle is None:
        return power.active_idle, None
    if most is None or not asleep(power, most):
        return power.idle, None
    rule = (
        f"power.idle is a sleep state's; {ACTIVE_IDLE_SHARE:g} of the most drawn, the mean of five drives of "
        "which both are known (0.3 to 0.57)"
    )
    return ACTIVE_IDLE_SHARE * most, rule


def operations(
    work: WorkWatts, active_w: float, sheet: Sheet, geometry: FlashGeometry, times: Times
) -> OperationJoules:
    """Joules of operations on top of ``active_w`` at which full rates draw what ``work`` says.

    *Writes*: what moving bytes leaves of P(sequential write) is programming and erasing, in which a die draws
    the same watts. *Reads*: a die senses with its share of the write's watts, ``r`` joules a page; moving a
    byte takes ``x``, a command ``c``. With a published figure of sequential reads

        rate (r / page + x + c / 128 KiB) = P(sequential read)
        iops (r + 4096 x + c)             = P(random read), where that is published, else c = 0

    and ``r`` is no more than leaves all reading within the most that the sheet gives. Without, no reading
    draws more than the sheet's figure, wherever the data lie: at its highest rate, each unit on its own page.
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

    Of 4 KiB, of the least size at which bytes and not commands are the limit, and of 128 KiB.
    """
    least = math.ceil(sheet.read_rate / sheet.read_iops / SMALL) * SMALL
    found = []
    for size in (SMALL, max(SMALL, least), SEQUENTIAL):
        requests = min(sheet.read_iops, sheet.read_rate / size)
        found.append((requests * math.ceil(size / unit) * pages, requests * size))
    return found
