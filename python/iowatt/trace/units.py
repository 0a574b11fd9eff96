"""Whether sizes that were read as bytes look like counts of sectors.

Only where the user's own columns or pattern say the unit: other formats define theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from iowatt.trace.columns import SECTOR_BYTES

_NAMED: Final = ("csv", "parquet", "regex")


def doubt(trace: Mapping[str, Any], formats: str, said: str) -> list[str]:
    """What is warned of where ``said`` (a phrase: most sizes, the mean size) is below a sector.

    ``trace`` is the spec that was read, ``formats`` the format that its reader names, of several traces each
    once. Empty where all of them define their unit.
    """
    named = [one for one in formats.split(", ") if one in _NAMED]
    if not named:
        return []
    if named == ["regex"]:
        remedy = "name that group of the pattern sectors, and lba that of offsets that count sectors too"
    else:
        header = (trace.get("columns") or {}).get("size", "size")
        shown = header if isinstance(header, int) else f'"{header}"'
        remedy = f"columns = {{ sectors = {shown} }}, and lba for an offset that counts sectors too"
    return [f"{said} below a sector of {SECTOR_BYTES} bytes. If sizes count sectors, say so: {remedy}"]


class Small:
    """Counts the reads and writes below a sector, batch by batch."""

    def __init__(self) -> None:
        self._below = self._all = 0

    def add(self, op: npt.NDArray[np.uint8], size: npt.NDArray[Any]) -> None:
        """``op`` is 0 or 1 of reads and writes; ``size`` in bytes, as long."""
        sizes = size[op < 2]
        self._below += int((sizes < SECTOR_BYTES).sum())
        self._all += sizes.size

    def doubt(self, trace: Mapping[str, Any], formats: str) -> list[str]:
        """As :func:`doubt`, where most of them are below."""
        return doubt(trace, formats, MOST) if 2 * self._below > self._all else []


MOST: Final = "most sizes are"
