"""Whether two logs are of one meter: its power would be added up twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from iowatt.base.errors import InputError
from iowatt.sources.meters.log import Log

#: Equal samples at equal times by which two files are taken for copies.
_FEWEST = 8


def refuse_twice(logs: Sequence[Log]) -> None:
    """Raise ``InputError`` where two logs of power are of one meter, or one log is given twice."""
    for first, second, why in twice(logs):
        where = second.path or first.path
        raise InputError(
            "duplicate",
            str(where) if where is not None else second.instrument.name,
            f"{why}: its power would be counted twice",
            hint="give each meter once; iowatt adds up the channels of one file",
        )


def twice(logs: Sequence[Log]) -> Iterator[tuple[Log, Log, str]]:
    """Pairs of logs of power that are of one meter, and why they are taken for that."""
    for first, second in combinations(logs, 2):
        why = _same(first, second)
        if why is not None:
            yield first, second, why


def _same(first: Log, second: Log) -> str | None:
    a, b = first.instrument, second.instrument
    one_file = (
        first.path is not None and second.path is not None and first.path.resolve() == second.path.resolve()
    )
    names = a.name if a.name == b.name else f"{a.name} and {b.name}"
    # Channels of one file may rest together, both at 0 W; but they have names of their own.
    if _equal(first, second) and (not one_file or a.name == b.name or _moves(first)):
        return f"{names} have the same samples" if not one_file else f"the same log is given twice ({names})"
    if one_file or not _overlap(first, second):
        return None
    # One device may meter several outlets, each with an address of its own.
    here, there = a.details.get("address"), b.details.get("address")
    if here is not None and here == there:
        return f"{names} were read at the same address at the same time ({here})"
    if a.serial is not None and a.serial == b.serial and (here is None or there is None):
        return f"{names} have the same serial number at the same time ({a.serial})"
    return None


def _equal(first: Log, second: Log) -> bool:
    a, b = first.quantities.get("watts"), second.quantities.get("watts")
    if a is None or b is None or (len(a) < _FEWEST and first.path != second.path):
        return False
    return np.array_equal(first.time_s, second.time_s) and np.array_equal(a, b, equal_nan=True)


def _moves(log: Log) -> bool:
    watts = log.quantities["watts"]
    known = watts[np.isfinite(watts)]
    return bool(len(known) and known.max() > known.min())


def _overlap(first: Log, second: Log) -> bool:
    if not len(first.time_s) or not len(second.time_s):
        return False
    return bool(first.time_s[0] <= second.time_s[-1] and second.time_s[0] <= first.time_s[-1])
