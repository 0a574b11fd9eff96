"""What ``iowatt devices validate`` shows of disks: measured traces against simulated ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from iowatt.evaluate.validation import (
    SCHEDULER,
    ComparedResponses,
    Times,
    TimesComparison,
    Validation,
    quantiles,
)
from iowatt.render import numbers, palette, plot
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain
from iowatt.render.headline import Headline

METHOD: Final = (
    "One request outstanding, issued a think time after the completion of the one before it. Where arrivals "
    f"are open: at the recorded times, into a queue in front of the drive ({SCHEDULER}); the services also "
    "one at a time, in the order of their recorded starts. Error and demerit in percent are of the measured "
    "mean. Demerit: root mean square of the differences of 10,000 quantiles. RMSE: of the differences "
    "request by request."
)
_SHARES = np.concatenate([np.arange(0.5, 99, 0.5), np.arange(99, 99.95, 0.1), [99.95, 99.99]]) / 100
_PERCENTILES: Final = ("p50", "p90", "p95", "p99", "max")


def document(found: Sequence[Validation]) -> Document:
    """The document of one or several validations."""
    overview = _overview(found)
    curves = [figure for validation in found for figure in _curves(validation)]
    chart, others = (_errors(found), curves) if len(found) > 1 else (curves[0], curves[1:])
    return Document(
        key="validation",
        kind="validation",
        title="The disk model against real drives" if len(found) > 1 else found[0].title,
        meta=f"{numbers.counted(len(found), 'trace')} replayed",
        verdict=[_verdict(found)],
        chart=chart,
        headlines=[_headline(validation) for validation in found],
        sections=[
            Section("overview", "Means and distances", [overview]),
            Section("percentiles", "Percentiles", [_percentiles(found)]),
            Section("distributions", "Distributions", others, folded=len(found) > 1),
        ],
        caveats=list(_caveats(found)),
        provenance=[("method", METHOD)],
    )


def kinds(validation: Validation) -> list[tuple[str, TimesComparison]]:
    """The comparisons of a validation by the names that tables give them; all response times first."""
    service = validation.service
    named = [("all", validation.every), ("reads", validation.reads), ("writes", validation.writes)]
    if service is not None:
        named += [
            ("service", service.every),
            ("service of reads", service.reads),
            ("service of writes", service.writes),
        ]
    return [(name, part) for name, part in named if part is not None]


def _verdict(found: Sequence[Validation]) -> str:
    worst = max(found, key=lambda one: abs(one.every.mean_error))
    error = numbers.percent(abs(worst.every.mean_error))
    if len(found) > 1:
        furthest = max(found, key=lambda one: one.every.demerit_fraction)
        return (
            f"Simulated mean response times are within {error} of the measured ones (worst: {worst.title}); "
            f"the largest demerit is {numbers.percent(furthest.every.demerit_fraction)} of the mean "
            f"({furthest.title})."
        )
    every = worst.every
    way = "above" if every.mean_error > 0 else "below"
    simulated, measured = (
        numbers.with_unit(mean, "ms", 4) for mean in (every.simulated_mean_ms, every.measured_mean_ms)
    )
    return (
        f"The simulated mean response time is {simulated}, {error} {way} the measured {measured}; the "
        f"demerit is {numbers.percent(every.demerit_fraction)} of the mean."
    )


def _headline(validation: Validation) -> Headline:
    every = validation.every
    demerit = f"demerit {numbers.percent(every.demerit_fraction)} of the measured mean"
    return Headline(validation.key, f"{validation.title}: error", 100 * every.mean_error, "%", demerit)


def _caveats(found: Sequence[Validation]) -> Iterator[Caveat]:
    """Notes, with the drive's name where there are several; those of the drive's file have it already."""
    for validation in found:
        name = f"{validation.title}: " if len(found) > 1 else ""
        for note in validation.notes:
            yield Caveat(note.text if note.code == "drive" else f"{name}{note.text}", note.decides)
        if validation.case.disksim_note is not None:
            yield Caveat(f"{name}{validation.case.disksim_note}")


def _overview(found: Sequence[Validation]) -> Figure:
    """A row for all requests, reads and writes; the same of services where these were compared."""
    columns = [
        Column("Drive", text=True), Column("Requests", text=True), Column("Number", rank=4),
        Column("Measured", "ms", rank=1), Column("Simulated", "ms", rank=1), Column("Error", "%"),
        Column("Demerit", "ms", rank=3), Column("Demerit", "%"), Column("RMSE", "ms", rank=2),
        Column("DiskSim: error", "%", rank=4), Column("DiskSim: demerit", "ms", rank=5),
        Column("DiskSim: RMSE", "ms", rank=5),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for validation in found:
        theirs = validation.disksim
        for kind, part in kinds(validation):
            beside: list[Cell] = [None, None, None]
            if theirs is not None and kind == "all":
                beside = [100 * theirs.mean_error, theirs.demerit_ms, theirs.paired_rmse_ms]
            rows.append(
                [
                    validation.key, kind, part.requests, part.measured_mean_ms, part.simulated_mean_ms,
                    100 * part.mean_error, part.demerit_ms, 100 * part.demerit_fraction,
                    part.paired_rmse_ms, *beside,
                ]
            )  # fmt: skip
    return Figure(
        "overview",
        "Measured and simulated means",
        "Error and demerit in percent are of the measured mean. DiskSim's figures are of the same trace.",
        Table(columns, rows),
        wide=True,
        brief=True,
    )


def _percentiles(found: Sequence[Validation]) -> Figure:
    rows: list[list[Cell]] = []
    for validation in found:
        for kind, part in kinds(validation):
            if kind in ("all", "service"):
                for who, shares in (
                    ("measured", part.measured_percentiles),
                    ("simulated", part.simulated_percentiles),
                ):
                    rows.append([validation.key, kind, who, *(shares[share] for share in _PERCENTILES)])
    columns = [Column(name, text=True) for name in ("Drive", "Times", "")]
    columns += [Column(share, "ms") for share in _PERCENTILES]
    caption = "Response times of all requests, and service times where these were compared."
    return Figure("percentiles", "Percentiles", caption, Table(columns, rows), wide=True, brief=True)


def _errors(found: Sequence[Validation]) -> Figure:
    """The error of each mean, and DiskSim's."""
    rows: list[list[Cell]] = [
        [
            plain(one.title), 100 * one.every.mean_error,
            None if one.disksim is None else 100 * one.disksim.mean_error,
        ]
        for one in found
    ]  # fmt: skip
    table = Table([Column("Drive", text=True), Column("iowatt", "%"), Column("DiskSim 4.0", "%")], rows)
    data = [
        plot.bar(
            table.column(name), table.column("Drive"), name=name, colour=colour,
            hover="%{y}: %{x:.3~r} %<extra>%{fullData.name}</extra>", orientation="h",
        )
        for name, colour in (("iowatt", palette.RUNS[0]), ("DiskSim 4.0", palette.STATE_COLOURS["idle"]))
    ]  # fmt: skip
    drawn = layout(
        axis("Error of the mean response time (%)"),
        axis("", autorange="reversed", type="category"),
        barmode="group",
        height=120 + 40 * len(found),
    )
    caption = "Simulated over measured mean, less one. DiskSim's figures are of the same trace."
    return Figure("errors", "Error of the mean", caption, table, plot.spec(data, drawn), wide=True)


def _curves(validation: Validation) -> Iterator[Figure]:
    """Shares of requests that finished within a time; of services too, where these were compared."""
    yield _distribution(
        validation,
        f"distribution-{validation.key}",
        f"{validation.title}: response times",
        "Share of requests that finished within a response time.",
        "Response time",
        # Queueing stretches a few responses far beyond the others.
        stretched=validation.service is not None,
    )
    if validation.service is not None:
        yield _distribution(
            validation.service,
            f"services-{validation.key}",
            f"{validation.title}: service times",
            "Share of requests that the drive served within a time, one at a time, without the queue.",
            "Service time",
        )


def _distribution(
    found: ComparedResponses, key: str, title: str, caption: str, what: str, *, stretched: bool = False
) -> Figure:
    rows: list[list[Cell]] = []
    data = []
    write = found.write
    for way, mask, colour in (("Reads", ~write, palette.READ), ("Writes", write, palette.WRITE)):
        if not mask.any():
            continue
        for who, times, dash in (
            ("measured", found.measured_ms, "solid"),
            ("simulated", found.simulated_ms, "dot"),
        ):
            line = _line(times[mask])
            name = f"{way}, {who}"
            rows += [[name, ms, share] for ms, share in line]
            data.append(
                plot.line(
                    [ms for ms, _ in line], [share for _, share in line], name=plain(name), colour=colour,
                    dash=dash, width=2, hover="%{x:,.4~r} ms: %{y:.4~r} %<extra>%{fullData.name}</extra>",
                )
            )  # fmt: skip
    x = axis(f"{what} (ms)", **({"type": "log"} if stretched else {}))
    y = axis("Finished within (%)", range=[0, 101])
    columns = [Column("Requests", text=True), Column(f"{what} up to", "ms"), Column("Finished within", "%")]
    return Figure(
        key,
        title,
        f"{caption} The demerit is the root mean square of the "
        "horizontal distance between the measured and the simulated line of all requests.",
        Table(columns, rows),
        plot.chart(data, x, y, showlegend=True),
        wide=True,
    )


def _line(times: Times) -> list[tuple[float, float]]:
    found = quantiles(times, _SHARES)
    return [(float(ms), float(100 * share)) for ms, share in zip(found, _SHARES, strict=True)]
