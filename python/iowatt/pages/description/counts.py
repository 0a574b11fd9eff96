"""The counts of one trace as a document (``iowatt trace info``)."""

from __future__ import annotations

from pathlib import Path

from iowatt.pages.description.sentences import Line, besides, percent, size, time
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table
from iowatt.trace.result import (
    ByteCounts,
    CountedFootprint,
    InSequence,
    Ranking,
    RequestCounts,
    SizeSpread,
    StampOrder,
    TraceInfo,
    ValueSpread,
)

# Sizes and names are shown up to this many; the JSON has more.
_SHOWN = 5


def counted(info: TraceInfo, key: str = "trace") -> Document:
    """The document of one trace's counts."""
    rows: list[list[Cell]] = [[label, text] for label, text in lines(info)]
    table = Table([Column("", text=True), Column("Counted", text=True)], rows)
    requests = info.requests
    caveats = [
        *(Caveat(f"skipped: {text}", True) for text in requests.first_bad),
        *(Caveat(note.text, note.decides) for note in (*info.warnings, *info.notes)),
    ]
    share = percent(requests.read_share)
    load = "" if info.untimed else f", {_number(info.rate.iops)} per second over {time(info.span.duration_s)}"
    return Document(
        key=key,
        kind="trace",
        title="standard input" if info.file == "<stdin>" else Path(info.file).name,
        meta=f"format {info.format}{' (detected)' if info.detected else ''}",
        verdict=[
            f"{numbers.counted(requests.count, 'request')}, {share} reads{load}; footprint "
            f"{size(info.footprint.total_bytes)} of {size(info.max_offset_bytes)}."
        ],
        sections=[
            Section(
                "counts", "Counts", [Figure("counts", "Counts", "One pass.", table, brief=True, wide=True)]
            )
        ],
        caveats=caveats,
    )


def lines(info: TraceInfo) -> list[Line]:
    """The statistics of one trace: labels and sentences."""
    requests, order, sequential = info.requests, info.order, info.sequential
    shown = [("requests", _counted(requests)), *_over_time(info), ("bytes", _moved(info.bytes))]
    for kind, sizes in (("read", info.sizes.read), ("write", info.sizes.write)):
        if sizes is not None:
            shown.append((f"{kind} size", _sizes(sizes)))
    shown += [
        (
            "common sizes",
            ", ".join(f"{size(s.bytes)} {percent(s.share)}" for s in info.sizes.commonest[:_SHOWN]),
        ),
        ("footprint", _footprint(info.footprint)),
        (
            "highest byte",
            f"{info.max_offset_bytes:,} ({size(info.max_offset_bytes)}): the least size of the volume",
        ),
        ("sequential", _sequential(sequential)),
    ]
    if info.inter_arrival_s is not None and not info.untimed:
        shown.append(("inter-arrival", _gaps(info.inter_arrival_s)))
    if not info.untimed:
        shown.append(("order", _order(order)))
    if info.response_ms is not None:
        shown.append(("response time", _responses(info.response_ms)))
    for kind, ranking in (("devices", info.devices), ("streams", info.streams)):
        if ranking.count:
            shown.append((kind, _ranking(ranking)))
    return shown


def _over_time(info: TraceInfo) -> list[Line]:
    if info.untimed:
        return [("span", "no times are recorded, only an order")]
    rate = info.rate
    return [
        ("span", _span(info)),
        ("rate", f"{_number(rate.iops)} per second, {_number(rate.mib_per_s)} MiB/s"),
    ]


def _order(order: StampOrder) -> str:
    return (
        f"{order.reordered:,} out of order ({percent(order.reordered_share)}), "
        f"{order.equal_stamps:,} with an equal stamp ({percent(order.equal_share)}), "
        f"stamps in steps of {time(order.stamp_resolution_ns / 1e9)}"
    )


def _counted(requests: RequestCounts) -> str:
    text = (
        f"{requests.count:,}: {requests.reads:,} reads ({percent(requests.read_share)}), "
        f"{requests.writes:,} writes ({percent(1 - requests.read_share)})"
    )
    return text + besides(requests)


def _span(info: TraceInfo) -> str:
    span = info.span
    text = f"{time(span.duration_s)}, from {span.first_s:,.6f} s to {span.last_s:,.6f} s"
    return f"{text} after {info.origin}" if info.origin else text


def _moved(moved: ByteCounts) -> str:
    return f"{size(moved.read)} read ({percent(moved.read_share)}), {size(moved.written)} written"


def _sizes(sizes: SizeSpread) -> str:
    figures = ", ".join(f"{name} {size(getattr(sizes, name))}" for name in ("min", "p50", "p90", "max"))
    return f"mean {sizes.mean:,.1f} B, {figures}"


def _footprint(footprint: CountedFootprint) -> str:
    text = (
        f"{size(footprint.total_bytes)} ({size(footprint.read_bytes)} read, "
        f"{size(footprint.written_bytes)} written) in blocks of {size(footprint.block_bytes)}"
    )
    return text if footprint.exact else f"about {text}, from one region in {footprint.sampled_one_in}"


def _sequential(sequential: InSequence) -> str:
    text = f"{percent(sequential.share)} of requests start where the one before ended"
    within = sequential.share_in_streams
    return text if within is None else f"{text}, {percent(within)} where the same stream's ended"


def _gaps(gaps: ValueSpread) -> str:
    text = ", ".join(f"{name} {time(getattr(gaps, name))}" for name in ("mean", "p50", "p99", "max"))
    return text if gaps.cv is None else f"{text}, coefficient of variation {gaps.cv:.3g}"


def _responses(response: ValueSpread) -> str:
    text = ", ".join(
        f"{name} {time(getattr(response, name) / 1e3)}" for name in ("mean", "p50", "p99", "max")
    )
    return f"{text} (recorded for {response.count:,} requests)"


def _ranking(ranking: Ranking) -> str:
    top = ranking.top[:_SHOWN]
    text = ", ".join(f"{name.name} {percent(name.share)}" for name in top)
    rest = ranking.count - len(top)
    return f"{ranking.count:,}: {text}" + (f", {rest:,} more" if rest else "")


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
