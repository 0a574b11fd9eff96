"""The page of ``iowatt duty``: one HTML file that needs nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from iowatt.pages.duty import figures
from iowatt.render import html, numbers, page_file
from iowatt.render.headline import Headline

Found = dict[str, Any]


def check_target(target: Path, force: bool) -> None:
    """Raise ``InputError`` where the page cannot be written; before any work is done."""
    page_file.check_target(target, force, "the page of a duty cycle")


def write(found: Found, target: Path, *, force: bool = False) -> None:
    """Write the page; never half."""
    check_target(target, force)
    page_file.write(render(found), target)


def render(found: Found) -> str:
    """The page of what :func:`iowatt.lenses.duty.analyse` found."""
    sections = [
        ("classes", "A day of each class", [figures.classes(found), figures.days(found)]),
        ("loads", "Power against load", [figures.loads(found)]),
    ]
    meta = (
        f"highest {numbers.with_unit(found['highest'], found['unit'])} · "
        f"power of the {found['power_basis']} · {'modelled' if found['modelled'] else 'measured'} · "
        "in the manner of SPC's energy extensions, no SPC result"
    )
    part = page_file.Part("duty", "Duty cycle", meta, headlines(found), sections, found["notes"])
    by_id = {f"duty-{figure.key}": figure for _, _, given in sections for figure in given}
    return html.render_page("description.html", by_id, brand="duty", title="Duty cycle", parts=[part])


def headlines(found: Found) -> list[Headline]:
    """Nominal power of each class."""
    return [
        Headline(
            one["class"],
            f"{one['class'].capitalize()} use",
            one["nominal_w"],
            "W",
            f"{numbers.significant(one['annual_kwh'])} kWh a year, "
            f"{numbers.with_unit(one['throughput_per_w'], found['unit'] + '/W')}",
        )
        for one in found["classes"]
    ]
