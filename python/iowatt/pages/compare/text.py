"""What the comparison lens found, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from iowatt.pages.compare import words
from iowatt.render import numbers

if TYPE_CHECKING:
    from rich.table import Table

#: The scale that the terminal shows; the page and the JSON have all.
SCALE = "array"
#: Columns of a terminal that hold the table of figures without wrapping its cells.
WIDE = 124


def parts(found: dict[str, Any], *, wrap: bool = False) -> Iterator[Table | str]:
    """Tables and lines, in order; ``wrap`` lets cells wrap, for narrow terminals."""
    if (said := words.withheld(found)) is not None:
        yield said
    yield _overview(found)
    for flag in found["flags"]:
        if not flag["withholds"]:
            yield f"flag: {flag['text']}"
    yield _differences(found, wrap)
    if remarks := words.remarks(found):
        yield "\n".join(remarks)
    if found["histograms"]:
        yield _histogram(found)
    yield _slow(found)
    yield _loops(found)
    for note in found["notes"]:
        yield f"note: {note}"


def _table(*columns: str, left: tuple[int, ...] = (0,), wrap: bool = False) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number in left else "right", no_wrap=not wrap)
    return table


def _overview(found: dict[str, Any]) -> str:
    lines = [f"{found['before']['label']} → {found['after']['label']}: {words.population(found)}"]
    lines += [f"{key}: {words.side(found, key)}" for key, _ in words.SIDES]
    if (said := words.changed(found)) is not None:
        lines.append(f"changed: {said}")
    return "\n".join(lines)


def _differences(found: dict[str, Any], wrap: bool) -> Table:
    percent = f"{100 * found['asked']['confidence']:g} %"
    table = _table(
        "", "before", "after", "change", f"{percent} interval", "verdict", "beyond", left=(0, 5), wrap=wrap
    )
    for row in found["differences"]:
        table.add_row(
            words.short_title(row),
            words.value(row["before"], row["unit"]),
            words.value(row["after"], row["unit"]),
            numbers.change(row["change"]),
            words.interval(row),
            row["verdict"],
            words.beyond(row),
        )
    return table


def _histogram(found: dict[str, Any]) -> Table:
    scale = next(one for one in found["histograms"] if one["scale"] == SCALE)
    table = _table("response time", "before", "after", "up to it, before", "after")
    for row in scale["bins"]:
        table.add_row(
            words.bin_name(row),
            *(numbers.percent(row[key]["share"]) for key, _ in words.SIDES),
            *(numbers.percent(row[key]["share_to"]) for key, _ in words.SIDES),
        )
    return table


def _slow(found: dict[str, Any]) -> str:
    limit = numbers.with_unit(found["asked"]["spike_ms"], "ms")
    over = found["over_threshold"]
    lines = [
        f"requests over {limit}: "
        + ", ".join(
            f"{key} {numbers.count(over[key]['requests'])} ({numbers.percent(over[key]['share'])})"
            for key, _ in words.SIDES
        )
    ]
    for view, shown in words.VIEWS.items():
        said = [f"{key} {_spikes(found, key, view)}" for key, _ in words.SIDES if found["spikes"][key]]
        if said:
            width = numbers.duration(found["over_time"]["width_s"])
            lines.append(f"spikes over {limit} {shown}, blocks of {width}: {'; '.join(said)}")
    return "\n".join(lines)


def _spikes(found: dict[str, Any], key: str, view: str) -> str:
    one = found["spikes"][key][view]
    if not one["blocks"]:
        return "not known: nothing tells it over time"
    if not one["spikes"]:
        return f"none of {numbers.count(one['blocks'])} blocks"
    return (
        f"{numbers.count(one['spikes'])} in {numbers.duration(one['seconds'])}, longest "
        f"{numbers.duration(one['longest_s'])}, greatest {numbers.with_unit(one['greatest_ms'], 'ms')}"
    )


def _loops(found: dict[str, Any]) -> str:
    lines = []
    for key, _ in words.SIDES:
        one = found["omission"][key]
        lines.append(f"{key}: {one['said']}")
        if one["modelled"] is not None:
            shown = one["modelled"]["corrected"]
            times = ", ".join(
                f"{name} {numbers.with_unit(shown[name], 'ms')}" for name in ("p50", "p99", "p99.9")
            )
            due = " and ".join(numbers.with_unit(value, "ms") for value in one["expected_interval_ms"])
            lines.append(
                f"  with {numbers.count(one['modelled']['added'])} requests that it kept back (modelled, "
                f"{one['modelled']['of']}; one was due every {due}): {times}"
            )
        elif one["waits"]:
            lines.append(f"  not corrected for requests that it kept back: {one['why_not']}")
    return "\n".join(lines)
