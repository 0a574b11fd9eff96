"""What limits the figures of a sweep or a curve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from iowatt.base.results import Note
from iowatt.evaluate.search import metrics, table
from iowatt.evaluate.search.sweep import SweepResult
from iowatt.lenses.findings import WIDE_INTERVAL
from iowatt.pages.sweep import figures
from iowatt.render import numbers
from iowatt.render.phrases import between

Rows = Sequence[Mapping[str, Any]]


def notes(found: SweepResult) -> list[Note]:
    """Points that did not keep up, doubtful designs, failures, uncertain means, and what watts rest on."""
    rows = found.frame.to_dicts()
    said = [*_overloaded(rows), *_doubtful(found), *_failed(rows), *uncertain(rows)]
    if told := table.basis_line(rows):
        said.append(Note(code="basis", text=told))
    return said


def _overloaded(rows: Rows) -> Iterator[Note]:
    over = [row for row in rows if row["status"] == "done" and row["overloaded"]]
    if not over:
        return
    shares = [share for row in over if (share := row.get("done_share")) is not None]
    least = f" ({_done(shares)} of the requests offered per second were completed)" if shares else ""
    text = (
        f"{_points([row['point'] for row in over])} could not keep up with the load{least}: without a "
        "steady state they are in no chart and are no candidates"
    )
    yield Note(code="not-kept-up", text=text, decides=True)


def _doubtful(found: SweepResult) -> Iterator[Note]:
    """A note for each key of a doubtful design."""
    for one in found.warned:
        such = "" if len(one.points) == 1 else "such as "
        yield Note(
            code="doubtful-design", text=f"{_points(one.points)}, {such}{one.last}: {one.text}", decides=True
        )


def _failed(rows: Rows) -> Iterator[Note]:
    failed = [row for row in rows if row["status"] == "failed"]
    if failed:
        text = (
            f"{_points([row['point'] for row in failed])} could not be simulated; the first, "
            f"{failed[0]['point']}: {failed[0]['error']}"
        )
        yield Note(code="points-failed", text=text, decides=True)


def uncertain(rows: Rows) -> list[Note]:
    """Which steady points have a mean response time with a wide confidence interval, and which have none."""
    wide, unknown = [], []
    for row in rows:
        mean = row.get(metrics.RESPONSE)
        if figures.verdict(row) != "steady" or mean is None:
            continue
        low, high = (row.get(f"{metrics.RESPONSE}_ci95.{end}") for end in ("low", "high"))
        if low is None or high is None:
            unknown.append(row["point"])
        elif (half := (high - low) / 2) > WIDE_INTERVAL * mean:
            wide.append((half / mean, row["point"], (low, high)))
    said = []
    if wide:
        share, number, interval = max(wide)
        most = f"; most of all point {number}" if len(wide) > 1 else ""
        text = (
            f"the mean response time of {_inside([n for _, n, _ in wide])} is more than "
            f"{numbers.percent(WIDE_INTERVAL)} uncertain{most} ({between(interval)}, "
            f"{numbers.percent(share)} either way)"
        )
        said.append(Note(code="wide-interval", text=text, decides=True))
    if unknown:
        text = (
            f"the mean response time of {_inside(unknown)} has no confidence interval: runs of this "
            "length have too few requests, or change too slowly"
        )
        said.append(Note(code="no-interval", text=text, decides=True))
    return said


def _done(shares: Sequence[float]) -> str:
    """Shares from the least to the greatest."""
    ends = dict.fromkeys(numbers.percent(end) for end in (min(shares), max(shares)))
    return " to ".join(ends)


def _points(listed: Sequence[int]) -> str:
    few = ", ".join(map(str, listed[:8]))
    if len(listed) == 1:
        return f"Point {few}"
    return f"{len(listed)} points ({few}{', ...' if len(listed) > 8 else ''})"


def _inside(listed: Sequence[int]) -> str:
    """The same inside a sentence."""
    said = _points(listed)
    return f"{said[:1].lower()}{said[1:]}"
