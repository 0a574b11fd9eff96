"""Power by phase and by supply: a row for each phase, a column for each meter or channel, and their sum.

A channel is what an instrument records apart: a supply's meter, an outlet, or an element of a three-phase
analyser (``channel=all``). Of a sum that an analyser stored only the sum is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iowatt.emerald.analyze.result import Analysis, InstrumentUsed, Part, name_of
from iowatt.render.figure import Cell, Column, Exact, Figure, Table, text_columns


def supplies_figure(analysis: Analysis) -> Figure | None:
    """Mean watts of each phase by meter; None where no meter recorded any."""
    meters: dict[str, InstrumentUsed] = {}
    for part in analysis.parts:
        for one in _meters(part):
            meters.setdefault(one.name, one)
    if not meters:
        return None
    rows = [_row(part, list(meters)) for part in analysis.parts]
    several = len(meters) > 1
    columns = [
        *text_columns("Phase"),
        *(Exact(_heading(one), "W") for one in meters.values()),
        *([Exact("Sum", "W"), Column("Largest above the mean", "%")] if several else []),
        Exact("Power of the phase", "W"),
    ]
    if not several:
        rows = [[*row[:2], row[-1]] for row in rows]
    caption = (
        "Means over each phase. There is no sum where a channel has no figure. The power of the phase counts "
        "the minutes in which every channel has samples enough, and is that of the metric."
    )
    if several:
        caption += (
            " The largest channel above the mean of all shows supplies, or phases, that share unevenly."
        )
    return Figure("power-by-supply", "Power by phase and supply", caption, Table(columns, rows), wide=True)


def modelled_supplies(parts: Sequence[Part], runs: Mapping[str, Mapping[str, Any]]) -> Figure | None:
    """Mean watts of each phase by enclosure and pool, of simulated stages; None where there are none.

    ``runs``: ``run.json`` by stage. A pool stands for its drives, an enclosure for its parts and for what its
    supplies lose.
    """
    watts = {part.stage: _modelled(runs[part.stage]) for part in parts if part.stage in runs}
    names = list(dict.fromkeys(name for found in watts.values() for name in found))
    if not names:
        return None
    rows: list[list[Cell]] = []
    for part in parts:
        found = watts.get(part.stage)
        if found:
            cells = [found.get(name) for name in names]
            rows.append([name_of(part), *cells, sum(found.values()), part.power_w])
    columns = [
        *text_columns("Phase"), *(Exact(name, "W") for name in names), Exact("Sum", "W"),
        Exact("Power of the phase", "W"),
    ]  # fmt: skip
    caption = "Modelled: drives by pool; of each enclosure its parts and what its supplies lose."
    return Figure(
        "power-by-enclosure", "Power by phase and enclosure", caption, Table(columns, rows), wide=True
    )


def _meters(part: Part) -> list[InstrumentUsed]:
    return [one for one in part.instruments if one.role == "power" and "watts" in one.readings]


def _heading(one: InstrumentUsed) -> str:
    """The name of a channel, with its analyser where an element alone would not say whose it is."""
    return f"{one.name} of {one.model}" if one.channel is not None and one.model else one.name


def _row(part: Part, names: Sequence[str]) -> list[Cell]:
    means = {one.name: one.readings["watts"].mean for one in _meters(part)}
    watts = [means.get(name) for name in names]
    known = [each for each in watts if each is not None]
    total = sum(known) if len(known) == len(names) else None
    uneven = None
    if total is not None and total > 0:
        uneven = 100 * (max(known) * len(known) / total - 1)
    return [name_of(part), *watts, total, uneven, part.power_w]


def _modelled(run: Mapping[str, Any]) -> dict[str, float]:
    """Watts by the first part of the components' names; empty where the run has none."""
    joules = (run.get("energy") or {}).get("by_component_j") or {}
    seconds = (run.get("window") or {}).get("duration_s")
    if run.get("source") != "simulation" or not seconds:
        return {}
    found: dict[str, float] = {}
    for name, joule in joules.items():
        owner = name.partition(".")[0]
        found[owner] = found.get(owner, 0.0) + joule / seconds
    return found
