"""The page of ``iowatt trace profile``: a trace measured as a workload."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from iowatt.pages.description import requests, reuse, sentences, time
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table
from iowatt.render.headline import Headline
from iowatt.trace.description import Description, Descriptions

_SECTIONS: Sequence[tuple[str, str, Sequence[Callable[[Description], Figure | None]]]] = (
    ("time", "Over time", (time.rates, time.bandwidth, time.working_set, time.envelope)),
    ("arrivals", "Arrivals and bursts", (time.gaps, time.dispersion, time.hurst, time.laws)),
    (
        "requests",
        "Sizes, alignment, runs",
        (requests.sizes, requests.alignment, requests.runs, requests.run_figures, requests.jumps),
    ),
    (
        "reuse",
        "Footprint and reuse",
        (
            reuse.miss_ratio, reuse.distances, reuse.working_sets, reuse.footprint, reuse.shares,
            reuse.rewrites,
        ),
    ),
    ("space", "Where the I/O goes", (reuse.density, reuse.skew)),
    ("volumes", "Devices and streams", (requests.devices, requests.streams)),
)  # fmt: skip


def documents(traces: Descriptions) -> list[Document]:
    """The documents of several descriptions, for one page."""
    return [document(one, f"trace{number}") for number, one in enumerate(traces.traces, 1)]


def document(trace: Description, key: str = "trace1") -> Document:
    """The document of one description; ``key`` differs where a page has several."""
    sections = [
        Section(name, title, [figure for build in builders if (figure := build(trace)) is not None])
        for name, title, builders in _SECTIONS
    ]
    chart = next((one for section in sections for one in section.figures if one.spec is not None), None)
    return Document(
        key=key,
        kind="a trace as a workload",
        title="standard input" if trace.file == "<stdin>" else Path(trace.file).name,
        meta=_meta(trace),
        verdict=[_verdict(trace)],
        chart=chart,
        headlines=_headlines(trace),
        sections=[
            *(
                Section(section.key, section.title, [one for one in section.figures if one is not chart])
                for section in sections
            ),
            Section("summary", "In sentences", [_summary(trace)], folded=True),
        ],
        caveats=[
            *(Caveat(f"skipped: {text}", True) for text in trace.requests.first_bad),
            *(Caveat(note.text, note.decides) for note in trace.notes),
        ],
    )


def _meta(trace: Description) -> str:
    origin = f" from {trace.origin}" if trace.origin else ""
    span = numbers.duration(trace.span.duration_s)
    return f"{numbers.counted(trace.requests.count, 'request')} · {span}{origin} · format {trace.format}"


def _verdict(trace: Description) -> str:
    """The workload in a sentence: rate, mix, sequentiality, and what a cache can save."""
    rate = numbers.with_unit(trace.rate.iops, "IOPS") if trace.span.duration_s > 0 else "an unknown rate"
    runs, first = trace.sequential.runs, trace.reuse.first_touch
    return (
        f"{rate[0].upper()}{rate[1:]}, {numbers.percent(trace.requests.read_share)} reads; "
        f"{numbers.percent(runs.sequential_request_share)} of the requests are sequential, and "
        f"{numbers.percent(first.requests)} touch data for the first time, which no cache saves."
    )


def _summary(trace: Description) -> Figure:
    """A sentence for each aspect."""
    rows: list[list[Cell]] = [[label, text] for label, text in sentences.lines(trace)]
    table = Table([Column("", text=True), Column("Measured", text=True)], rows)
    return Figure("summary", "Summary", "Shares are of requests and of bytes.", table, wide=True, brief=True)


def _headlines(trace: Description) -> list[Headline]:
    """The most important figures."""
    rate, counts, moved = trace.rate, trace.requests, trace.bytes
    gaps, footprint, first = trace.inter_arrival, trace.footprint, trace.reuse.first_touch
    runs = trace.sequential.runs
    sizes = trace.sizes.all
    hottest = {point.hottest: point for point in trace.density.skew}[0.1]
    variation = None if gaps is None else gaps.cv
    known = trace.span.duration_s > 0
    kinds = {"read": trace.sizes.read, "write": trace.sizes.write}
    by_kind = " and ".join(
        f"{kind} {numbers.significant(part.mean / 1024)}" for kind, part in kinds.items() if part is not None
    )
    in_bytes = {
        name: f"of requests; {numbers.percent(share)} of bytes"
        for name, share in (("reads", moved.read_share), ("first", first.bytes), ("hot", hottest.byte_share))
    }
    read, written = (numbers.with_unit(size, "B") for size in (footprint.read_bytes, footprint.written_bytes))
    rate_text = f"{numbers.significant(rate.mib_per_s)} MiB/s" if known else "all requests have one stamp"
    return [
        Headline("rate", "Mean rate", rate.iops if known else None, "IOPS", rate_text),
        Headline("reads", "Reads", 100 * counts.read_share, "%", in_bytes["reads"]),
        Headline("size", "Mean size", None if sizes is None else sizes.mean / 1024, "KiB", by_kind),
        Headline(
            "variation", "Variation of gaps", variation, "CV", "standard deviation over mean; 1 for Poisson"
        ),
        Headline("footprint", "Footprint", footprint.total_bytes, "B", f"{read} read, {written} written"),
        Headline(
            "sequential", "Sequential", 100 * runs.sequential_request_share, "%",
            f"of requests continue a run; {numbers.percent(runs.sequential_byte_share)} of bytes",
        ),
        Headline(
            "first-touch", "First touches", 100 * first.requests, "%",
            f"{in_bytes['first']}: no cache saves them",
        ),
        Headline(
            "skew", "On the hottest 10 %", 100 * hottest.request_share, "%",
            f"{in_bytes['hot']}, by extents touched",
        ),
    ]  # fmt: skip
