"""How the study's pages call things."""

from __future__ import annotations

from iowatt.render import numbers
from iowatt.studies.arrays2002.points import DesignPoint
from iowatt.studies.arrays2002.published import WORKLOADS

SOURCE: dict[str, str] = {"captured": "PostgreSQL trace", "synthetic": "synthetic"}
KIND: dict[str, str] = {
    "space": "as published",
    "cache": "controller cache on",
    "mechanics": "other mechanics (IBM 18ES)",
    "ahead": "drives that read ahead",
    "spindles": "synchronised spindles",
}


def work(source: str, workload: str) -> str:
    """A workload and where it comes from."""
    return f"{WORKLOADS[workload].name}, {SOURCE[source]}"


def case(source: str, workload: str, level: int) -> str:
    """The same on an array of a level."""
    return f"{work(source, workload)}, RAID-{level}"


def place(disks: int, unit_kib: int) -> str:
    """Disks and stripe unit as Table 5 writes them."""
    return f"{disks}/{unit_kib}K"


def place_of(point: DesignPoint | None) -> str:
    """The same of a point."""
    return numbers.NO_VALUE if point is None else place(*point.place)


def percent(share: float, digits: int = 1) -> str:
    """A share with its sign."""
    return f"{100 * share:+.{digits}f} %"
