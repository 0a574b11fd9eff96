"""What ``iowatt compare`` shows: what a change made better or worse, and what that rests on."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.lenses.compare.result import BeforeAfter, Omission
from iowatt.pages.compare import differences, over_time, spread, words
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table
from iowatt.render.headline import Headline
from iowatt.render.phrases import listed

FIRST = ("mean", "p50", "p99", "p99.9", "over_threshold", "iops", "power_w", "joules_per_request")
"""Figures that a reader wants first, where both sides have them."""


def document(found: BeforeAfter) -> Document:
    """The document of a comparison."""
    by_scale = spread.histograms(found)
    intervals = differences.intervals(found)
    both = " · ".join(f"{key}: {words.side(found, key)}" for key, _ in words.SIDES)
    changed = words.changed(found)
    return Document(
        key="compare",
        kind="comparison",
        title=f"{found.before.label} → {found.after.label}",
        meta=f"{words.population(found)} · {both}",
        verdict=list(words.verdict(found)),
        chart=intervals or next(iter(by_scale), None),
        headlines=list(_headlines(found)),
        sections=[
            Section("figures", "What changed", [differences.table(found)], words.remarks(found)),
            Section(
                "spread",
                "Response times",
                _drawn(
                    *(by_scale[:1] if intervals else []),
                    spread.distribution(found),
                    spread.tail(found),
                    spread.percentiles(found),
                    spread.directions(found),
                ),
            ),
            Section(
                "time",
                "Over time",
                [*over_time.courses(found), *_drawn(over_time.summary(found), over_time.spikes(found))],
                over_time.sentences(found),
            ),
            Section("loops", "What the loop left out", _drawn(corrected(found)), loop_sentences(found)),
            Section(
                "sides",
                "The Runs",
                _drawn(differences.changed(found), differences.runs(found)),
                [f"Changed: {changed}."] if changed else [],
            ),
            Section("scales", "Other histograms", by_scale[1:], folded=True),
        ],
        caveats=[Caveat(note.text, note.decides) for note in found.notes],
    )


def _drawn(*figures: Figure | None) -> list[Figure]:
    return [figure for figure in figures if figure is not None]


def _headlines(found: BeforeAfter) -> Iterator[Headline]:
    """Figures after, with what they were before and the verdict."""
    rows = {row.metric: row for row in found.differences}
    for key in FIRST:
        row = rows.get(key)
        if row is None:
            continue
        change = numbers.change(row.change)
        was = words.value(row.before, row.unit)
        yield Headline(
            key,
            row.title,
            row.after,
            row.unit,
            f"before {was}{f', {change}' if change else ''}: "
            f"{words.shown_verdict(row.verdict, found)}"
            f"{f' – {doubt}' if (doubt := words.tail_doubt(found, key)) else ''}",
        )


def corrected(found: BeforeAfter) -> Figure | None:
    """Observed and corrected percentiles of the sides that could be corrected."""
    sides = [(title, found.omission.of(key)) for key, title in words.SIDES]
    shown = [(title, one, one.modelled) for title, one in sides if one.modelled is not None]
    if not shown:
        return None
    columns = [Column("Percentile", text=True)]
    for title, _, _ in shown:
        columns += [Column(f"{title}, observed", "ms"), Column(f"{title}, modelled", "ms")]
    rows: list[list[Cell]] = [
        [name, *(value for _, _, one in shown for value in (one.observed[name], one.corrected[name]))]
        for name in shown[0][2].observed
    ]
    remarks = [
        f"{title}: {numbers.count(modelled.added)} requests added to {numbers.count(modelled.requests)}; "
        f"expected interval {_intervals(one)} ({one.interval_from})."
        for title, one, modelled in shown
    ]
    return Figure(
        "omission",
        "What the loop left out",
        "A driver that waits for a completion sends nothing meanwhile. Modelled: a response of several "
        "expected intervals stands for the requests that it kept back, which would have waited an interval "
        "less each, down to one. All requests, at the host.",
        Table(columns, rows),
        remarks=remarks,
    )


def loop_sentences(found: BeforeAfter) -> list[str]:
    """How requests came on both sides, and percentiles with what their loop kept back."""
    texts = []
    for key, title in words.SIDES:
        one = found.omission.of(key)
        text = f"{title}: {one.said}."
        if one.modelled is not None:
            times = ", ".join(
                f"{name} {numbers.with_unit(one.modelled.corrected[name], 'ms')}"
                for name in ("p50", "p99", "p99.9")
            )
            text += (
                f" With {numbers.counted(one.modelled.added, 'request')} that it kept back (modelled, "
                f"{one.modelled.of}; one was due every {_intervals(one)}): {times}."
            )
        elif one.waits:
            text += f" Not corrected for requests that it kept back: {one.why_not}."
        texts.append(text)
    return texts


def _intervals(one: Omission) -> str:
    return listed([numbers.with_unit(value, "ms") for value in one.expected_interval_ms])
