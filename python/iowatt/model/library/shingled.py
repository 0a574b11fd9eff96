"""Overlapping tracks that the drive manages: bands, and the media cache for what does not fill them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from iowatt.base.quantity import Capacity, Duration
from iowatt.base.strict import Strict, key

# Of the drives that Aghayev and Desnoyers opened (Skylight, FAST 2015), as recalled: one media cache of about
# 25 GB on the disk, which fills after some 200,000 small writes whatever their size, because its map is full;
# bands of 15 to 40 MB.
BAND_BYTES: Final = 32 << 20
CACHE_SHARE: Final = 0.004
LEAST_CACHE_BANDS: Final = 4
MAP_ENTRIES: Final = 200_000
IDLE_S: Final = 1.0
#: Zones of host-managed drives, as the library's HC680 states them.
ZONE_BYTES: Final = 256 << 20


class ShingledFigures(Strict):
    """What is known of a drive with `recording = "dm-smr"`."""

    band: Capacity | None = key(
        "Tracks that overlap, between two gaps: what is rewritten at once.", unset="assumed, and said so",
        within=(2**20, 2**33), example="32MiB",
    )  # fmt: skip
    cache: Capacity | None = key(
        "Media cache that takes writes in order of arrival, beyond the capacity.",
        unset="assumed, and said so", within=(2**20, 2**40), example="25GB",
    )  # fmt: skip
    map_entries: int | None = key(
        "Writes that the media cache holds at most, however small.", unset="assumed, and said so",
        within=(1, 10**7), example=200_000,
    )  # fmt: skip
    idle: Duration | None = key(
        "Rest after which the drive cleans.", unset="assumed, and said so", within=(0, 86_400), example="1s"
    )


@dataclass(frozen=True)
class Shingled:
    """A drive's bands and its media cache, in bytes and seconds."""

    band: int
    cache: int
    map_entries: int
    idle_s: float

    def plan(self, sector_bytes: int) -> dict[str, Any]:
        """``ShingledPlan``."""
        return {
            "band_sectors": self.band // sector_bytes,
            "cache_sectors": self.cache // sector_bytes,
            "map_entries": self.map_entries,
            "idle_s": self.idle_s,
        }
