"""What Li, Mukker and Zadok published of their systems (HotStorage 2014).

Only ranges over configurations were available: no values of bars, no prices, no rates of the tariff.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from iowatt.studies.text import study_text

TEXT: Final = study_text("dollars2014")

Range = tuple[float, float]


@dataclass(frozen=True)
class Published:
    """The published figures of one workload; shares in percent."""

    #: Throughput of caching against tiering, by promotion threshold (None: all of them).
    throughput: dict[int | None, Range]
    hit_caching: Range
    hit_tiering: Range
    hit_linear: float
    #: Cost of caching against tiering after 100,000 repetitions.
    long_run: Range
    #: Years of 100,000 repetitions: mean, and range.
    years: float
    years_range: Range


PUBLISHED: Final = {
    "web-search": Published(
        throughput={4: (4.0, 9.0), 16: (4.0, 9.0), 64: (0.0, 0.0)},
        hit_caching=(81.0, 98.0),
        hit_tiering=(85.0, 98.0),
        hit_linear=8.0,
        long_run=(-20.0, -8.0),
        years=2.1,
        years_range=(0.2, 7.7),
    ),
    "fiu-online": Published(
        throughput={None: (-82.0, -58.0)},
        hit_caching=(92.0, 99.0),
        hit_tiering=(98.0, 99.0),
        hit_linear=84.0,
        long_run=(5.0, 23.0),
        years=3.3,
        years_range=(0.7, 9.8),
    ),
}

#: FIU online at extents of 4 KiB, the one extent size that is published by name.
SMALLEST_KIB: Final = 4
SMALLEST_THROUGHPUT: Final = -82.0

#: The factors by which the work is repeated.
ONCE: Final = 1.0
LONG_RUN: Final = 100_000.0

#: "Slightly dearer": cost of caching against tiering at the work done once, in percent. The 10 is ours.
SLIGHTLY: Final[Range] = (0.0, 10.0)
