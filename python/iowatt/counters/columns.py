"""Column names of sysstat's tools, old and new, and what they mean.

Units are those of sysstat's manual pages iostat(1), sar(1) and sadf(1): a sector has 512 bytes, kB and MB are
1,024 and 1,048,576 bytes, waits are in milliseconds, %util is in percent.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from iowatt.base.errors import InputError
from iowatt.counters.log import CountersLog
from iowatt.counters.text import LogLine, rate, shown

_SECTOR, _KB, _MB = 512.0, 1024.0, 1024.0**2

# Columns by figure, with the factor that makes them SI.
_MEANINGS: Final[dict[str, dict[str, float]]] = {
    "requests": {"tps": 1},
    "reads": {"r/s": 1, "rtps": 1},
    "writes": {"w/s": 1, "wtps": 1},
    "discards": {"d/s": 1, "dtps": 1},
    "flushes": {"f/s": 1},
    "read_bytes": {
        "rsec/s": _SECTOR, "rd_sec/s": _SECTOR, "rd_sec": _SECTOR, "bread/s": _SECTOR, "Blk_read/s": _SECTOR,
        "rkB/s": _KB, "rkB": _KB, "kB_read/s": _KB, "rMB/s": _MB, "MB_read/s": _MB,
    },
    "write_bytes": {
        "wsec/s": _SECTOR, "wr_sec/s": _SECTOR, "wr_sec": _SECTOR, "bwrtn/s": _SECTOR, "Blk_wrtn/s": _SECTOR,
        "wkB/s": _KB, "wkB": _KB, "kB_wrtn/s": _KB, "wMB/s": _MB, "MB_wrtn/s": _MB,
    },
    "discard_bytes": {
        "dsec/s": _SECTOR, "dc_sec/s": _SECTOR, "dc_sec": _SECTOR, "bdscd/s": _SECTOR, "Blk_dscd/s": _SECTOR,
        "dkB/s": _KB, "dkB": _KB, "kB_dscd/s": _KB, "dMB/s": _MB, "MB_dscd/s": _MB,
    },
    "bytes": {"sec/s": _SECTOR, "kB/s": _KB, "MB/s": _MB},
    "merged": {"rqm/s": 1},
    "read_merged": {"rrqm/s": 1},
    "write_merged": {"wrqm/s": 1},
    "wait": {"await": 1e-3},
    "read_wait": {"r_await": 1e-3},
    "write_wait": {"w_await": 1e-3},
    "size": {"areq-sz": _KB, "avgrq-sz": _SECTOR},
    "read_size": {"rareq-sz": _KB},
    "write_size": {"wareq-sz": _KB},
    "queue": {"aqu-sz": 1, "avgqu-sz": 1},
    "utilisation": {"%util": 0.01, "util": 0.01, "util-percent": 0.01},
}  # fmt: skip
COLUMNS: Final = {
    name: (figure, factor) for figure, names in _MEANINGS.items() for name, factor in names.items()
}
# Known, and of no use here. svctm is a figure that sysstat itself says not to trust, and dropped.
_UNUSED: Final = frozenset(
    ("drqm/s", "%rrqm", "%wrqm", "%drqm", "rrqm", "wrqm", "drqm", "d_await", "f_await", "dareq-sz", "svctm")
)
# Totals since the report before: with a rate they say how long the interval was.
TOTALS: Final = {
    f"{unit}_{way}": f"{unit}_{way}/s" for unit in ("Blk", "kB", "MB") for way in ("read", "wrtn", "dscd")
}
_HUMAN: Final = {"s": 512.0} | {unit: 1024.0**power for power, unit in enumerate("BkMGTP")}
_SUFFIXED: Final = re.compile(r"([0-9.,]{1,40})([sBkMGTP%])", re.ASCII)
_COARSE: Final = {
    "rMB/s": ("reads", "read_size", "read_bytes"),
    "wMB/s": ("writes", "write_size", "write_bytes"),
}


MALFORMED: Final = dict.fromkeys(("requests", "reads", "writes"), math.nan)
"""Figures of a row that could not be read."""


def known(name: str) -> bool:
    """Whether ``name`` is a column of sysstat's."""
    return name in COLUMNS or name in _UNUSED or name in TOTALS


def figures(names: Sequence[str], texts: Sequence[str]) -> dict[str, float]:
    """Figures of a row in SI units, by the names of `iowatt.counters.log`.

    Raises ``InputError`` that names the column.
    """
    found: dict[str, float] = {}
    for name, text in zip(names, texts, strict=True):
        meaning = COLUMNS.get(name)
        if meaning is None:
            continue
        figure, factor = meaning
        try:
            value = _scaled(text, factor)
        except InputError as error:
            raise InputError(error.code, None, f"column {name}: {error.message}") from None
        found.setdefault(figure, value)
    for name, (count, size, amount) in _COARSE.items():
        # Rates in MB with two decimals are coarse; requests times their mean size are the same, finer.
        if name in names and count in found and size in found:
            found[amount] = found[count] * found[size]
    return found


def row_figures(
    log: CountersLog, line: LogLine, device: str, names: Sequence[str], texts: Sequence[str]
) -> dict[str, float]:
    """The figures of a device's row; NaN of a skipped malformed row."""
    try:
        return figures(names, texts)
    except InputError as error:
        log.malformed(line.wrong(f"device {shown(device)}", error))
        return dict(MALFORMED)


def seconds_of(names: Sequence[str], texts: Sequence[str]) -> tuple[float, float]:
    """(total, seconds) by the row's largest total and its rate; (0, 0) where it has none."""
    best = (0.0, 0.0)
    row = dict(zip(names, texts, strict=True))
    for total_name, rate_name in TOTALS.items():
        if total_name in row and rate_name in row:
            try:
                total, per_second = _scaled(row[total_name], 1.0), _scaled(row[rate_name], 1.0)
            except InputError:
                continue
            if per_second > 0 and total > best[0]:
                best = (total, total / per_second)
    return best


def from_object(given: Mapping[str, object]) -> dict[str, float]:
    """Figures of a JSON object; raises ``InputError`` for one that is not a number."""
    names = [name for name in given if COLUMNS.get(name) is not None]
    texts = []
    for name in names:
        value = given[name]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError("wrong-type", None, f"{name}: expected a number")
        texts.append(repr(value) if abs(value) < 1e15 else f"{value:.3e}")
    return figures(names, texts)


def _scaled(text: str, factor: float) -> float:
    match = _SUFFIXED.fullmatch(text)  # iostat -h
    if match is None:
        return rate(text) * factor
    return rate(match[1]) * (factor if match[2] == "%" else _HUMAN[match[2]])
