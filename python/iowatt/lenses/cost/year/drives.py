"""What each drive did over a year: the counts of Runs, each for the seconds that it stands for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from iowatt.lenses.cost.system import Counts, Drive, System
from iowatt.lenses.cost.year.cycle import Floats


def over(systems: Sequence[System], weights_s: Floats) -> tuple[Drive, ...]:
    """The drives of the last system with the counts of ``weights_s`` seconds of each system's work.

    Drives are the same in all, in the same order; a figure that one of them does not have is not known of
    the year, if that Run stands for any of it.
    """
    times = [
        float(weight) / system.work.duration_s for weight, system in zip(weights_s, systems, strict=True)
    ]
    return tuple(
        replace(drive, counts=_summed([system.drives[index].counts for system in systems], times))
        for index, drive in enumerate(systems[-1].drives)
    )


def _summed(counts: Sequence[Counts], times: Sequence[float]) -> Counts:
    used = [one.scaled(factor) for one, factor in zip(counts, times, strict=True) if factor > 0]
    return Counts(
        bytes_read=math.fsum(one.bytes_read for one in used),
        bytes_written=math.fsum(one.bytes_written for one in used),
        start_stops=math.fsum(one.start_stops for one in used),
        load_unloads=math.fsum(one.load_unloads for one in used),
        pe_fraction=_known([one.pe_fraction for one in used]),
        write_amplification=_amplification(used),
        percentage_used=_known([one.percentage_used for one in used]),
        low_s=_known([one.low_s for one in used]),
        saved_j=_known([one.saved_j for one in used]),
    )


def _known(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) if len(known) == len(values) else None


def _amplification(used: Sequence[Counts]) -> float | None:
    """Bytes programmed over bytes that hosts wrote; Runs without writes have none, and change nothing."""
    writing = [one for one in used if one.bytes_written > 0]
    programmed = _known(
        [
            None if one.write_amplification is None else one.write_amplification * one.bytes_written
            for one in writing
        ]
    )
    if not writing or programmed is None:
        return None
    return programmed / math.fsum(one.bytes_written for one in writing)
