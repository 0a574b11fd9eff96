"""The page of ``iowatt tariff bill``: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from iowatt.pages.tariff import figures
from iowatt.pages.tariff.text import KINDS, usd
from iowatt.render import html, numbers, page_file
from iowatt.render.headline import Headline

Found = Mapping[str, Any]


def check_target(target: Path, force: bool) -> None:
    """Raise ``InputError`` where the page cannot be written; before any work is done."""
    page_file.check_target(target, force, "the page of a bill")


def write(found: Found, tariff: Found, target: Path, *, force: bool = False) -> None:
    """Write the page of a bill by ``tariff`` (documents of `iowatt.tariffs.account`); never half."""
    check_target(target, force)
    page_file.write(render(found, tariff), target)


def render(found: Found, tariff: Found) -> str:
    """The page."""
    sections = [("bill", "The bill", [figures.months(found)])]
    schedules = list(figures.schedules(tariff))
    if schedules:
        sections.append(("tariff", "The tariff", schedules))
    sections.append(("lines", "Lines", [figures.items(found)]))
    named = found["tariff"]
    until = f"{found['start'].replace('T', ' ')} to {found['end'].replace('T', ' ')}"
    meta = " · ".join(
        part
        for part in (
            named["name"], named["utility"], f"source: {named['source']}" if named["source"] else "",
            "verified" if named["verified"] else "not verified", until,
        )
        if part
    )  # fmt: skip
    part = page_file.Part("bill", "Bill", meta, headlines(found), sections, found["notes"])
    by_id = {f"bill-{figure.key}": figure for _, _, given in sections for figure in given}
    title = f"Electricity of {found['load']['said']}"
    return html.render_page("description.html", by_id, brand="tariff", title=title, parts=[part])


def headlines(found: Found) -> list[Headline]:
    """Dollars in all and a kWh, energy, peak."""
    load = found["load"]
    kinds = ", ".join(f"{KINDS[kind]} {usd(value)}" for kind, value in found["by_kind"].items() if value)
    beside = f"beside a site of {numbers.significant(load['site_kw'])} kW" if load["site_kw"] else ""
    return [
        Headline("usd", "In all", found["usd"], "$", kinds),
        Headline("each", "For a kWh", found["usd_per_kwh"], "$/kWh", "all charges over the energy"),
        Headline("energy", "Energy", load["energy_kwh"], "kWh", beside),
        Headline("peak", "Peak", load["peak_kw"], "kW", f"mean {numbers.with_unit(load['mean_kw'], 'kW')}"),
    ]
