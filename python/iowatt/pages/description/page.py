"""The report page of one or more descriptions: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iowatt.pages.description import figures
from iowatt.render import html, numbers, page_file
from iowatt.render.figure import Figure
from iowatt.render.headline import Headline


@dataclass(frozen=True)
class Part:
    """One trace on the page. ``key`` makes the ids of its figures unique."""

    key: str
    name: str
    meta: str
    headlines: Sequence[Headline]
    sections: Sequence[tuple[str, str, Sequence[Figure]]]
    notes: Sequence[str]


def check_target(target: Path, force: bool) -> None:
    """Raise ``InputError`` where the page cannot be written; before any work is done."""
    page_file.check_target(target, force, "the report of a trace")


def write(found: Sequence[dict[str, Any]], target: Path, *, force: bool = False) -> None:
    """Write the page; never half."""
    check_target(target, force)
    page_file.write(render(found), target)


def render(found: Sequence[dict[str, Any]]) -> str:
    """The page."""
    parts = [_part(f"trace{at}", description) for at, description in enumerate(found, 1)]
    drawn = {
        f"{part.key}-{figure.key}": figure
        for part in parts
        for _, _, section in part.sections
        for figure in section
    }
    title = parts[0].name if len(parts) == 1 else f"{len(parts)} traces"
    return html.render_page(
        "description.html", drawn, brand="a trace as a workload", title=title, parts=parts
    )


def _part(key: str, found: dict[str, Any]) -> Part:
    name = "standard input" if found["file"] == "<stdin>" else Path(found["file"]).name
    count, span = found["requests"]["count"], found["span"]["duration_s"]
    meta = f"{numbers.count(count)} requests · {numbers.duration(span)}"
    meta += f" from {found['origin']}" if found["origin"] else ""
    sections = [
        (section, title, drawn)
        for section, title, builders in figures.SECTIONS
        if (drawn := [figure for build in builders if (figure := build(found)) is not None])
    ]
    return Part(key, name, f"{meta} · format {found['format']}", headlines(found), sections, found["notes"])


def headlines(found: dict[str, Any]) -> list[Headline]:
    """The figures that a reader wants first."""
    rate, requests, moved = found["rate"], found["requests"], found["bytes"]
    gaps, footprint, first = found["inter_arrival"], found["footprint"], found["reuse"]["first_touch"]
    runs = found["sequential"]["runs"]
    sizes = found["sizes"]["all"]
    hottest = {point["hottest"]: point for point in found["density"]["skew"]}[0.1]
    variation = None if gaps is None else gaps["cv"]
    known = found["span"]["duration_s"] > 0
    return [
        Headline(
            "rate",
            "Mean rate",
            rate["iops"] if known else None,
            "IOPS",
            f"{numbers.significant(rate['mib_per_s'])} MiB/s" if known else "all requests have one stamp",
        ),
        Headline(
            "reads",
            "Reads",
            100 * requests["read_share"],
            "%",
            f"of requests; {numbers.percent(moved['read_share'])} of bytes",
        ),
        Headline(
            "size",
            "Mean size",
            sizes["mean"] / 1024,
            "KiB",
            " and ".join(
                f"{kind} {numbers.significant(found['sizes'][kind]['mean'] / 1024)}"
                for kind in ("read", "write")
                if found["sizes"][kind]
            ),
        ),
        Headline(
            "variation", "Variation of gaps", variation, "CV", "standard deviation over mean; 1 for Poisson"
        ),
        Headline(
            "footprint",
            "Footprint",
            footprint["total_bytes"],
            "B",
            f"{numbers.with_unit(footprint['read_bytes'], 'B')} read, "
            f"{numbers.with_unit(footprint['written_bytes'], 'B')} written",
        ),
        Headline(
            "sequential",
            "Sequential",
            100 * runs["sequential_request_share"],
            "%",
            f"of requests continue a run; {numbers.percent(runs['sequential_byte_share'])} of bytes",
        ),
        Headline(
            "first-touch",
            "First touches",
            100 * first["requests"],
            "%",
            f"of requests; {numbers.percent(first['bytes'])} of bytes: no cache saves them",
        ),
        Headline(
            "skew",
            "On the hottest 10 %",
            100 * hottest["request_share"],
            "%",
            f"of requests; {numbers.percent(hottest['byte_share'])} of bytes, by extents touched",
        ),
    ]
