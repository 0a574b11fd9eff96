"""Turns of phrase that several sentences of a report share."""

from __future__ import annotations

from collections.abc import Sequence

from iowatt.render import numbers


def between(interval: Sequence[float]) -> str:
    """A range of milliseconds, both ends in the same unit."""
    factor, unit = numbers.scale_for(interval[1], "ms")
    low, high = (numbers.significant(end / factor) for end in interval)
    return f"{low} to {high}\u00a0{unit}"


def listed(words: Sequence[str]) -> str:
    """Words as a list in a sentence: ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
