"""From watts at full rates to joules of single operations on flash.

A data sheet gives the draw of the whole drive while it works as fast as it can. What lies above idling is
shared out so that the simulated drive draws the same at the same work.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from iowatt.library import derive
from iowatt.library.derive import Steps
from iowatt.library.device import DeviceFile

if TYPE_CHECKING:
    from iowatt.library.ssd.drive import Geometry, Sheet, Times

SEQUENTIAL: Final = 128 * 1024
SMALL: Final = 4096


@dataclass(frozen=True)
class Work:
    """Watts of the whole drive at its highest rates; None where nothing is known."""

    sequential_read: float | None
    sequential_write: float | None
    random_read: float | None


@dataclass(frozen=True)
class OperationJoules:
    """Joules beyond idling.

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


def work(file: DeviceFile, steps: Steps) -> Work:
    """Watts by kind of work; one that is not published is taken from the nearest that is."""
    known = {
        name: derive.usable(file, name)
        for name in ("sequential_read", "sequential_write", "random_read", "random_write", "active")
    }

    def nearest(name: str, others: tuple[str, ...]) -> float | None:
        if known[name] is not None:
            return known[name]
        for other in others:
            watts = known[other]
            if watts is not None:
                known[name] = watts
                return steps.derive(f"power.{name}", watts, f"{watts:g} W", f"taken as power.{other}")
        return None

    return Work(
        sequential_read=nearest(
            "sequential_read", ("active", "random_read", "sequential_write", "random_write")
        ),
        sequential_write=nearest("sequential_write", ("active", "random_write", "sequential_read")),
        random_read=nearest("random_read", ("sequential_read",)),
    )


def operations(work: Work, idle_w: float, sheet: Sheet, geometry: Geometry, times: Times) -> OperationJoules:
    """Joules of operations at which full rates draw what ``work`` says.

    Reads: of sensing ``r``, a byte ``x`` and a command ``c``, the first two that solve

        rate / page r + rate x + rate / 128 KiB c = P(sequential read) - P(idle)
        iops r + 4096 iops x + iops c             = P(random read) - P(idle)

    without either being negative, the third being 0; where none do, the first equation alone, with ``x``.
    Writes: what moving bytes leaves of P(sequential write) - P(idle) is programming and erasing, in which a
    die draws the same watts.
    """
    above = [max(0.0, (watts or idle_w) - idle_w) for watts in (work.sequential_read, work.random_read)]
    rows = [
        (sheet.read_rate / geometry.page_bytes, sheet.read_rate, sheet.read_rate / SEQUENTIAL),
        (sheet.read_iops, SMALL * sheet.read_iops, sheet.read_iops),
    ]
    sense, byte, command = _not_negative(rows, above)
    pages_per_s = sheet.write_rate / geometry.page_bytes
    left = max(0.0, (work.sequential_write or idle_w) - idle_w)
    left = max(0.0, left - sheet.write_rate * byte - sheet.write_rate / SEQUENTIAL * command)
    erase_share = times.erase_s / (geometry.pages_per_block * times.program_s)
    program = left / (pages_per_s * (1 + erase_share))
    return OperationJoules(sense, program, program * times.erase_s / times.program_s, byte, command)


def _not_negative(rows: list[tuple[float, float, float]], above: list[float]) -> tuple[float, float, float]:
    first, second = rows
    for one, other in combinations(range(3), 2):
        determinant = first[one] * second[other] - first[other] * second[one]
        if abs(determinant) < 1e-9 * abs(first[one] * second[other]):
            continue
        a = (above[0] * second[other] - above[1] * first[other]) / determinant
        b = (first[one] * above[1] - second[one] * above[0]) / determinant
        if a >= 0 and b >= 0:
            found = [0.0, 0.0, 0.0]
            found[one], found[other] = a, b
            return found[0], found[1], found[2]
    return 0.0, above[0] / first[1], 0.0
