"""Numbers as a person reads them: three or four significant digits, thousands separators, a fitting unit.

What a page shows goes through here; what is downloaded from it (CSV, XLSX) is not rounded for reading.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

NO_VALUE = "–"
SAME = "same"
_NBSP = "\u00a0"
_LEAST_WRITTEN_OUT = 1e-6


def significant(value: float | None, digits: int = 3) -> str:
    """``value`` with ``digits`` significant digits, all integer digits kept, thousands separated.

    What is below a millionth has an exponent.

    >>> significant(12345.6), significant(0.012345), significant(3.29e-8), significant(None)
    ('12,346', '0.0123', '3.29e-8', '–')
    """
    if value is None or not math.isfinite(value):
        return NO_VALUE
    if value == 0:
        return "0"
    rounded = rounded_to(value, digits)
    if abs(rounded) < _LEAST_WRITTEN_OUT:
        return f"{rounded:.{digits}g}".replace("e-0", "e-")
    magnitude = math.floor(math.log10(abs(rounded)))
    return f"{value:,.{max(0, digits - 1 - magnitude)}f}"


def count(value: float | None) -> str:
    """A whole number with thousands separators."""
    return NO_VALUE if value is None else f"{round(value):,}"


def counted(number: int, noun: str) -> str:
    """``1 caveat``, ``6 caveats``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(fraction: float | None) -> str:
    """A fraction as a percentage; tiny shares are shown as such, never as 0 %."""
    if fraction is None:
        return NO_VALUE
    if 0 < fraction < 0.0005:
        return f"<{_NBSP}0.1{_NBSP}%"
    shown = f"{100 * fraction:.1f}" if fraction < 0.995 else significant(100 * fraction, 4)
    return f"{shown.removesuffix('.0')}{_NBSP}%"


def probability(value: float) -> str:
    """A probability: a percentage, or with an exponent where it is small.

    >>> probability(0.0082), probability(3.4e-11), probability(0.0)
    ('0.82\xa0%', '3.4e-11', '0')
    """
    if value == 0:
        return "0"
    if value < 1e-3:
        return f"{value:.1e}".replace("e-0", "e-")
    return f"{significant(100 * value, 2 if value < 0.1 else 3)}{_NBSP}%"


def one_in(value: float) -> str:
    """A probability as ``one in 120``; empty for what is likely or impossible."""
    return f"one in {round(rounded_to(1 / value, 2)):,}" if 0 < value < 0.5 else ""


def change(fraction: float | None) -> str:
    """A relative change with its sign: ``+12 %``, ``same`` under half a thousandth, ``3.2 ×`` if tripled."""
    if fraction is None:
        return ""
    if abs(fraction) < 0.0005:
        return SAME
    if fraction > 2:
        return f"{significant(1 + fraction)}{_NBSP}×"
    return f"{'+' if fraction > 0 else '−'}{percent(abs(fraction))}"


def rounded_to(value: float, digits: int) -> float:
    """``value`` rounded to significant digits, still a number."""
    return float(f"{value:.{digits}g}")


_SCALES: dict[str, Sequence[tuple[float, str]]] = {
    "J": ((1e9, "GJ"), (1e6, "MJ"), (1e3, "kJ"), (1, "J"), (1e-3, "mJ"), (1e-6, "µJ")),
    "W": ((1e6, "MW"), (1e4, "kW"), (1, "W"), (1e-3, "mW")),
    "ms": ((1e3, "s"), (0.1, "ms"), (1e-4, "µs")),
    "B": ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B")),
}
_FACTORS = {"GJ": 1e9, "MJ": 1e6, "kJ": 1e3, "mJ": 1e-3, "µJ": 1e-6, "MW": 1e6, "kW": 1e3, "mW": 1e-3}
_FACTORS |= {"s": 1e3, "µs": 1e-3, "TB": 1e12, "GB": 1e9, "MB": 1e6, "kB": 1e3}


def scale_for(largest: float, unit: str) -> tuple[float, str]:
    """The factor and unit in which ``largest`` (in ``unit``) reads well: divide by the factor.

    >>> scale_for(2.5e6, "J")
    (1000000.0, 'MJ')
    """
    steps = _SCALES[unit]
    for threshold, name in steps:
        if abs(largest) >= threshold:
            return _FACTORS.get(name, 1.0), name
    name = unit if largest == 0 else steps[-1][1]
    return _FACTORS.get(name, 1.0), name


def with_unit(value: float | None, unit: str, digits: int = 3) -> str:
    """A value with its unit, scaled to read well: ``with_unit(0.02, "ms")`` is ``20.0 µs``.

    Units that are not scaled (``IOPS``, ``J·s``, ...) are put behind the number as they are.
    """
    if value is None or not math.isfinite(value):
        return NO_VALUE
    if unit not in _SCALES:
        return f"{significant(value, digits)}{_NBSP}{unit}"
    factor, name = scale_for(value, unit)
    return f"{significant(value / factor, digits)}{_NBSP}{name}"


def duration(seconds: float) -> str:
    """A length of time: ``45 s``, ``10 min``, ``2.5 h``, ``3.2 days``."""
    for length, name in ((2 * 86400.0, "days"), (2 * 3600.0, "h"), (120.0, "min"), (1.0, "s")):
        if seconds >= length:
            unit = {"days": 86400.0, "h": 3600.0, "min": 60.0, "s": 1.0}[name]
            return f"{f'{seconds / unit:.4g}'}{_NBSP}{name}"
    return with_unit(1e3 * seconds, "ms")


def figure(value: float, digits: int = 3) -> str:
    """A number with at most ``digits`` significant digits and all its integer digits, no trailing zeros."""
    if value == 0.0 or 1e-4 <= abs(value) < 10**digits or abs(value) >= 1e15:
        return f"{value:,.{digits}g}"
    return f"{value:,.0f}" if abs(value) >= 1 else f"{value:.{digits}g}"


def years(value: float | None) -> str:
    """A length of time in years of 365 days, or in a smaller unit below one: ``5 years``, ``90 days``."""
    if value is None:
        return NO_VALUE
    if value < 0.95:
        return duration(value * 365 * 86_400).replace(_NBSP, " ")
    shown = figure(value)
    return f"{shown} year{'' if shown == '1' else 's'}"


def binary(size: int) -> str:
    """A size in bytes of memory or of a block: powers of 1024."""
    for factor, unit in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= factor:
            return f"{size / factor:.4g}\u00a0{unit}"
    return f"{size}\u00a0B"
