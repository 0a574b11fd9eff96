"""Words that the text and the page share."""

from __future__ import annotations

from typing import Any

from iowatt.render import numbers

Found = dict[str, Any]

POINTS = {"front": "Front end", "back": "Back end", "trace": "Trace"}
WHERE = {"front": "as hosts ask", "back": "behind the cache", "trace": "as recorded"}


def title(point: Found) -> str:
    """The name of a point."""
    return POINTS[point["point"]]


def space(found: Found) -> str:
    """What shares of the space are shares of."""
    return "capacity" if found["shares_over"] == "capacity" else "touched space"


def size(count: float) -> str:
    """Bytes as a person reads them."""
    return numbers.with_unit(float(count), "B")


def skew_point(point: dict[str, float]) -> str:
    """EMC's way to say it: 70/30 is 70 % of the I/O on 30 % of the space."""
    return f"{100 * point['io_share']:.3g}/{100 * point['space_share']:.3g}"


def hottest_10(point: Found) -> float:
    """Share of the I/O on the hottest tenth of the space."""
    return next(float(row["io_share"]) for row in point["skew"]["hottest"] if row["space_share"] == 0.10)
