"""Hops of a path in charts: which are drawn separately, their colours, and how waiting looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from iowatt.lenses.budget.result import HopName
from iowatt.render import numbers
from iowatt.render.figure import plain

#: Share of a bar from which a hop is shown on its own.
SHOWN_FROM: Final = 0.005

OTHERS: Final = "Other hops"
_OTHERS_COLOUR: Final = "#a9b2bc"

#: By place; hops of one place take turns. A hop has one colour on both of its ways.
COLOURS: Final[Mapping[str, Sequence[str]]] = {
    "host": ("#1f2933", "#6b4f3a"),
    "fabric": ("#009e73", "#8f7a00", "#2a9d8f", "#aa8866", "#332288", "#56b4e9", "#4650b8", "#7b4fa3"),
    "port": ("#e69f00",),
    "controller": ("#d55e00", "#cc79a7", "#882255"),
    "storage": ("#7a5195",),
    "drive": ("#0072b2",),
    "replication": ("#b07aa1",),
}


@dataclass(frozen=True)
class ShownHops:
    """Hops of a chart: indices of those drawn separately, and of those drawn together."""

    alone: Sequence[int]
    others: Sequence[int]
    least: float = SHOWN_FROM

    @property
    def remarks(self) -> list[str]:
        """What a reader must know of the others."""
        if not self.others:
            return []
        many = f"{len(self.others)} hops" if len(self.others) > 1 else "A hop"
        drawn = "are drawn together" if len(self.others) > 1 else "is drawn"
        return [f"{many} under {numbers.percent(self.least)} of every bar {drawn} last; the table has each."]


def shown(bars: Sequence[tuple[Sequence[float], Sequence[float]]], least: float = SHOWN_FROM) -> ShownHops:
    """Hops to show of bars, each its waiting and its service by hop. Those without any time are left out.

    A hop with at least the share ``least`` of a bar is drawn separately.
    """
    alone, others = [], []
    for at in range(len(bars[0][0])):
        parts = [(waiting[at] + service[at], sum(waiting) + sum(service)) for waiting, service in bars]
        if any(part and part >= least * whole for part, whole in parts):
            alone.append(at)
        elif any(part for part, _ in parts):
            others.append(at)
    return ShownHops(alone, others, least)


def colours(hops: Sequence[HopName]) -> list[str]:
    """The colour of each hop."""
    taken: dict[str, dict[str, str]] = {}
    found = []
    for hop in hops:
        place = hop.place if hop.place in COLOURS else "storage"
        names = taken.setdefault(place, {})
        choice = COLOURS[place]
        found.append(names.setdefault(hop.hop, choice[len(names) % len(choice)]))
    return found


def marks(
    hops: Sequence[HopName],
    bars: Sequence[tuple[Sequence[float], Sequence[float]]],
    *,
    along: str,
    places: Sequence[str],
    unit: str,
    least: float = SHOWN_FROM,
) -> tuple[list[dict[str, Any]], ShownHops]:
    """Traces of stacked bars: of each hop its waiting, hatched, then its service, in the order of the way.

    ``along`` is the axis of the values, ``x`` or ``y``; ``places`` are the names of the bars as plotly reads
    them.
    """
    chosen = shown(bars, least)
    series: list[tuple[str, str, list[float], list[float]]] = [
        (hops[at].label, colour, [bar[0][at] for bar in bars], [bar[1][at] for bar in bars])
        for at, colour in enumerate(colours(hops))
        if at in chosen.alone
    ]
    if chosen.others:
        waits, services = (
            [float(sum(bar[kind][at] for at in chosen.others)) for bar in bars] for kind in (0, 1)
        )
        series.append((OTHERS, _OTHERS_COLOUR, waits, services))
    across = "y" if along == "x" else "x"
    found = []
    for name, colour, waiting, service in series:
        kinds = [
            (kind, values) for kind, values in (("waiting", waiting), ("service", service)) if any(values)
        ]
        for kind, values in kinds:
            hatched = {"pattern": {"shape": "/", "fillmode": "replace", "solidity": 0.4, "size": 7}}
            found.append(
                {
                    "type": "bar",
                    "orientation": "h" if along == "x" else "v",
                    "name": plain(name),
                    "legendgroup": plain(name),
                    "showlegend": kind == kinds[-1][0],
                    across: list(places),
                    along: values,
                    "marker": {"color": colour, **(hatched if kind == "waiting" else {})},
                    "hovertemplate": f"%{{{along}:,.4~r}} {unit}<extra>{plain(name)}, {kind}</extra>",
                }
            )
    return found, chosen
