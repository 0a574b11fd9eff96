"""The page of ``iowatt heat``: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iowatt.pages.heat import figures, words
from iowatt.render import html, numbers, page_file
from iowatt.render.headline import Headline

if TYPE_CHECKING:
    from iowatt.render.figure import Figure

Found = dict[str, Any]


def check_target(target: Path, force: bool) -> None:
    """Raise ``InputError`` where the page cannot be written; before any work is done."""
    page_file.check_target(target, force, "the page of heat")


def write(found: Found, target: Path, *, force: bool = False) -> None:
    """Write the page; never half."""
    check_target(target, force)
    page_file.write(render(found), target)


def render(found: Found) -> str:
    """The page of what :func:`iowatt.lenses.heat.analyse` found."""
    every: list[tuple[str, str, Sequence[Figure | None]]] = [
        (
            "density",
            "How unevenly",
            [figures.curve(found), figures.density(found), figures.figures_of_skew(found)],
        ),
        ("address", "Where", figures.by_address(found)),
        ("time", "When", [*figures.over_time(found), figures.stability(found)]),
        ("ways", "Reads and writes", figures.directions(found)),
        ("spaces", "Address spaces", [figures.spaces(found)]),
    ]
    sections = [
        (key, title, drawn)
        for key, title, given in every
        if (drawn := [figure for figure in given if figure is not None])
    ]
    first = found["points"][0]
    meta = (
        f"{numbers.count(first['reads'] + first['writes'])} requests in "
        f"{numbers.duration(found['window_s'])} · "
        f"extents of {numbers.binary(first['extent_bytes'])}"
    )
    part = page_file.Part("heat", found["run"], meta, headlines(found), sections, found["notes"])
    by_id = {f"heat-{figure.key}": figure for _, _, given in sections for figure in given}
    return html.render_page("description.html", by_id, brand="heat", title=found["run"], parts=[part])


def headlines(found: Found) -> list[Headline]:
    """The figures that a reader wants first."""
    shown = []
    for point in found["points"]:
        name, key, skew = words.title(point), point["point"], point["skew"]
        shown += [
            Headline(
                f"{key}-density",
                f"{name}: density",
                point["iops_per_gb"],
                "IOPS/GB",
                f"{numbers.significant(point['iops'])} IOPS on {words.size(_base(found, point))}",
            ),
            Headline(
                f"{key}-hot",
                f"{name}: on the hottest 10 %",
                100 * words.hottest_10(point),
                "% of I/O",
                f"skew point {words.skew_point(skew['skew_point'])}",
            ),
            Headline(
                f"{key}-k",
                f"{name}: k of the law",
                skew["law"]["k"],
                "",
                f"within {100 * skew['law']['max_error']:.2g} points of the curve; Gini {skew['gini']:.2f}",
            ),
        ]
    if found["behind_cache"] is not None:
        ratio = found["behind_cache"]["io"]
        shown.append(
            Headline(
                "behind",
                "I/O left for the back end",
                None if ratio is None else 100 * ratio,
                "% of the front's",
                "what the cache leaves over, destages included",
            )
        )
    return shown


def _base(found: Found, point: Found) -> int:
    return int(point["capacity_bytes"] if found["shares_over"] == "capacity" else point["touched_bytes"])
