"""Figures of a system by several seeds: clones begin at other moments, disks turn at other angles."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from iowatt.evaluate.choose import judge
from iowatt.evaluate.choose.design import OwnDesign, System
from iowatt.evaluate.choose.trials import Trials

SEEDS: Final = 3
MOST_SEEDS: Final = 6
"""Seeds by which a system is simulated whose interval has a limit inside."""
#: Two-sided 95 % quantiles of Student's t with as many degrees of freedom.
STUDENT: Final = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571}
_AVERAGED: Final = ("response_time_ms.", "cost.", "power_w.")


def confirmed_rows(systems: Sequence[System], trials: Trials) -> list[Mapping[str, Any]]:
    """The mean row of each system over ``SEEDS`` seeds, ``MOST_SEEDS`` where that leaves a limit undecided.

    Response times have the ends of the 95 % interval of their mean beside them. Durability is that with a
    simulated rebuild: a system
    that misses it is not simulated by other seeds.
    """
    made: list[Mapping[str, Any]] = [_merged(some) for some in _rows(systems, range(1), trials)]
    for seeds in (SEEDS, MOST_SEEDS):
        open_ = [index for index, system in enumerate(systems) if _open(system, made[index], seeds, trials)]
        for index, some in zip(
            open_, _rows([systems[index] for index in open_], range(seeds), trials), strict=True
        ):
            made[index] = _merged(some)
    return made


def _open(system: System, row: Mapping[str, Any], seeds: int, trials: Trials) -> bool:
    """Whether a system is to be simulated by so many seeds."""
    missed = judge.missed(trials.question, system, row, trials.rate_iops)
    if seeds == MOST_SEEDS:
        return any(one.undecided for one in missed)
    return not missed and not _measured(system)


def _rows(systems: Sequence[System], seeds: range, trials: Trials) -> list[list[Mapping[str, Any]]]:
    sown = [system for system in systems if not _measured(system)]
    records = {
        **{system: trials.simulate([system]) for system in systems if _measured(system)},
        **dict(
            zip(
                sown,
                _split(trials.simulate(sown, seeds=tuple(seeds), rebuilds=True), len(seeds)),
                strict=True,
            )
        ),
    }
    return [[record["row"] for record in records[system] if "row" in record] for system in systems]


def _measured(system: System) -> bool:
    return isinstance(system.design, OwnDesign) and system.design.run is not None


def _split(records: Sequence[Mapping[str, Any]], each: int) -> list[Sequence[Mapping[str, Any]]]:
    return [records[at : at + each] for at in range(0, len(records), each)]


def _merged(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Means of all rows; other figures are those of the first."""
    if not rows:
        return {"overloaded": True}
    merged = dict(rows[0])
    for name in rows[0]:
        if not any(part in name for part in _AVERAGED) or not _number(rows[0][name]):
            continue
        values = [float(row[name]) for row in rows if _number(row.get(name))]
        if len(values) < len(rows):
            continue
        mean = math.fsum(values) / len(values)
        merged[name] = mean
        if "response_time_ms." in name and len(values) > 1:
            deviation = math.sqrt(math.fsum((one - mean) ** 2 for one in values) / (len(values) - 1))
            half = STUDENT[len(values) - 1] * deviation / math.sqrt(len(values))
            merged[judge.lower_end(name)], merged[judge.upper_end(name)] = max(0.0, mean - half), mean + half
    merged["overloaded"] = any(row.get("overloaded") for row in rows)
    return merged


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
