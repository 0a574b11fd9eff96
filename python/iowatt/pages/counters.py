"""What ``iowatt trace counters`` shows: each device of a log, and the profile that was written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from iowatt.base.units import format_bytes, format_duration
from iowatt.counters.summary import CountersSummary, DeviceCounters, DeviceService
from iowatt.render import numbers, plot
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, text_columns

_COLUMNS: Final = [
    Column("Device", text=True), Column("IOPS"), Column("Peak", rank=2), Column("Reads", text=True),
    Column("MiB/s"), Column("Mean size", text=True), Column("Mean wait", text=True, rank=1),
    Column("Queue", rank=1), Column("Busy", text=True), Column("Merged r/w", text=True, rank=2),
]  # fmt: skip


def document(found: CountersSummary, devices: list[str]) -> Document:
    """The document of a log; details of ``devices``, or of the only one that did anything."""
    busy = found.busy
    detailed = [
        one for one in busy if isinstance(one, DeviceCounters) and (one.device in devices or len(busy) == 1)
    ]
    sections = []
    if busy:
        caption = "Means over the log. *: not counted, by the share of the bytes or as given."
        table = Table(_COLUMNS, [_row(one) for one in busy])
        figure = Figure("devices", "Devices", caption, table, brief=True)
        sections.append(Section("devices", "Devices", [figure], list(_profile(found))))
    for one in detailed:
        rows: list[list[Cell]] = [[name, value] for name, value in _details(one)]
        table = Table(text_columns("Figure", "Value"), rows)
        figures = [Figure("details", _name(one), "Means over the log.", table, brief=True)]
        sections.append(Section("details", _name(one), figures))
    idle = len(found.devices) - len(busy)
    verdict = [] if busy else ["No device read or wrote anything."]
    if busy and idle:
        verdict.append(f"{numbers.counted(idle, 'more device')} made no request.")
    verdict += [f"{_name(one)} is burstier than Poisson arrivals." for one in detailed if one.bursty]
    return Document(
        key="counters",
        kind="log of counters",
        title=found.format,
        meta=_extent(found),
        verdict=verdict,
        chart=_chart(detailed[0]) if detailed and len(detailed[0].over_time) > 1 else None,
        sections=sections,
        caveats=[
            *(Caveat(f"{_name(one)}: {one.lacking}", True) for one in busy if one.lacking),
            *(Caveat(note.text, note.decides) for note in found.notes),
            *(Caveat(note.text, note.decides) for note in (found.profile.notes if found.profile else ())),
        ],
    )


def _extent(found: CountersSummary) -> str:
    if found.seconds is None or found.interval_seconds is None:
        return f"{found.intervals} intervals of unknown length (--interval)"
    each = format_duration(found.interval_seconds)
    return f"{found.intervals} intervals of {each}, {format_duration(found.seconds)} in all"


def _profile(found: CountersSummary) -> Iterator[str]:
    profile = found.profile
    if profile is not None:
        yield f"{profile.path}: profile {profile.name} of {', '.join(profile.devices)}"
        yield from (f"assumed: {assumption}" for assumption in profile.assumptions)
        yield f"next: iowatt trace generate {profile.path} --duration {profile.seconds:.9g}s"


def _row(one: DeviceCounters | DeviceService) -> list[Cell]:
    if not isinstance(one, DeviceCounters):
        return [_name(one), *[None] * 6, one.mean_queue, _percent(one.utilisation), numbers.NO_VALUE]
    estimated = "*" if one.read_share_from in ("bytes", "given") else ""
    moved = None if one.bytes_per_second is None else one.bytes_per_second / (1 << 20)
    return [
        _name(one), one.iops, one.peak_iops, _percent(one.read_share) + estimated, moved,
        _size(one.mean_bytes), _time(one.mean_wait), one.mean_queue, _percent(one.utilisation),
        f"{_percent(one.read_merged_share)}/{_percent(one.write_merged_share)}",
    ]  # fmt: skip


def _details(one: DeviceCounters) -> Iterator[tuple[str, str]]:
    if one.mean_read_bytes is not None or one.mean_write_bytes is not None:
        yield "mean size", f"reads {_size(one.mean_read_bytes)}, writes {_size(one.mean_write_bytes)}"
        yield "bytes read", _percent(one.read_share_bytes)
    if one.mean_read_wait is not None and one.mean_write_wait is not None:
        yield "mean wait", f"reads {_time(one.mean_read_wait)}, writes {_time(one.mean_write_wait)}"
    if one.queue_while_busy is not None:
        yield "requests in the busy device", f"{_plain(one.queue_while_busy)} (one at a time: 1)"
        yield "peaks", f"queue {_plain(one.peak_queue)}, busy {_percent(one.peak_utilisation)}"
    for name, rate in (("discards", one.discards_per_second), ("flushes", one.flushes_per_second)):
        if rate:
            yield name, f"{_plain(rate)}/s"
    if one.dispersion is not None:
        limit = _plain(one.dispersion_limit)
        yield (
            "index of dispersion",
            f"{_plain(one.dispersion)} (Poisson arrivals: 1, by chance up to {limit})",
        )


def _chart(one: DeviceCounters) -> Figure:
    ends, rates = [part.end_seconds for part in one.over_time], [part.iops for part in one.over_time]
    columns = [Column("End", "s"), Column("IOPS"), Column("Reads", "IOPS"), Column("Writes", "IOPS")]
    rows: list[list[Cell]] = [
        [part.end_seconds, part.iops, part.read_iops, part.write_iops] for part in one.over_time
    ]
    spec = plot.spec(
        [plot.line(ends, rates, name=_name(one), hover="%{y:.4g} IOPS until %{x:.4g} s", shape="vh")],
        layout(axis("Time (s)"), axis("Requests per second", rangemode="tozero")),
    )
    return Figure("over-time", "Requests over time", f"Of {_name(one)}.", Table(columns, rows), spec)


def _name(one: DeviceService) -> str:
    return "".join(c if c.isprintable() else "?" for c in one.device)


def _plain(value: float | None) -> str:
    return numbers.NO_VALUE if value is None else numbers.significant(value)


def _percent(share: float | None) -> str:
    return numbers.NO_VALUE if share is None else f"{100 * share:.3g} %"


def _size(value: float | None) -> str:
    return numbers.NO_VALUE if value is None else format_bytes(round(value), binary=True)


def _time(seconds: float | None) -> str:
    return numbers.NO_VALUE if seconds is None else format_duration(seconds)
