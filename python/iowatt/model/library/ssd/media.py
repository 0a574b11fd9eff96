"""Typical NAND flash by cell type, with sources, for drives whose own figures are not known.

Times are means over the pages of a cell: for QLC, reads of 47.9, 76.2, 134.6 and 228.1 us; for TLC, 2.1 ms to
program three pages at once. Each is from one chip, and chips of a type differ by a factor of two and more
(HP's white paper on SLC, MLC and TLC has 25, 50 and about 75 us of sensing): figures of a drive's data sheet
take precedence.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

from iowatt.model.library.flash import Cell


@dataclass(frozen=True)
class Media:
    """Flash of one type; seconds, bytes, cycles. ``source`` is of the times, ``wear`` of the cycles."""

    cell: Cell
    read_s: float
    program_s: float
    erase_s: float
    planes: int
    page_bytes: int
    pages_per_block: int
    pe_cycles: int
    source: str
    wear: str


_PLANAR: Final = 16384
MEDIA: Final[dict[Cell, Media]] = {
    "slc": Media(
        "slc", 25e-6, 200e-6, 1.6e-3, 2, 8192, 128, 100_000,
        "an SLC chip, as in wiscsee's configuration",
        "100,000 cycles, what is commonly said of SLC",
    ),
    "mlc": Media(
        "mlc", 75e-6, 750e-6, 3.8e-3, 2, _PLANAR, 256, 10_000,
        "MQSim's default MLC",
        "10,000 cycles, MQSim's default",
    ),
    "tlc": Media(
        "tlc", 70e-6, 700e-6, 10e-3, 2, _PLANAR, 768, 3_000,
        "a 256 Gbit 3D TLC chip, as in py_ssd_sim's configuration",
        "3,000 cycles, what is commonly said of TLC",
    ),
    "qlc": Media(
        "qlc", 121.7e-6, 1.86e-3, 6.34e-3, 4, _PLANAR, 1024, 1_000,
        "Intel 96-layer QLC, measured by Chen et al., ICCD 2022",
        "1,000 cycles, as Micron states for its first QLC",
    ),
}  # fmt: skip

REFERENCES: Final[dict[Cell, tuple[int, ...]]] = {
    "slc": (1,),
    "mlc": (1, 2),
    "tlc": (1, 2, 4),
    "qlc": (1, 2, 4, 8),
}
"""Reference voltages against which a page is sensed, by page type (a Gray code). What each takes comes on top
of a base that is as long as one: QLC of Intel, measured by Chen et al. (ICCD 2022), has 47.9, 76.2, 134.6 and
228.1 us, which a line of 25.4 us and 25.7 us a reference meets within 7 %. Of a TLC drive (Intel P4510, fio
at depth 1) the base is 1.75 references."""
RETRIES: Final = 0.002
"""Share of senses that are repeated, of cells of more than one bit: a TLC drive in use (Intel P4510, fio at
depth 1) has one sense more in its p99.9 (106 us at p99, 159 at p99.9). The band is 0.0005 (new) to 0.01
(worn)."""


def read_by_page(cell: Cell, mean_s: float) -> tuple[float, ...]:
    """Sensing by page type, with this mean."""
    senses = [1 + references for references in REFERENCES[cell]]
    mean = sum(senses) / len(senses)
    return tuple(mean_s * sense / mean for sense in senses)


CHANNEL_RATE: Final = 800e6
CHANNEL_SOURCE: Final = "800 MT/s on 8 lines (ONFI 4)"


UNNAMED: Final[Cell] = "tlc"
"""The cell type of NAND whose data sheet names none: that of most drives since 2016."""
OTHER_MEMORY: Final = re.compile(r"xpoint|optane|z-nand|xl-flash|dram", re.IGNORECASE)
"""Memory without a sensing time of MEDIA: not NAND, or NAND made for latency."""


def cells_of(media: str | None) -> list[Cell]:
    """The cell types named in a data sheet's description of the memory."""
    return [cell for cell in MEDIA if re.search(rf"\b[pe]?{cell}\b", media or "", re.IGNORECASE)]


def cell_of(media: str | None) -> Cell | None:
    """The cell type if exactly one is named, else None."""
    cells = cells_of(media)
    return cells[0] if len(cells) == 1 else None


def amplification(spare: float) -> float:
    """Flash writes per host write at the spare factor ``spare`` (flash beyond the logical space, over it).

    ``A = a / (a + W0(-a e^-a))`` with Lambert's W, here by Newton's method on ``u = exp(-a (1 - u))``.
    """
    if spare <= 0:
        raise ValueError("expected a spare factor above 0")
    a = 1 + spare
    valid = math.exp(-a)  # from below, where Newton's method converges without overshooting
    for _ in range(200):
        power = math.exp(-a * (1 - valid))
        step = (power - valid) / (1 - a * power)
        valid += step
        if abs(step) < 1e-15:
            break
    return 1 / (1 - valid)


def spare(amplified: float) -> float:
    """The spare factor at which uniform writes are amplified ``amplified`` times.

    Solved for ``a``, the equation above is ``a = -A ln(1 - 1/A)``.
    """
    if amplified <= 1:
        raise ValueError("expected an amplification above 1")
    return -amplified * math.log1p(-1 / amplified) - 1
