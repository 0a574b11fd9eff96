"""The page of ``iowatt compare``: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from iowatt.pages.compare import differences, loops, over_time, spread, words
from iowatt.pages.compare.words import Found
from iowatt.render import html, numbers, page_file
from iowatt.render.headline import Headline

if TYPE_CHECKING:
    from iowatt.render.figure import Figure

#: Figures that a reader wants first, where both sides have them.
FIRST = ("mean", "p50", "p99", "p99.9", "over_threshold", "iops", "power_w", "joules_per_request")


def check_target(target: Path, force: bool) -> None:
    """Raise ``InputError`` where the page cannot be written; before any work is done."""
    page_file.check_target(target, force, "the page of a comparison")


def write(found: Found, target: Path, *, force: bool = False) -> None:
    """Write the page; never half."""
    check_target(target, force)
    page_file.write(render(found), target)


def render(found: Found) -> str:
    """The page of what :func:`iowatt.lenses.compare.analyse.analyse` found."""
    sections = [(key, title, figures) for key, title, figures in _sections(found) if figures]
    title = f"{found['before']['label']} → {found['after']['label']}"
    both = " · ".join(f"{key}: {words.side(found, key)}" for key, _ in words.SIDES)
    meta = f"{words.population(found)} · {both}"
    said = words.withheld(found)
    first = [_sentence(flag["text"]) for flag in found["flags"] if not flag["withholds"]]
    first = first if said is None else [said, *first]
    notes = [*loops.notes(found), *found["notes"]]
    part = page_file.Part(
        "compare", title, meta, headlines(found), sections, [_sentence(note) for note in notes], first
    )
    figures = {f"compare-{figure.key}": figure for _, _, drawn in sections for figure in drawn}
    return html.render_page("description.html", figures, brand="comparison", title=title, parts=[part])


def _sections(found: Found) -> Sequence[tuple[str, str, Sequence[Figure]]]:
    def there(*given: Figure | None) -> list[Figure]:
        return [figure for figure in given if figure is not None]

    return (
        ("verdict", "What changed", there(differences.table(found), differences.intervals(found))),
        (
            "spread",
            "How response times are spread",
            [
                *there(*spread.histograms(found)[:1], spread.distribution(found), spread.tail(found)),
                *there(spread.percentiles(found), spread.directions(found)),
                *spread.histograms(found)[1:],
            ],
        ),
        (
            "time",
            "Over time",
            [*over_time.courses(found), *there(over_time.summary(found), over_time.spikes(found))],
        ),
        ("loops", "What the loop left out", there(loops.corrected(found))),
        ("sides", "The Runs", there(differences.changed(found), differences.runs(found))),
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def headlines(found: Found) -> list[Headline]:
    """The figures that a reader wants first: after, with what it was before and the verdict."""
    rows = {row["metric"]: row for row in found["differences"]}
    shown = []
    for key in FIRST:
        row = rows.get(key)
        if row is None:
            continue
        change = numbers.change(row["change"])
        was = words.value(row["before"], row["unit"])
        shown.append(
            Headline(
                key,
                row["title"],
                row["after"],
                row["unit"],
                f"before {was}{f', {change}' if change else ''}: {row['verdict']}",
            )
        )
    return shown
