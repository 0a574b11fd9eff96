"""The page of ``iowatt cost``: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iowatt.pages.cost import assumed, deciding, drives, footprint, hours, over_time, totals, words
from iowatt.render import html, numbers, page_file
from iowatt.render.headline import Headline

if TYPE_CHECKING:
    from iowatt.render.figure import Figure

Found = dict[str, Any]

#: Systems that have a tile of their own.
_TILES = 8


def check_target(target: Path, force: bool) -> None:
    """Raise ``InputError`` where the page cannot be written; before any work is done."""
    page_file.check_target(target, force, "the page of costs")


def write(found: Found, target: Path, *, force: bool = False) -> None:
    """Write the page; never half."""
    check_target(target, force)
    page_file.write(render(found), target)


def render(found: Found) -> str:
    """The page of what :func:`iowatt.lenses.cost.analyse.analyse` found (``iowatt.cost/1``)."""
    found = words.clean(found)
    several = len(found["systems"]) > 1
    every: list[tuple[str, str, Sequence[Figure | None]]] = [
        (
            "costs",
            "What it costs",
            [totals.groups(found), totals.other(found) if several else None, deciding.totals(found)],
        ),
        ("time", "When it is due", [over_time.cumulative(found), *over_time.bills(found)]),
        (
            "deciding",
            "What decides",
            [*deciding.crossovers(found), *deciding.tornados(found), deciding.differences(found)],
        ),
        ("year", "The year", hours.figures(found)),
        ("drives", "Drives", [drives.wear(found), drives.spin_down(found)]),
        ("carbon", "Carbon and views", [footprint.carbon(found), totals.views(found)]),
        ("basis", "What it rests on", [totals.components(found), assumed.assumptions(found)]),
    ]
    sections = [
        (key, title, drawn)
        for key, title, given in every
        if (drawn := [figure for figure in given if figure is not None])
    ]
    meta = " · ".join(
        [found["horizon"]["said"], f"from {found['start']}", words.basis(found), *words.rests(found)]
    )
    names = words.labels(found)
    title = " and ".join(names) if len(names) < 3 else f"{names[0]} and {len(names) - 1} others"
    first = [*words.verdict(found), *(f"{text}." for text in words.cautions(found))]
    part = page_file.Part("cost", title, meta, headlines(found), sections, words.notes(found), first)
    by_id = {f"cost-{figure.key}": figure for _, _, given in sections for figure in given}
    return html.render_page("description.html", by_id, brand="cost", title=title, parts=[part])


def headlines(found: Found) -> list[Headline]:
    """The total of each system, against the first candidate, with its range."""
    spread = found["uncertainty"]
    made = []
    for at, (name, system, share) in enumerate(
        zip(words.labels(found), found["systems"], words.against(found), strict=True)
    ):
        drawn = None if spread is None else words.of_system(spread["systems"], system, "name")
        why = words.no_candidate(found, system)
        said = [f"no candidate: {why}"] if why else []
        if system["usd"] is None:
            said.append("not known: a drive has no price")
        if share is not None:
            said.append(f"{words.change(share)} against {found['choice']['baseline']}")
        if system["usd_per_usable_tb"] is not None and not words.withheld(found, system):
            said.append(
                f"{words.dollars(system['usd_per_usable_tb'])} USD a usable TB ({words.usable(system)})"
            )
        ends = None if drawn is None else drawn["quantiles"]
        # Where values stand at the ends of their ranges, so does the total: the table of ranges has it then.
        if ends is not None and ends["p5"] <= system["usd"] <= ends["p95"]:
            said.append(f"5 to 95\u00a0%: {words.dollars(ends['p5'])} to {words.dollars(ends['p95'])} USD")
        said.append(words.years(system["years"]))
        times = {title: system["work"][key] for title, key in words.RESPONSES.items()}
        shown = [f"{title} {numbers.with_unit(ms, 'ms')}" for title, ms in times.items() if ms is not None]
        if shown:
            said.append(f"response time {', '.join(shown)}")
        total = None if words.withheld(found, system) else system["usd"]
        made.append(Headline(f"total-{at}", name, total, "USD", "; ".join(said)))
    return made[:_TILES]
