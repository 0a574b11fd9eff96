"""What a data sheet promises besides watts and mechanics: rates, endurance, and what was paid for it."""

from __future__ import annotations

from typing import Any, Final

from iowatt.base.quantity import Capacity, Duration, Rate
from iowatt.base.strict import Strict, key


def _optional(description: str, unit: str | None = None, **constraints: Any) -> Any:
    return key(description, default=None, unset="not known", unit=unit, **constraints)


LATENCIES: Final = ("read_latency", "write_latency", "sequential_read_latency", "sequential_write_latency")


class Performance(Strict):
    """Highest rates as published, and of an SSD the times of requests that come one at a time."""

    sequential_read: Rate | None = _optional(
        "Highest sustained rate of sequential reads; of a disk, its outermost tracks.", gt=0
    )
    sequential_write: Rate | None = _optional("The same for writes.", gt=0)
    random_read_iops: float | None = _optional(
        "Random reads a second as published, usually of 4 KiB with a deep queue.", "1/s", gt=0
    )
    random_write_iops: float | None = _optional("The same for writes, steady state where known.", "1/s", gt=0)
    read_latency: Duration | None = _optional("Typical time of one random read of 4 KiB, of an SSD.", gt=0)
    write_latency: Duration | None = _optional("The same for writes.", gt=0)
    sequential_read_latency: Duration | None = _optional(
        "Typical time of one sequential read of 4 KiB, which the drive has read ahead, of an SSD.", gt=0
    )
    sequential_write_latency: Duration | None = _optional("The same for writes.", gt=0)


class Endurance(Strict):
    """Ratings of wear and failure."""

    tbw: Capacity | None = _optional("What may be written to it over its life.", gt=0)
    dwpd: float | None = _optional("Drive writes per day over its warranty.", "1/d", gt=0)
    warranty: float | None = _optional("The years that dwpd is for.", "years", gt=0, le=20)
    workload_per_year: Capacity | None = _optional("Rated transfers in a year.", gt=0)
    load_unload_cycles: int | None = _optional("Rated head load and unload cycles.", gt=0)
    start_stop_cycles: int | None = _optional("Rated starts and stops of the spindle.", gt=0)
    mtbf_hours: float | None = _optional("Mean time between failures.", "h", gt=0)
    afr_percent: float | None = _optional("Annual failure rate.", "%", gt=0, le=100)


class Price(Strict):
    """What one cost, and when."""

    usd: float | None = _optional("US dollars for one.", "USD", gt=0)
    date: str | None = _optional("Day, month or year of the price.", pattern=r"^\d{4}(-\d{2}){0,2}$")
