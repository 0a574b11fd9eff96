"""A log cut by the intervals of a run: its samples in each, and whether they are enough.

A sample belongs to the interval in which its stamp lies, start excluded and end included, because an
instrument stamps what it has just averaged. A mean weighs each sample with the time since the previous one,
1.5 sampling intervals at most: with a steady instrument it is the arithmetic mean that the rules ask for
(SNIA Emerald: average power is the arithmetic mean), and a sample after a gap does not stand for the
gap. Nothing is interpolated: an interval that lacks samples is incomplete, and says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from iowatt.base.errors import InputError
from iowatt.sources.meters.log.checks import Mask, sample_interval, within
from iowatt.sources.meters.log.instrument import Instrument, InstrumentLog, LogProblem, Series

Counts = npt.NDArray[np.int64]

#: Share of the samples that an interval needs (SNIA Emerald: fewer than 0.9 of a minute's 12 are flagged).
LEAST_SHARE: Final = 0.9
_LONGEST_WEIGHT: Final = 1.5
_NONE: Final = (np.empty(0), np.empty(0))
_FLAGGED: Final = ("out-of-range", "clipped")


@dataclass(frozen=True)
class AlignedSeries:
    """One quantity of one instrument, interval by interval; all arrays are as long as ``start``."""

    instrument: Instrument
    quantity: str
    start: Series  #: Unix time, UTC, s.
    end: Series
    samples: Counts  #: Valid samples, and how many there should be.
    expected: Counts
    not_available: Counts  #: Rows without a valid value, by their reason.
    out_of_range: Counts
    #: Longest time in s between valid samples that touches the interval; its own length where there is none.
    longest_gap_s: Series
    mean: Series  #: Of the valid samples; NaN where there is none.
    minimum: Series
    maximum: Series
    #: Why an interval is incomplete or doubtful, each a few words; empty where there is no objection.
    flags: tuple[tuple[str, ...], ...]
    #: Whether there were samples enough, close enough. There may still be a flag (suspected clipping).
    complete: Mask

    @property
    def usable_mean(self) -> Series:
        """The mean where the interval is complete, else NaN."""
        return np.where(self.complete, self.mean, np.nan)


def align(
    log: InstrumentLog,
    quantity: str,
    start: Series,
    end: Series,
    *,
    longest_gap_s: float | None = None,
    least_share: float = LEAST_SHARE,
) -> AlignedSeries:
    """Cut a log by intervals.

    Parameters
    ----------
    quantity:
        A name of ``log.QUANTITIES``. A log without it gives intervals without samples.
    start, end:
        Unix time, UTC, s, of each interval; they need not touch.
    longest_gap_s:
        The most that samples may lie apart (5 s for power, 60 s for temperature in the v1.0 rules); None sets
        no limit.
    least_share:
        Share of the expected samples below which an interval is incomplete.
    """
    start, end = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    values = log.quantities.get(quantity, np.full(len(log.time_s), np.nan))
    valid = np.isfinite(values)
    time_s, good = log.time_s, values[valid]
    when = time_s[valid]
    nominal = sample_interval(time_s, log.instrument.sample_interval_s)
    weights = _weights(time_s, nominal)[valid]
    bad_time, bad_range = time_s[~valid], _flagged(log, time_s)[~valid]

    count = len(start)
    first, last = np.searchsorted(when, start, "right"), np.searchsorted(when, end, "right")
    bad_first, bad_last = np.searchsorted(bad_time, start, "right"), np.searchsorted(bad_time, end, "right")
    samples = last - first
    # An interval of 7.5 sampling times may hold 7 samples and lack none; a clock may be a little slow.
    # One shorter than the time between samples need not hold any.
    expected = np.ones(count)
    if nominal:
        width = end - start
        expected = np.where(width < nominal, 0, np.maximum(1, np.floor(width / nominal + 0.25)))
    out_of_range = np.zeros(count, dtype=np.int64)
    gap, mean, least, most = (np.full(count, np.nan) for _ in range(4))
    complete = np.zeros(count, dtype=bool)
    flags: list[tuple[str, ...]] = []
    for k in range(count):
        here = slice(first[k], last[k])
        out_of_range[k] = bad_range[bad_first[k] : bad_last[k]].sum()
        gap[k] = _longest_gap(when, int(first[k]), int(last[k]), float(start[k]), float(end[k]))
        if samples[k]:
            least[k], most[k] = good[here].min(), good[here].max()
            # Rounding must not carry a mean outside its samples.
            mean[k] = np.clip(np.average(good[here], weights=weights[here]), least[k], most[k])
        lacks = _lacks(int(samples[k]), int(expected[k]), float(gap[k]), longest_gap_s, least_share)
        doubts = _doubts(log.problems, float(start[k]), float(end[k]))
        complete[k] = not lacks
        flags.append((*lacks, *doubts))
    return AlignedSeries(
        instrument=log.instrument,
        quantity=quantity,
        start=start,
        end=end,
        samples=samples.astype(np.int64),
        expected=expected.astype(np.int64),
        not_available=(bad_last - bad_first - out_of_range).astype(np.int64),
        out_of_range=out_of_range,
        longest_gap_s=gap,
        mean=mean,
        minimum=least,
        maximum=most,
        flags=tuple(flags),
        complete=complete,
    )


def total(parts: Sequence[AlignedSeries]) -> Series:
    """The sum of the means of several meters over the same intervals; NaN where any of them is incomplete.

    Raises ``ValueError`` where the intervals are not the same: meters are aligned first, then summed.
    """
    if not parts:
        raise ValueError("no meter to sum")
    for part in parts[1:]:
        if not (np.array_equal(part.start, parts[0].start) and np.array_equal(part.end, parts[0].end)):
            raise ValueError("meters are summed over the same intervals only")
    found: Series = np.sum([part.usable_mean for part in parts], axis=0)
    return found


def _weights(time_s: Series, nominal: float | None) -> Series:
    """Seconds that each row covers."""
    if nominal is None:
        return np.ones(len(time_s))
    apart = np.diff(time_s, prepend=time_s[0] - nominal if len(time_s) else 0.0)
    # Rows of one instant share it; none is left without weight.
    return np.clip(apart, nominal * 1e-3, nominal * _LONGEST_WEIGHT)


def _flagged(log: InstrumentLog, time_s: Series) -> Mask:
    """Which rows lie in a problem that says the value was out of range."""
    spans = [
        (problem.at, problem.at + problem.seconds)
        for problem in log.problems
        if problem.at is not None and problem.kind in _FLAGGED
    ]
    first, last = (np.array(ends, dtype=np.float64) for ends in zip(*spans, strict=True)) if spans else _NONE
    return within(time_s, first, last)


def _longest_gap(when: Series, first: int, last: int, start: float, end: float) -> float:
    """Between valid samples, the one before the interval and the one after it included."""
    points = when[max(0, first - 1) : last + 1]
    if first == 0:  # nothing before: the interval's own start
        points = np.concatenate(([start], points))
    if last == len(when):
        points = np.concatenate((points, [end]))
    return float(np.diff(points).max()) if len(points) > 1 else end - start


def _lacks(samples: int, expected: int, gap: float, longest: float | None, share: float) -> list[str]:
    found = []
    if not expected and not samples:
        found.append("shorter than the time between samples, and without a sample")
    if samples < share * expected:
        found.append(f"{samples} of {expected} samples")
    if longest is not None and gap > longest:
        found.append(f"{gap:.4g} s without a sample, where {longest:g} s are allowed")
    return found


def _doubts(problems: Sequence[LogProblem], start: float, end: float) -> list[str]:
    """Problems of the log in the interval: impossible values, a clock that was set."""
    kinds = ("out-of-range", "clipped", "clock", "uncertain")
    return [
        f"{problem.kind}: {problem.text}"
        for problem in problems
        if problem.kind in kinds
        and problem.at is not None
        and problem.at <= end
        and problem.at + problem.seconds > start
    ]


#: Equal samples at equal times by which two files are taken for copies.
_FEWEST = 8


def refuse_duplicates(logs: Sequence[InstrumentLog]) -> None:
    """Raise ``InputError`` where two logs of power are of one meter, or one log is given twice."""
    for first, second, why in duplicates(logs):
        where = second.path or first.path
        message = str(where) if where is not None else second.instrument.name
        hint = "give each meter once; iowatt adds up the channels of one file"
        raise InputError("duplicate", message, f"{why}: its power would be counted twice", hint=hint)


def duplicates(logs: Sequence[InstrumentLog]) -> Iterator[tuple[InstrumentLog, InstrumentLog, str]]:
    """Pairs of logs of power that are of one meter, and why."""
    for first, second in combinations(logs, 2):
        why = _same(first, second)
        if why is not None:
            yield first, second, why


def _same(first: InstrumentLog, second: InstrumentLog) -> str | None:
    a, b = first.instrument, second.instrument
    one_file = (
        first.path is not None and second.path is not None and first.path.resolve() == second.path.resolve()
    )
    names = a.name if a.name == b.name else f"{a.name} and {b.name}"
    # Channels of one file may rest together, both at 0 W; but they have names of their own.
    if _equal(first, second) and (not one_file or a.name == b.name or _moves(first)):
        return f"{names} have the same samples" if not one_file else f"the same log is given twice ({names})"
    if one_file or not _overlap(first, second):
        return None
    # One device may meter several outlets, each with its own address.
    here, there = a.details.get("address"), b.details.get("address")
    if here is not None and here == there:
        return f"{names} were read at the same address at the same time ({here})"
    if a.serial is not None and a.serial == b.serial and (here is None or there is None):
        return f"{names} have the same serial number at the same time ({a.serial})"
    return None


def _equal(first: InstrumentLog, second: InstrumentLog) -> bool:
    a, b = first.quantities.get("watts"), second.quantities.get("watts")
    if a is None or b is None or (len(a) < _FEWEST and first.path != second.path):
        return False
    return np.array_equal(first.time_s, second.time_s) and np.array_equal(a, b, equal_nan=True)


def _moves(log: InstrumentLog) -> bool:
    watts = log.quantities["watts"]
    known = watts[np.isfinite(watts)]
    return bool(len(known) and known.max() > known.min())


def _overlap(first: InstrumentLog, second: InstrumentLog) -> bool:
    if not len(first.time_s) or not len(second.time_s):
        return False
    return bool(first.time_s[0] <= second.time_s[-1] and second.time_s[0] <= first.time_s[-1])
