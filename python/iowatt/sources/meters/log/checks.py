"""Impossible and missing samples: found, named, and set aside; never filled.

A reader hands in what its file says; :func:`checked` puts it in order of time, makes NaN of what is no valid
sample and says each as a :class:`LogProblem`. The rules, with their reasons:

- not-available: an instrument's word for no value (-1 of PTDaemon and of others that follow it, NaN).
- out-of-range: negative watts, or watts without amperes: what analysers say in a wrong range
  (mlcommons/power-dev issue 253).
- clipped: at the top of the range, so the true value is not known; where the range is not known, a plateau at
  the maximum beside samples that move, or a heap of samples there (suspected: such samples are kept).
- gap: no sample for more than 1.75 sampling intervals.
- clock: time steps back. Samples stamped twice are set aside: which is right is unknown.
- uncertain: an uncertainty above the 1 % that the rules allow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from iowatt.sources.meters.log.instrument import Instrument, InstrumentLog, LogProblem, ProblemKind, Series

Mask = npt.NDArray[np.bool_]

NOT_AVAILABLE: Final = -1.0
GAP_INTERVALS: Final = 1.75
MOST_UNCERTAIN_PERCENT: Final = 1.0
#: Amperes below which an ammeter may show 0.
_LEAST_AMPERES: Final = 0.01
_USUAL_VOLTS: Final = 240.0
_CELSIUS: Final = (-60.0, 150.0)
#: A plateau: so many equal samples at the maximum.
_PLATEAU: Final = 8
#: Samples beside a plateau by which it is judged, at most, and the chance that is taken for none.
_MOST_BESIDE: Final = 120
_CHANCE: Final = 1e-3
#: A heap: so many samples at the maximum, so many times as many as at each of so many values below it, which
#: lie no further off than so many usual steps; and the share of them that may repeat.
_HEAP: Final = 20
_TIMES: Final = 4
_BELOW: Final = 4
_NEAR: Final = 5.0
_STILL: Final = 0.7


def checked(
    instrument: Instrument,
    time_s: Series,
    quantities: Mapping[str, Series],
    *,
    problems: Sequence[LogProblem] = (),
    range_w: float | None = None,
) -> InstrumentLog:
    """A log of samples as they stand in a file.

    Parameters
    ----------
    time_s:
        Unix time in s, finite, in the order of the file.
    quantities:
        As long as ``time_s``; infinite where the instrument says overflow, NaN where it says nothing.
    problems:
        What the file itself tells.
    range_w:
        Top of the range in W, where known.
    """
    found = list(problems)
    order, twice = _in_order(time_s, found)
    time_s = time_s[order]
    columns = {name: np.array(values, dtype=np.float64)[order] for name, values in quantities.items()}
    for values in columns.values():
        values[twice] = np.nan
    _not_available(time_s, columns, twice, found)
    _out_of_range(time_s, columns, found)
    if "watts" in columns:
        _clipped(time_s, columns["watts"], range_w, found)
    found += gaps(time_s, instrument.sample_interval_s)
    return InstrumentLog(
        instrument,
        time_s,
        {name: values for name, values in columns.items() if name in _MAIN or np.isfinite(values).any()},
        in_order(found),
    )


def judged(log: InstrumentLog) -> InstrumentLog:
    """The log with a problem where its instrument's uncertainty is above 1 %."""
    percent = log.instrument.uncertainty_percent
    if percent is None or percent <= MOST_UNCERTAIN_PERCENT:
        return log
    text = f"its uncertainty is {percent:g} %, where {MOST_UNCERTAIN_PERCENT:g} % is allowed"
    if any(problem.text == text for problem in log.problems):
        return log
    return replace(log, problems=in_order([*log.problems, LogProblem("uncertain", None, text)]))


def in_order(problems: Sequence[LogProblem]) -> tuple[LogProblem, ...]:
    """By time; those of the whole log first."""
    return tuple(sorted(problems, key=lambda problem: -np.inf if problem.at is None else problem.at))


def sample_interval(time_s: Series, nominal: float | None) -> float | None:
    """The nominal interval in s, else the median of what is there; ``None`` where nothing says it."""
    if nominal is not None and nominal > 0:
        return nominal
    apart = np.diff(time_s)
    apart = apart[apart > 0]
    return float(np.median(apart)) if len(apart) else None


def gaps(time_s: Series, nominal: float | None) -> list[LogProblem]:
    """Where no row was written for more than 1.75 intervals."""
    interval = sample_interval(time_s, nominal)
    if interval is None:
        return []
    apart = np.diff(time_s)
    return [
        LogProblem(
            "gap",
            float(time_s[index]),
            f"no sample for {apart[index]:.4g} s, where there is one each {interval:.4g} s",
            float(apart[index]),
        )
        for index in np.flatnonzero(apart > GAP_INTERVALS * interval)
    ]


#: Kept even without a valid sample: that a meter had none must be visible.
_MAIN: Final = ("watts", "celsius")


def _in_order(time_s: Series, found: list[LogProblem]) -> tuple[npt.NDArray[np.intp], Mask]:
    """The order of time, and which rows (in that order) carry a time that was passed twice."""
    steps = np.flatnonzero(np.diff(time_s) < 0)
    order = np.argsort(time_s, kind="stable")
    latest = np.maximum.accumulate(time_s) if len(time_s) else time_s
    twice = within(time_s[order], time_s[steps + 1], latest[steps])
    for index in steps:
        before, after = float(latest[index]), float(time_s[index + 1])
        found.append(
            LogProblem(
                "clock",
                after,
                f"the clock stepped back by {time_s[index] - after:.4g} s: "
                "samples stamped twice are set aside",
                max(0.0, before - after),
            )
        )
    return order, twice


def _not_available(time_s: Series, columns: dict[str, Series], known: Mask, found: list[LogProblem]) -> None:
    for name, values in columns.items():
        missing = np.isnan(values) if name == "celsius" else np.isnan(values) | (values == NOT_AVAILABLE)
        values[missing] = np.nan
        missing &= ~known
        # An instrument need not say so of what it never has (volts of a sum of channels).
        if name in _MAIN or not (missing | known).all():
            found += _runs(time_s, missing, "not-available", f"{name}: not available")


def _out_of_range(time_s: Series, columns: dict[str, Series], found: list[LogProblem]) -> None:
    for name, values in columns.items():
        limits = _CELSIUS if name == "celsius" else (0.0, np.inf)
        if name == "power_factor":  # its sign says which way it is shifted
            limits = (-1.05, 1.05)
        with np.errstate(invalid="ignore"):
            low, high = values < limits[0], (values > limits[1]) | np.isposinf(values)
        found += _runs(time_s, low, "out-of-range", f"{name}: {_too_low(name)}")
        found += _runs(time_s, high, "out-of-range", f"{name}: above the possible range, or overflow")
        values[low | high] = np.nan
    if "watts" in columns and "amperes" in columns:
        watts, amperes = columns["watts"], columns["amperes"]
        volts = columns.get("volts", np.full(len(watts), _USUAL_VOLTS))
        with np.errstate(invalid="ignore"):
            none = (amperes == 0) & (watts > _LEAST_AMPERES * np.nan_to_num(volts, nan=_USUAL_VOLTS))
        found += _runs(time_s, none, "out-of-range", "watts without amperes: the range was wrong")
        watts[none] = np.nan
        amperes[none] = np.nan


def _too_low(name: str) -> str:
    return (
        "below the possible range" if name in ("celsius", "power_factor") else "negative: the range was wrong"
    )


def _clipped(time_s: Series, watts: Series, range_w: float | None, found: list[LogProblem]) -> None:
    if range_w is not None:
        with np.errstate(invalid="ignore"):
            top = watts >= range_w
        found += _runs(time_s, top, "clipped", f"at the top of the range of {range_w:g} W")
        watts[top] = np.nan
        return
    if not np.isfinite(watts).any():
        return
    top = watts == np.nanmax(watts)
    spans = _spans(top)
    cut = _heaped(watts, top)
    for first, last in _close(spans) if cut else spans:
        count = int(top[first : last + 1].sum())
        if count >= _PLATEAU and (cut or _unlikely(watts, first, last, len(watts))):
            found.append(
                LogProblem(
                    "clipped",
                    float(time_s[first]),
                    f"{count} samples at the maximum of {watts[first]:g} W while others move: the "
                    "range may have ended there",
                    float(time_s[last] - time_s[first]),
                )
            )


def _unlikely(watts: Series, first: int, last: int, rows: int) -> bool:
    """Whether so long a plateau is no chance, as the samples on one side of it repeat.

    Judged beside the plateau, as a system that rests may be still for hours. Where each sample repeats the
    one before with probability p, a run of n equal ones has p^(n - 1), in each of the log's rows anew.
    """
    count = last - first + 1
    reach = min(max(count, _PLATEAU), _MOST_BESIDE)
    for side in (watts[max(0, first - reach) : first], watts[last + 1 : last + 1 + reach]):
        known = side[np.isfinite(side)]
        if len(known) < _PLATEAU:
            continue
        repeats = (int((np.diff(known) == 0).sum()) + 1) / (len(known) + 1)
        if (count - 1) * np.log(repeats) + np.log(rows) < np.log(_CHANCE):
            return True
    return False


def _heaped(watts: Series, top: Mask) -> bool:
    """Whether the maximum of noise is far more frequent than the values just below it: noise thins out there.

    What is cut now and then only leaves no long plateau.
    """
    known = watts[np.isfinite(watts)]
    apart = np.abs(np.diff(known))
    maximum = float(known.max())
    usual = float(np.median(apart[apart > 0])) if (apart > 0).any() else 0.0
    near = known[known >= maximum - _NEAR * usual]
    values, counts = np.unique(near, return_counts=True)
    if len(values) <= _BELOW or counts[-1] < _HEAP:
        return False
    beside = top[1:] | top[:-1]
    same = np.diff(watts)[beside] == 0
    return bool(counts[-1] > _TIMES * counts[-1 - _BELOW : -1].max() and same.mean() < _STILL)


def _close(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Runs that lie no further apart than a plateau is long, as one."""
    found: list[tuple[int, int]] = []
    for first, last in spans:
        if found and first - found[-1][1] <= _PLATEAU:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return found


def within(ordered: Series, first: Series, last: Series) -> Mask:
    """Which of the times, in order, lie in any of the spans, ends included."""
    depth = np.zeros(len(ordered) + 1, dtype=np.int64)
    np.add.at(depth, np.searchsorted(ordered, first, "left"), 1)
    np.add.at(depth, np.searchsorted(ordered, last, "right"), -1)
    inside: Mask = np.cumsum(depth)[:-1] > 0
    return inside


def _runs(time_s: Series, mask: Mask, kind: ProblemKind, text: str) -> list[LogProblem]:
    return [
        LogProblem(
            kind,
            float(time_s[first]),
            f"{text} ({last - first + 1} {'sample' if first == last else 'samples'})",
            float(time_s[last] - time_s[first]),
        )
        for first, last in _spans(mask)
    ]


def _spans(mask: Mask) -> list[tuple[int, int]]:
    """First and last index of each run of true."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8)))
    return [(int(first), int(end) - 1) for first, end in zip(edges[::2], edges[1::2], strict=True)]
