"""The commands that a drive takes before it has completed the last one, in a device file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator

from iowatt.base.strict import Strict, key

Discipline = Literal["fcfs", "sstf", "scan", "look", "elevator", "c-look", "sptf", "spctf"]


def _canonical(discipline: Discipline) -> Discipline:
    return "look" if discipline == "elevator" else discipline


Scheduler = Annotated[Discipline, AfterValidator(_canonical)]
"""A queue discipline; ``elevator`` is read as ``look``."""


class CommandQueue(Strict):
    """Command queueing inside the drive (tagged queueing, NCQ). How much of it is used, a scenario says."""

    depth: int | None = key(
        "Most commands that the drive holds, the one in service included.",
        unset="not known; a scenario may ask for any",
        within=(1, 2**20),
    )
    scheduler: Scheduler = key(
        "Order in which the drive serves the commands that it holds; the names are those of "
        "`array.pool.scheduler` in a scenario.",
        default="fcfs",
    )
