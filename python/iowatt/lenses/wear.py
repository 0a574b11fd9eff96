"""The media wear gauge: how much of what a drive is rated to last this work uses, and how long it would last.

Ratings are those of data sheets. SSDs have bytes written by hosts (TBW) and program and erase cycles of their
flash; disks have bytes read and written a year (a rate, not a stock), loads and unloads of the heads, and
starts and stops of the spindle. Each change to a deeper power level is taken to unload the heads once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from iowatt.run.summary_parts import WearGauge

SECONDS_PER_YEAR: Final = 365 * 86_400


def gauges(device: Mapping[str, Any], ratings: Mapping[str, float], duration_s: float) -> list[WearGauge]:
    """The wear of one drive.

    Parameters
    ----------
    device:
        Its row of the table ``devices``, counts of the window.
    ratings:
        What it is rated to last, by the names of :class:`iowatt.run.summary_parts.WearGauge`.
    duration_s:
        The window, seconds.
    """
    return list(_gauges(device, ratings, duration_s)) if duration_s > 0 else []


def _gauges(
    device: Mapping[str, Any], ratings: Mapping[str, float], duration_s: float
) -> Iterator[WearGauge]:
    for rating, rated in ratings.items():
        used = _used(rating, rated, device)
        if used is None:
            continue
        per_year = used * SECONDS_PER_YEAR / duration_s
        stock = rating != "bytes_per_year"
        yield WearGauge(
            rating=rating,
            rated=rated,
            used=used,
            per_year=per_year,
            used_fraction=used / rated if stock else None,
            yearly_fraction=per_year / rated,
            life_years=rated / per_year if stock and per_year > 0 else None,
        )


def _used(rating: str, rated: float, device: Mapping[str, Any]) -> float | None:
    """What was used within the window; None where it was not counted."""
    if rating == "bytes_written":
        written = device.get("flash_host_bytes_written")
        return float(device["bytes_written"] if written is None else written)
    if rating == "pe_cycles":
        fraction = device.get("flash_pe_cycles_fraction")
        return None if fraction is None else float(fraction) * rated
    if rating == "bytes_per_year":
        return float(device["bytes_read"] + device["bytes_written"])
    return float(device["level_changes" if rating == "load_unload_cycles" else "spin_downs"])
