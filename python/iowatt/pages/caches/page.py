"""The page of caches alone: one HTML file that needs nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from iowatt.pages.caches import figures
from iowatt.pages.description.page import Part
from iowatt.render import html, numbers, page_file
from iowatt.render.headline import Headline


def check_target(target: Path, force: bool) -> None:
    """Raise ``InputError`` where the page cannot be written; before any work is done."""
    page_file.check_target(target, force, "the page of caches")


def write(found: dict[str, Any], target: Path, *, force: bool = False) -> None:
    """Write the page; never half."""
    check_target(target, force)
    page_file.write(render(found), target)


def render(found: dict[str, Any]) -> str:
    """The page."""
    name = "standard input" if found["trace"] == "-" else Path(found["trace"]).name
    drawn = figures.figures(found)
    block = found["block_bytes"]
    unit = "objects" if block is None else f"blocks of {numbers.binary(block)}"
    part = Part(
        key="caches",
        name=name,
        meta=f"{numbers.count(found['requests']['all'])} requests counted · {unit}",
        headlines=headlines(found),
        sections=[("hits", "Misses and hits", drawn)],
        notes=found["notes"],
    )
    shown = {f"{part.key}-{figure.key}": figure for figure in drawn}
    return html.render_page("description.html", shown, brand="caches alone", title=name, parts=[part])


def headlines(found: dict[str, Any]) -> list[Headline]:
    """The figures that a reader wants first."""
    requests, moved, block = found["requests"], found["bytes"], found["block_bytes"]
    by_requests, by_bytes = (
        max(found["caches"], key=lambda cache: (cache[key] or 0.0, -cache["slots"]))
        for key in ("hit_ratio", "hit_bytes_ratio")
    )
    if block is None:
        touched = Headline("footprint", "Objects touched", found["footprint"], "", "different ones")
    else:
        blocks = f"{numbers.count(found['footprint'])} blocks"
        touched = Headline("footprint", "Footprint", found["footprint_bytes"], "B", blocks)
    return [
        Headline(
            "reads",
            "Reads",
            100 * requests["read"] / requests["all"],
            "%",
            f"of requests; {numbers.percent(moved['read'] / moved['all'])} of bytes",
        ),
        touched,
        Headline("hits", "Most hits, requests", 100 * by_requests["hit_ratio"], "%", _which(by_requests)),
        Headline("hit-bytes", "Most hits, bytes", 100 * by_bytes["hit_bytes_ratio"], "%", _which(by_bytes)),
    ]


def _which(cache: dict[str, Any]) -> str:
    return f"{figures.title(cache)} of {size_text(cache)}"


def size_text(cache: dict[str, Any]) -> str:
    """The size of a cache with its unit."""
    if cache["size_bytes"] is None:
        return f"{numbers.count(cache['slots'])} objects"
    return numbers.binary(cache["size_bytes"])
