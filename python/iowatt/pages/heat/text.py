"""What the heat lens found, for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from iowatt.lenses.heat.skew import HOTTEST
from iowatt.pages.heat import words
from iowatt.render import numbers

if TYPE_CHECKING:
    from rich.table import Table

Found = dict[str, Any]

_SHOWN_SPACES = 16


def parts(found: Found) -> Iterator[Table | str]:
    """Tables and lines, in order."""
    yield _overview(found)
    yield _skew(found)
    for point in found["points"]:
        yield _directions(found, point)
    stable = [line for point in found["points"] if (line := _stability(point)) is not None]
    if stable:
        yield "\n".join(stable)
    several = [point for point in found["points"] if len(point["spaces"]) > 1]
    if several:
        yield _spaces(several)
    for note in found["notes"]:
        yield f"note: {note}"


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right", no_wrap=number == 0)
    return table


def _overview(found: Found) -> str:
    lines = []
    for point in found["points"]:
        lines.append(
            f"{found['run']}, {words.title(point).lower()} ({words.WHERE[point['point']]}): "
            f"{numbers.count(point['reads'])} reads, {numbers.count(point['writes'])} writes in "
            f"{numbers.duration(found['window_s'])}; {words.size(point['touched_bytes'])} touched of "
            f"{words.size(point['capacity_bytes'])}, in extents of {numbers.binary(point['extent_bytes'])}"
        )
    behind = found["behind_cache"]
    if behind is not None:
        lines.append(
            f"left for the back end: {numbers.percent(behind['io'])} of the front's I/O "
            f"({numbers.percent(behind['reads'])} of its reads, {numbers.percent(behind['writes'])} of "
            f"its writes)"
        )
    return "\n".join(lines)


def _skew(found: Found) -> Table:
    points = found["points"]
    table = _table(f"over the {words.space(found)}", *(words.title(point) for point in points))

    def add(title: str, value: Callable[[Found], str]) -> None:
        table.add_row(title, *(value(point) for point in points))

    add("IOPS", lambda p: numbers.significant(p["iops"]))
    add("IOPS/GB", lambda p: numbers.significant(p["iops_per_gb"]))
    add("Gini coefficient", lambda p: f"{p['skew']['gini']:.3f}")
    add("of an even load, by chance", lambda p: f"{p['skew']['gini_by_chance']:.3f}")
    add("skew point, % I/O / % space", lambda p: words.skew_point(p["skew"]["skew_point"]))
    add("k of 1 - (1 - c)^k", lambda p: numbers.significant(p["skew"]["law"]["k"]))
    add("fits within", lambda p: f"{100 * p['skew']['law']['max_error']:.2g} points")
    for at, share in enumerate(HOTTEST):
        table.add_row(
            f"I/O on the hottest {100 * share:g} %",
            *(numbers.percent(point["skew"]["hottest"][at]["io_share"]) for point in points),
        )
    return table


def _directions(found: Found, point: Found) -> Table:
    rows = point["directions"]
    table = _table(f"{words.title(point)}: hottest", *(f"{100 * row['space_share']:g} %" for row in rows))
    titles = (("reads", "read_share"), ("writes", "write_share"), ("writes of the I/O there", "writes_of_io"))
    for title, key in titles:
        table.add_row(title, *(numbers.percent(row[key]) for row in rows))
    return table


def _stability(point: Found) -> str | None:
    told = point["stability"]
    if told is None:
        return None
    return (
        f"{words.title(point)}: the hottest {100 * told['hot_share']:g} % of one period "
        f"({numbers.duration(told['period_s'])}) takes {numbers.percent(told['caught'])} of the I/O of "
        f"the next; "
        f"its own would take {numbers.percent(told['possible'])}, one set for all time "
        f"{numbers.percent(told['whole'])}; {numbers.percent(told['kept'])} of the hot set stays"
    )


def _spaces(points: list[Found]) -> Table:
    table = _table("address space", "point", "capacity", "touched", "IOPS", "IOPS/GB", "Gini", "skew", "k")
    rows = [(point, space) for point in points for space in point["spaces"]]
    for point, space in sorted(rows, key=lambda row: -float(row[1]["iops"]))[:_SHOWN_SPACES]:
        table.add_row(
            space["name"],
            point["point"],
            words.size(space["capacity_bytes"]),
            words.size(space["touched_bytes"]),
            numbers.significant(space["iops"]),
            numbers.significant(space["iops_per_gb"]),
            f"{space['gini']:.3f}",
            words.skew_point(space["skew_point"]),
            numbers.significant(space["k"]),
        )
    return table
