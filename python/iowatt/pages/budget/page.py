"""The page of ``iowatt budget``: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from iowatt.pages.budget import figures, words
from iowatt.render import html, numbers, page_file
from iowatt.render.figure import Figure
from iowatt.render.headline import Headline

Found = dict[str, Any]


def check_target(target: Path, force: bool) -> None:
    """Raise ``InputError`` where the page cannot be written; before any work is done."""
    page_file.check_target(target, force, "the page of a latency budget")


def write(found: Found, target: Path, *, force: bool = False) -> None:
    """Write the page; never half."""
    check_target(target, force)
    page_file.write(render(found), target)


def render(found: Found) -> str:
    """The page of what :func:`iowatt.lenses.budget.analyse` found."""
    every: list[tuple[str, str, Sequence[Figure]]] = [
        ("load", "Over load", figures.over_load(found)),
        ("hops", "Hop by hop", figures.bars(found)),
        ("bands", "Fast and slow requests", figures.bands(found)),
        ("against", "Against the service level", figures.against(found)),
    ]
    sections = [(key, title, drawn) for key, title, drawn in every if drawn]
    loads = max(len(one["loads"]) for one in found["classes"])
    level = found["level"]
    held = f" · {level['of']} within {numbers.with_unit(level['within_ms'], 'ms')}" if level else ""
    meta = f"{'modelled' if found['modelled'] else 'measured'} · {_loads(loads)}{held}"
    part = page_file.Part("budget", found["name"], meta, headlines(found), sections, _notes(found))
    by_id = {f"budget-{figure.key}": figure for _, _, given in sections for figure in given}
    return html.render_page(
        "description.html", by_id, brand="latency budget", title=found["name"], parts=[part]
    )


def _loads(count: int) -> str:
    return "one load" if count == 1 else f"{count} loads"


def _notes(found: Found) -> list[str]:
    said = []
    if found["level"] is not None:
        said += [line for one in found["classes"] for line in words.against(one, found)]
    return [*said, *words.findings(found), *found["notes"]]


def headlines(found: Found) -> list[Headline]:
    """Mean response time of each class, and where it goes."""
    shown = []
    for number, one in enumerate(found["classes"]):
        load = figures.told(one)
        first = words.largest(load, 1)
        most = f"{first[0]['hop']} {numbers.percent(first[0]['share'])}" if first else ""
        p99 = numbers.with_unit(load["response_ms"]["p99"], "ms")
        name = figures.title(one, found)
        mean = load["response_ms"]["mean"]
        shown.append(Headline(f"mean-{number}", f"{name}: mean", mean, "ms", f"p99 {p99}; most at {most}"))
    return shown
