"""Which drives are on which bus."""

from __future__ import annotations

import re

from iowatt.base.problems import KeyPath, suggestion
from iowatt.model.scenario.keys.array import DRIVES_PATTERN
from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.model.scenario.resolved import ResolvedSystem


def connect_buses(scenario: Scenario, system: ResolvedSystem) -> None:
    """Set ``bus_of_drive``: for each pool the bus of each drive, or nothing for a pool without buses."""
    system.bus_of_drive = [[-1] * pool.drives for pool in scenario.array.pool]
    before = len(system.problems)
    for index, bus in enumerate(scenario.array.bus):
        for position, selector in enumerate(bus.drives):
            _connect(selector, index, ("array", "bus", index, "drives", position), scenario, system)
    if len(system.problems) > before:
        return
    for index, buses in enumerate(system.bus_of_drive):
        loose = [drive for drive, bus_index in enumerate(buses) if bus_index < 0]
        if len(loose) == len(buses):
            system.bus_of_drive[index] = []
        elif loose:
            name = scenario.array.pool[index].name
            message = f"{len(loose)} of the {len(buses)} drives are on no bus; the first is {name}.{loose[0]}"
            hint = "put all drives of a pool on buses, or none"
            system.report("conflict", ("array", "pool", index), message, hint)


def _connect(selector: str, bus: int, path: KeyPath, scenario: Scenario, system: ResolvedSystem) -> None:
    """Put the drives of ``selector`` on a bus."""
    match = re.match(DRIVES_PATTERN, selector)
    assert match is not None  # the model has checked the pattern
    name, number, first, end, step = match.groups()
    pools = [pool.name for pool in scenario.array.pool]
    if name not in pools:
        hint = suggestion(name, pools, "pools")
        system.report("unknown-name", path, f"there is no pool {name!r}", hint)
        return
    buses = system.bus_of_drive[pools.index(name)]
    if number:
        start, stop = int(number), int(number) + 1
    else:
        start, stop = _bound(first, 0, len(buses)), _bound(end, len(buses), len(buses))
    if not start < stop <= len(buses):
        hint = f"bounds may be shares of the pool, such as {name}[:50%]"
        message = f"{selector!r} is not within pool {name!r}, whose drives are {name}[0:{len(buses)}]"
        system.report("out-of-range", path, message, hint)
        return
    for drive in range(start, stop, int(step or 1)):
        if buses[drive] >= 0:
            other = scenario.array.bus[buses[drive]].name
            message = f"drive {name}.{drive} is already on bus {other!r}"
            system.report("duplicate", path, message, "a drive is on one bus only")
            return
        buses[drive] = bus


def _bound(text: str | None, default: int, drives: int) -> int:
    if text is None:
        return default
    return drives * int(text[:-1]) // 100 if text.endswith("%") else int(text)
