"""Column names of sysstat's tools, old and new, and what they mean.

Units are those of sysstat's manual pages iostat(1), sar(1) and sadf(1): a sector has 512 bytes, kB and MB are
1,024 and 1,048,576 bytes, waits are in milliseconds, %util is in percent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from iowatt.counters.text import rate

_SECTOR, _KB, _MB = 512.0, 1024.0, 1024.0**2

# Name: (figure, factor to SI); `None`: known and of no use here.
COLUMNS: Final[dict[str, tuple[str, float] | None]] = {
    "tps": ("requests", 1), "r/s": ("reads", 1), "w/s": ("writes", 1), "d/s": ("discards", 1), "f/s": ("flushes", 1),
    "rtps": ("reads", 1), "wtps": ("writes", 1), "dtps": ("discards", 1),
    "rsec/s": ("read_bytes", _SECTOR), "wsec/s": ("write_bytes", _SECTOR), "dsec/s": ("discard_bytes", _SECTOR),
    "rd_sec/s": ("read_bytes", _SECTOR), "wr_sec/s": ("write_bytes", _SECTOR), "dc_sec/s": ("discard_bytes", _SECTOR),
    "rd_sec": ("read_bytes", _SECTOR), "wr_sec": ("write_bytes", _SECTOR), "dc_sec": ("discard_bytes", _SECTOR),
    "bread/s": ("read_bytes", _SECTOR), "bwrtn/s": ("write_bytes", _SECTOR), "bdscd/s": ("discard_bytes", _SECTOR),
    "Blk_read/s": ("read_bytes", _SECTOR), "Blk_wrtn/s": ("write_bytes", _SECTOR),
    "Blk_dscd/s": ("discard_bytes", _SECTOR),
    "rkB/s": ("read_bytes", _KB), "wkB/s": ("write_bytes", _KB), "dkB/s": ("discard_bytes", _KB),
    "rkB": ("read_bytes", _KB), "wkB": ("write_bytes", _KB), "dkB": ("discard_bytes", _KB),
    "kB_read/s": ("read_bytes", _KB), "kB_wrtn/s": ("write_bytes", _KB), "kB_dscd/s": ("discard_bytes", _KB),
    "rMB/s": ("read_bytes", _MB), "wMB/s": ("write_bytes", _MB), "dMB/s": ("discard_bytes", _MB),
    "MB_read/s": ("read_bytes", _MB), "MB_wrtn/s": ("write_bytes", _MB), "MB_dscd/s": ("discard_bytes", _MB),
    "sec/s": ("bytes", _SECTOR), "kB/s": ("bytes", _KB), "MB/s": ("bytes", _MB),
    "rrqm/s": ("read_merged", 1), "wrqm/s": ("write_merged", 1), "rqm/s": ("merged", 1), "drqm/s": None,
    "%rrqm": None, "%wrqm": None, "%drqm": None, "rrqm": None, "wrqm": None, "drqm": None,
    "await": ("wait", 1e-3), "r_await": ("read_wait", 1e-3), "w_await": ("write_wait", 1e-3),
    "d_await": None, "f_await": None, "svctm": None,
    "avgrq-sz": ("size", _SECTOR), "areq-sz": ("size", _KB), "rareq-sz": ("read_size", _KB),
    "wareq-sz": ("write_size", _KB), "dareq-sz": None,
    "avgqu-sz": ("queue", 1), "aqu-sz": ("queue", 1),
    "%util": ("utilisation", 0.01), "util": ("utilisation", 0.01), "util-percent": ("utilisation", 0.01),
}  # fmt: skip
# Totals since the report before: with a rate they say how long the interval was.
TOTALS: Final = {
    f"{unit}_{way}": f"{unit}_{way}/s" for unit in ("Blk", "kB", "MB") for way in ("read", "wrtn", "dscd")
}
_HUMAN: Final = {"s": 512.0, "B": 1.0, "k": 1024.0, "M": 1024.0**2, "G": 1024.0**3, "T": 1024.0**4, "P": 1024.0**5}
_SUFFIXED: Final = re.compile(r"([0-9.,]{1,40})([sBkMGTP%])", re.ASCII)
_COARSE: Final = {"rMB/s": ("reads", "read_size", "read_bytes"), "wMB/s": ("writes", "write_size", "write_bytes")}


def known(name: str) -> bool:
    """Whether ``name`` is a column of sysstat's."""
    return name in COLUMNS or name in TOTALS


def figures(names: Sequence[str], texts: Sequence[str]) -> dict[str, float]:
    """Figures of a row in SI units, by `iowatt.counters.log`'s names.

    Raises
    ------
    ValueError
        What is wrong with which column.
    """
    found: dict[str, float] = {}
    for name, text in zip(names, texts, strict=True):
        meaning = COLUMNS.get(name)
        if meaning is None:
            continue
        figure, factor = meaning
        try:
            value = _scaled(text, factor)
        except ValueError as error:
            raise ValueError(f"column {name}: {error}") from None
        found.setdefault(figure, value)
    for name, (count, size, amount) in _COARSE.items():
        # Rates in MB with two decimals are coarse; requests times their mean size are the same, finer.
        if name in names and count in found and size in found:
            found[amount] = found[count] * found[size]
    return found


def seconds_of(names: Sequence[str], texts: Sequence[str]) -> tuple[float, float]:
    """(total, seconds) by the row's largest total and its rate; (0, 0) where it has none."""
    best = (0.0, 0.0)
    row = dict(zip(names, texts, strict=True))
    for total_name, rate_name in TOTALS.items():
        if total_name in row and rate_name in row:
            try:
                total, per_second = _scaled(row[total_name], 1.0), _scaled(row[rate_name], 1.0)
            except ValueError:
                continue
            if per_second > 0 and total > best[0]:
                best = (total, total / per_second)
    return best


def from_object(given: Mapping[str, object]) -> dict[str, float]:
    """The same of a JSON object; what is no number and no name is a ``ValueError``."""
    names = [name for name in given if COLUMNS.get(name) is not None]
    texts = []
    for name in names:
        value = given[name]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{name}: expected a number")
        texts.append(repr(value) if abs(value) < 1e15 else f"{value:.3e}")
    return figures(names, texts)


def _scaled(text: str, factor: float) -> float:
    match = _SUFFIXED.fullmatch(text)  # iostat -h
    if match is None:
        return rate(text) * factor
    return rate(match[1]) * (factor if match[2] == "%" else _HUMAN[match[2]])
