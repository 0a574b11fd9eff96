"""What bounds a drive's rates: its controller by size of a command, its link by its interface's words."""

from __future__ import annotations

import re
from typing import Final

from iowatt.model.library.ssd.figures import Points

SMALL: Final = 4096
MIDDLE: Final = 8192
LARGE: Final = 128 * 1024

PCIE_LANE: Final = {1: 250e6, 2: 500e6, 3: 985e6, 4: 1969e6, 5: 3938e6, 6: 7563e6}
"""Bytes a second of a lane by generation, after line coding."""
PACKETS: Final = 0.91
"""Share of a PCIe link that carries data: packets of 256 bytes with 24 to 28 bytes of headers and framing."""
_SERIAL: Final = {"1.5G": 150e6, "3G": 300e6, "6G": 600e6, "12G": 1200e6, "24G": 2400e6}
FRAMES: Final = 0.94
"""The same of SATA and SAS: frames and primitives."""


def holds(iops: float, rate: float, middle_iops: float | None = None) -> Points:
    """How long a command holds a controller: a time, and a time for each further unit that it moves.

    4 KiB meet ``iops`` a second, 128 KiB ``rate`` bytes a second, it is linear between; ``middle_iops`` is a
    published figure of 8 KiB.
    """
    small, large = 1 / iops, LARGE / rate
    if large <= small:
        return ((SMALL, small), (max(SMALL + 1, round(rate / iops)), small))
    middle = 1 / middle_iops if middle_iops is not None else None
    between = () if middle is None else ((MIDDLE, min(max(middle, small), large)),)
    return ((SMALL, small), *between, (LARGE, large))


def link_rate(interface: str | None) -> float | None:
    """Bytes a second of data that the link of these words carries each way; None where they do not say."""
    words = interface or ""
    pcie = re.search(r"(?:pcie|pci express|gen)\s*([1-6])(?:\.\d)?\s*x\s*(\d+)", words, re.IGNORECASE)
    if pcie is not None:
        return PACKETS * PCIE_LANE[int(pcie.group(1))] * int(pcie.group(2))
    serial = re.findall(r"\b(?:SATA|SAS)\s*(1\.5G|3G|6G|12G|24G)", words, re.IGNORECASE)
    return FRAMES * max(_SERIAL[speed.upper()] for speed in serial) if serial else None
