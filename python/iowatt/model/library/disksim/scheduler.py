"""The queue discipline that a disk, a controller or the driver declares (``disksim_ioqueue``)."""

from __future__ import annotations

from dataclasses import dataclass

from iowatt.model.library.disksim.parameter import read_fields
from iowatt.model.library.disksim.parameters import SCHEDULER
from iowatt.model.library.disksim.tree import Block


@dataclass(frozen=True)
class Scheduler:
    """How a queue is served.

    policy:
        One of `iowatt.model.library.disksim.parameters.POLICIES`, by name.
    cylinder_mapping:
        How well the scheduler knows the layout: 0 only LBNs, 1 zones, 2 and spares, 3 and slips, 4 exactly,
        5 the trace says, 6 an average track.
    write_initiation_s, read_initiation_s:
        Seconds that positioning estimates allow before the arm starts.
    """

    policy: str
    cylinder_mapping: int
    write_initiation_s: float
    read_initiation_s: float


def read_scheduler(block: Block, warnings: list[str]) -> Scheduler:
    """The discipline that a ``disksim_ioqueue`` block declares; InputError where it is not one."""
    return Scheduler(**read_fields(block, SCHEDULER, warnings))
