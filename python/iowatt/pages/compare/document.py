"""What ``iowatt compare`` shows: what a change made better or worse, and what that rests on."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.lenses.compare.result import BeforeAfter
from iowatt.pages.compare import differences, loops, over_time, spread, words
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Figure
from iowatt.render.headline import Headline

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
            Section(
                "loops", "What the loop left out", _drawn(loops.corrected(found)), loops.sentences(found)
            ),
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
            f"before {was}{f', {change}' if change else ''}: {row.verdict}",
        )
