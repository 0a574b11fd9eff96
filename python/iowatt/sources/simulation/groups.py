"""Drives of large clusters, taken together node by node: what a node's drives did as one row.

A plan's ``names.devices`` says of such a row how many drives it is of (``drives``); its other figures are of
one. Counts and joules are sums; times in states are means, so that they fill the window as one drive's do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

_MEANS: Final = ("wear_fraction", "erase_count_mean", "pe_cycles_fraction")
_TIMES: Final = ("state_ns", "level_ns")
_OF_ONE: Final = ("idle_periods",)


def count(name: Mapping[str, Any]) -> int:
    """Drives that a row of ``names.devices`` is of."""
    return int(name.get("drives", 1))


def grouped(names: Sequence[Mapping[str, Any]], drives: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The simulator's figures of ``drives``, a row for each of ``names.devices``, whose drives follow."""
    return list(_grouped(names, iter(drives)))


def _grouped(
    names: Sequence[Mapping[str, Any]], drives: Iterator[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    for name in names:
        alike = list(islice(drives, count(name)))
        yield dict(alike[0]) if len(alike) == 1 else _together(alike)


def _together(alike: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    together = {key: _joined(key, [one[key] for one in alike]) for key in alike[0] if key not in _OF_ONE}
    if (flash := together.get("flash")) is not None:
        written = flash["host_bytes_written"]
        flash["write_amplification"] = flash["flash_bytes_written"] / written if written else None
    return together


def _joined(key: str, values: Sequence[Any]) -> Any:
    first = values[0]
    if any(value is None for value in values):
        return None
    if isinstance(first, Mapping):
        return {name: _of(key, name, [value[name] for value in values]) for name in first}
    if isinstance(first, list):
        return [_of(key, "", [value[at] for value in values]) for at in range(len(first))]
    return _number(key, values)


def _of(table: str, key: str, values: Sequence[Any]) -> Any:
    """A figure within a table of the drives: times are means."""
    joined = _joined(key, values)
    return joined / len(values) if table in _TIMES else joined


def _number(key: str, values: Sequence[Any]) -> Any:
    if isinstance(values[0], bool):
        return all(values)
    extremes = {"_max": max, "_min": min}
    if (extreme := extremes.get(key[-4:])) is not None:
        return extreme(values)
    return sum(values) / len(values) if key in _MEANS else sum(values)
