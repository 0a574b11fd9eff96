"""The page of ``iowatt idle``: one HTML file that needs nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from iowatt.pages.idle import lengths, savings, succession
from iowatt.pages.idle.words import LAWS, drives_line
from iowatt.render import html, numbers, page_file
from iowatt.render.headline import Headline

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from iowatt.render.figure import Figure

SECTIONS: Sequence[tuple[str, str, Sequence[Callable[[dict[str, Any]], Figure | None]]]] = (
    (
        "policies",
        "What power policies would save",
        (savings.saved, savings.table, savings.price, savings.bound),
    ),
    ("lengths", "How long the periods are", (lengths.all_disks, lengths.two_disks, lengths.longer)),
    ("laws", "Fitted laws", (lengths.laws,)),
    ("succession", "One period after another", (succession.autocorrelation,)),
    ("disks", "Every disk", (succession.disks,)),
)


def check_target(target: Path, force: bool) -> None:
    """Raise ``InputError`` where the page cannot be written; before any work is done."""
    page_file.check_target(target, force, "the page of idle periods")


def write(found: dict[str, Any], target: Path, *, force: bool = False) -> None:
    """Write the page; never half."""
    check_target(target, force)
    page_file.write(render(found), target)


def render(found: dict[str, Any]) -> str:
    """The page of what :func:`iowatt.lenses.idle.analyse` found."""
    sections = [
        (key, title, drawn)
        for key, title, builders in SECTIONS
        if (drawn := [figure for build in builders if (figure := build(found)) is not None])
    ]
    meta = (
        f"{numbers.count(found['periods'])} periods · {numbers.count(len(found['devices']))} drives · "
        f"{numbers.duration(found['window_s'])}"
    )
    notes = [*found["notes"], *([f"policies go by {drives_line(found)}"] if found["drives"] else [])]
    part = page_file.Part("idle", found["run"], meta, headlines(found), sections, notes)
    figures = {f"idle-{figure.key}": figure for _, _, drawn in sections for figure in drawn}
    return html.render_page(
        "description.html", figures, brand="idle periods", title=found["run"], parts=[part]
    )


def headlines(found: dict[str, Any]) -> list[Headline]:
    """The figures that a reader wants first."""
    minute = next(row for row in found["longer"] if row["length_s"] == 60)
    shown = [
        Headline("idle", "Idle", 100 * found["idle_share"], "%", "of the time, mean over drives"),
        Headline(
            "minute",
            "In periods over a minute",
            100 * minute["share_of_time"],
            "%",
            f"of the time; {numbers.count(minute['periods'])} periods",
        ),
        Headline(
            "mean",
            "Mean period",
            1e3 * found["idle_s"] / found["periods"] if found["periods"] else None,
            "ms",
            "over all drives, cut periods included",
        ),
    ]
    if found["autocorrelation"]["mean"]:
        shown.append(
            Headline(
                "lag1",
                "Autocorrelation, lag 1",
                found["autocorrelation"]["mean"][0],
                "",
                f"sigma over drives {found['autocorrelation']['sigma'][0]:.3f}",
            )
        )
    if found["fits"]:
        best = found["fits"][0]
        shown.append(
            Headline("law", "Distance of the best law", best["ks_distance"], "KS", LAWS[best["law"]])
        )
    if found["policies"]:
        oracle = found["policies"][0]
        online = max(
            (row for row in found["policies"] if not row["policy"].startswith("oracle")),
            key=lambda row: float(row["saved_share"]),
        )
        shown += [
            Headline(
                "oracle",
                "Most that can be saved",
                100 * oracle["saved_share"],
                "%",
                "of idling, oracle by energy",
            ),
            Headline(
                "online",
                "Best without foresight",
                100 * online["saved_share"],
                "%",
                f"{online['title']}; {numbers.count(online['start_stops'])} stops",
            ),
        ]
    return shown
