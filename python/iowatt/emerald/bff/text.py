"""A search as text: small tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from iowatt.render import numbers

Found = Mapping[str, Any]


def lines(found: Found) -> Iterator[str]:
    """A document ``iowatt.bff/1`` for people."""
    yield f"{found['title']}: best foot forward"
    yield f"  {found['modelled']}"
    if found["limit_ms"] is not None:
        yield f"  random metrics: the highest rate with a mean response time within {found['limit_ms']:g} ms"
    if not found["simulated"]:
        yield "  ESTIMATES ONLY: no peak was simulated"
    yield ""
    yield from _peaks(found)
    yield from _by_drive(found)
    yield from _levels(found)
    yield from _reduced(found)
    yield from _configurations(found)
    yield from _projection(found)
    yield from _estimator(found)
    if found["caveat"]:
        yield ""
        yield found["caveat"]
    for note in found["notes"]:
        yield f"note: {note}"


def _peaks(found: Found) -> Iterator[str]:
    rows = [["metric", "EP", "unit", "peak at", "ms", "W", "less %", "more %", "basis"]]
    for metric in found["metrics"]:
        one = metric["peak"]
        if one is None:
            rows.append([metric["name"], numbers.NO_VALUE, metric["unit"], "no configuration"])
            continue
        rows.append(
            [
                metric["name"], _shown(one["ep"]), metric["unit"], one["label"], _shown(one["response_ms"]),
                _shown(one["wall_w"]), _signed(one["less_percent"]), _signed(one["more_percent"]),
                one["basis"],
            ]
        )  # fmt: skip
    yield from _table(rows, left=(0, 2, 3, 8))
    for metric in found["metrics"]:
        one = metric["peak"]
        if one is not None and one["kind"] != "peak":
            yield f"  {metric['name']}: {one['why']}"
        if one is not None and one["knee"]:
            yield f"  {metric['name']}: {one['knee']}"


def _by_drive(found: Found) -> Iterator[str]:
    rows = [["by single drives", "EP", "unit", "drives", "by shelves", "gain %"]]
    for metric in found["metrics"]:
        one, shelf = metric["by_drive"], metric["peak"]
        if one is not None:
            gain = 100 * (one["ep"] / shelf["ep"] - 1) if shelf["ep"] else 0.0
            rows.append(
                [metric["name"], _shown(one["ep"]), metric["unit"], str(one["drives"]), str(shelf["drives"]),
                 _signed(gain)]
            )  # fmt: skip
    yield from _section(rows, left=(0, 2))


def _levels(found: Found) -> Iterator[str]:
    names = list(dict.fromkeys(one["raid"] for metric in found["metrics"] for one in metric["by_level"]))
    if len(names) < 2:
        return
    rows = [["by level", *names]]
    for metric in found["metrics"]:
        if metric["kind"] == "idle":
            continue
        cells = []
        for name in names:
            own = next((one for one in metric["by_level"] if one["raid"] == name), None)
            cells.append(numbers.NO_VALUE if own is None else f"{_shown(own['ep'])} at {own['drives']}")
        rows.append([metric["name"], *cells])
    yield from _section(rows, left=(0,))


def _reduced(found: Found) -> Iterator[str]:
    listed = found["reduced"]
    if not listed["configurations"]:
        return
    rows = [["worth testing", "for", "least share %"]]
    rows += [[one["label"], ", ".join(one["covers"]), ""] for one in listed["configurations"]]
    if listed["compromise"] is not None:
        one = listed["compromise"]
        rows.append([one["label"], "best single configuration", _shown(100 * one["least_share"])])
    yield from _section(rows, left=(0, 1))
    yield f"  each metric's peak within {listed['within_percent']:g} %"
    for setup in listed["setups"]:
        if len(setup["contains"]) > 1:
            held, most = len(setup["contains"]), f"{setup['drives']} drives behind {setup['controller']}"
            yield f"  {most}: {held} of these, by taking shelves out"


def _configurations(found: Found) -> Iterator[str]:
    rows = [["configuration", "metric", "EP", "unit", "ms", "W", "basis"]]
    units = {metric["name"]: metric["unit"] for metric in found["metrics"]}
    for one in found["configurations"]:
        for figure in one["figures"]:
            rows.append(
                [one["name"], figure["metric"], _shown(figure.get("ep")), units[figure["metric"]],
                 _shown(figure.get("response_ms")), _shown(figure.get("wall_w")),
                 figure.get("basis") or figure["error"]]
            )  # fmt: skip
    yield from _section(rows, left=(0, 1, 3, 6))


def _projection(found: Found) -> Iterator[str]:
    rows = [["largest", "drives", "idle W", "at work W", "GB/W"]]
    rows += [
        [f"{row['drive']}, {row['controller']}", str(row["drives"]), _shown(row["idle_w"]),
         _shown(row["active_w"]), _shown(row["gb_per_w"])]
        for row in found["projection"]
    ]  # fmt: skip
    yield from _section(rows, left=(0,))


def _estimator(found: Found) -> Iterator[str]:
    errors = found["estimator"]["errors"]
    if errors is None:
        return
    yield ""
    yield (
        f"estimates against simulations, {errors['points']} points: median error "
        f"{errors['median_percent']:.1f} %, 95th percentile {errors['p95_percent']:.1f} %, worst "
        f"{errors['worst_percent']:.1f} %, bias {errors['bias_percent']:+.1f} %"
    )


def _section(rows: list[list[str]], left: Sequence[int]) -> Iterator[str]:
    if len(rows) > 1:
        yield ""
        yield from _table(rows, left)


def _table(rows: list[list[str]], left: Sequence[int]) -> Iterator[str]:
    width = max(len(row) for row in rows)
    full = [row + [""] * (width - len(row)) for row in rows]
    widths = [max(len(row[at]) for row in full) for at in range(width)]
    for row in full:
        cells = (
            cell.ljust(widths[at]) if at in left else cell.rjust(widths[at]) for at, cell in enumerate(row)
        )
        yield f"  {'  '.join(cells)}".rstrip()


def _shown(value: float | None) -> str:
    return numbers.NO_VALUE if value is None else numbers.significant(value, 4)


def _signed(value: float | None) -> str:
    return numbers.NO_VALUE if value is None else f"{value:+.1f}"
