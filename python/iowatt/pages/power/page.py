"""The calculator's answer as one page to read or print: HTML that needs nothing else, or PDF."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.pages.power import figures
from iowatt.pages.power.text import group
from iowatt.render import html, numbers
from iowatt.render.headline import Headline

SUFFIXES = (".html", ".pdf")
PRINTED_TABLE = 60
"""Rows up to which the table under a chart is printed: the list of components is what a planner files."""


def check_target(target: Path, force: bool) -> None:
    """Raise ``InputError`` where the page cannot be written; before any work is done."""
    if target.suffix.lower() not in SUFFIXES:
        raise InputError("not-accepted", str(target), "expected a name ending in .html or .pdf")
    if not target.parent.is_dir():
        raise InputError("not-found", str(target.parent), "there is no such directory")
    if target.is_dir():
        raise InputError("wrong-kind", str(target), "this is a directory; expected a file")
    if target.exists() and not force:
        raise InputError("exists", str(target), "the file exists", hint="`force=True` replaces it")


def write(found: dict[str, Any], target: Path, *, force: bool = False) -> None:
    """Write the page; never half."""
    check_target(target, force)
    with atomic_path.file(target) as made:
        if target.suffix.lower() == ".pdf":
            from iowatt.render import pdf

            pdf.write(render(found), made)
        else:
            made.write_text(render(found), encoding="utf-8", newline="\n")


def render(found: dict[str, Any]) -> str:
    """The page."""
    builders = (figures.totals, figures.components, figures.supplies, figures.start)
    drawn = [figure for build in builders if (figure := build(found)) is not None]
    return html.render_page(
        "power.html",
        {figure.key: figure for figure in drawn},
        printed_table=PRINTED_TABLE,
        title=found["name"],
        meta=_meta(found),
        headlines=headlines(found),
        shown=drawn,
        notes=found["notes"],
        sources=found["sources"],
    )


def _meta(found: dict[str, Any]) -> str:
    parts = sum(row["count"] for row in found["components"] if row["kind"] not in ("drives", "supply loss"))
    enclosures = sum(enclosure["count"] for enclosure in found["enclosures"])
    return (
        f"{found['drives']:,} drives, {numbers.with_unit(1e9 * found['raw_gb'], 'B')} raw · "
        f"{enclosures:,} enclosures, {parts:,} other parts"
    )


def headlines(found: dict[str, Any]) -> list[Headline]:
    """The figures that a planner wants first."""
    modes, start = found["modes"], found["spin_up"]
    normal, failover = modes["normal"], modes["failover"]
    swing = normal["active"]["wall_w"] / normal["idle"]["wall_w"] - 1 if normal["idle"]["wall_w"] else 0.0
    tiles = [
        Headline("idle", "Idle", normal["idle"]["wall_w"], "W", _per_watt(found)),
        Headline("active", "Active", normal["active"]["wall_w"], "W", f"{numbers.percent(swing)} above idle"),
        Headline(
            "failover", "Active in failover", failover["active"]["wall_w"], "W", "the redundant supplies lost"
        ),
        Headline("va", "Apparent power, active", normal["active"]["va"], "VA", "for circuits and UPS"),
        Headline(
            "heat", "Heat, active", normal["active"]["btu_per_h"], "BTU/h",
            f"{normal['active']['tons']:.2f} tons of cooling",
        ),
    ]  # fmt: skip
    if start is not None:
        how = "all drives at once" if start["at_once"] is None else group(start)
        tiles.append(Headline("start", "Switching on, highest", start["peak_w"], "W", how))
    if found["pue"] is not None:
        facility = normal["active"]["facility_w"]
        tiles.append(Headline("facility", "Building, active", facility, "W", f"PUE {found['pue']:g}"))
    return tiles


def _per_watt(found: dict[str, Any]) -> str:
    per_watt = found["raw_gb_per_w"]
    return "" if not per_watt else f"{numbers.significant(per_watt, 4)} GB/W raw"
