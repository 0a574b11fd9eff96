"""Whether the figures of one stage are a measurement.

Every function takes figures and the limits of the rules, and yields findings; none where all is well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from iowatt.base.digits import apart
from iowatt.emerald.analyze.checks.minutes import SLACK, Floats, Minutes
from iowatt.emerald.analyze.checks.trend import Trend
from iowatt.emerald.finding import Finding, finding, invalid, non_compliant, warning


def response_mean(mean_ms: float | None, limit_ms: float) -> Iterator[Finding]:
    """The mean response time over the measurement interval."""
    if mean_ms is not None and mean_ms > limit_ms:
        text = f"the mean response time is {apart(mean_ms, limit_ms)} ms; at most {limit_ms:g} ms is allowed"
        yield invalid("response-mean", text, mean_ms=mean_ms, limit_ms=limit_ms)


def response_minutes(minutes: Minutes, limit_ms: float) -> Iterator[Finding]:
    """The mean response time of every minute."""
    over = np.flatnonzero(np.nan_to_num(minutes.response_ms, nan=0.0) > limit_ms)
    if len(over):
        largest = float(np.nanmax(minutes.response_ms))
        text = (
            f"{_minutes(over)} of the measurement ha{('s' if len(over) == 1 else 've')} a mean response "
            f"time over {limit_ms:g} ms, up to {apart(largest, limit_ms)} ms"
        )
        yield invalid("response-minute", text, minutes=_numbers(over), limit_ms=limit_ms, largest_ms=largest)


def coverage(
    minutes: Minutes, *, seconds: float | None, interval_s: float, requests: bool = True, power: bool = True
) -> Iterator[Finding]:
    """Every minute of the stage is present once, with its requests and its power.

    ``seconds`` is the planned length of the stage; None where it is not known.
    """
    if not len(minutes):
        yield invalid("no-minutes", "there are no figures for any minute")
        return
    gaps = minutes.start_s[1:] - minutes.end_s[:-1]
    holes = np.flatnonzero(np.abs(gaps) > SLACK * interval_s)
    if len(holes):
        first = int(holes[0])
        word = "are missing" if gaps[first] > 0 else "are present twice"
        text = f"{abs(float(gaps[first])):.3g} s {word} after minute {first + 1}" + (
            f", and {len(holes) - 1} more such places" if len(holes) > 1 else ""
        )
        yield invalid(
            "minutes-missing", text, after_minutes=_numbers(holes), seconds=[float(gaps[at]) for at in holes]
        )
    if seconds is not None:
        there = float(minutes.end_s[-1] - minutes.start_s[0])
        if there < seconds - SLACK * interval_s:
            text = (
                f"the figures cover {there:.4g} s of the {seconds:.4g} s planned: "
                f"{max(1, round((seconds - there) / interval_s))} of {round(seconds / interval_s)} minutes "
                "are "
                "missing"
            )
            yield invalid("too-short", text, seconds=there, planned_s=seconds)
    if power:
        yield from _without(minutes.power_w, "power-missing", "no complete power; gaps are not filled")
    if requests:
        idle = np.flatnonzero(~(minutes.requests > 0))
        if len(idle):
            yield invalid(
                "requests-missing", f"no request completed in {_minutes(idle)}", minutes=_numbers(idle)
            )


def power_sign(minutes: Minutes) -> Iterator[Finding]:
    """The power of every minute is above zero: some meters report -1 where they have no value."""
    wrong = np.flatnonzero(np.nan_to_num(minutes.power_w, nan=1.0) <= 0)
    if len(wrong):
        yield invalid(
            "power-not-positive", f"the power of {_minutes(wrong)} is not above 0 W", minutes=_numbers(wrong)
        )


def duration(seconds: float | None, rule_s: float | None, what: str) -> Iterator[Finding]:
    """A stage lasts as long as the rules ask for."""
    if seconds is not None and rule_s is not None and seconds < rule_s * (1 - 1e-6):
        text = f"the {what} lasted {seconds:.4g} s; the rules ask for {rule_s:g} s"
        yield non_compliant("shortened", text, seconds=seconds, rule_seconds=rule_s)


def achieved_rate(
    asked: float | None, achieved: float | None, least_percent: float, requests: float
) -> Iterator[Finding]:
    """The load generator kept up; response times do not include the wait of requests that it issued late.

    Arrivals are random, so the count of ``requests`` may be off by three standard deviations of a Poisson
    count.
    """
    if asked is None or achieved is None or asked <= 0:
        return
    percent = 100 * achieved / asked
    if percent < least_percent - 300 / math.sqrt(max(requests, 1.0)):
        text = (
            f"{apart(achieved, asked, 4)} IOPS of the {asked:,.6g} asked for were reached, "
            f"{apart(percent, least_percent)} %; below {least_percent:g} % requests wait in the host, which "
            "no "
            "response time shows"
        )
        yield invalid(
            "rate-not-reached",
            text,
            asked_iops=asked,
            achieved_iops=achieved,
            percent=percent,
            least_percent=least_percent,
        )


def shares(streams: Sequence[Mapping[str, Any]], most_points: float, requests: float) -> Iterator[Finding]:
    """Every stream has its planned share of requests; shares in percent.

    Streams are drawn at random, so a share may be off by three standard deviations: 0.1 points at two
    million ``requests``.
    """

    def chance(asked: float) -> float:
        share = min(max(asked / 100, 0.0), 1.0)
        return 300 * math.sqrt(share * (1 - share) / max(requests, 1.0))

    off = [s for s in streams if abs(s["observed"] - s["asked"]) > most_points + chance(s["asked"])]
    if off:
        worst = max(off, key=lambda s: abs(s["observed"] - s["asked"]))
        text = (
            f"{worst['stream']} made {worst['observed']:.2f} % of the requests instead of "
            f"{worst['asked']:g} %, and {len(off)} of {len(streams)} streams are more than {most_points:g} "
            "points off"
        )
        yield invalid("skew", text, streams=[dict(s) for s in off], most_points=most_points)


def shares_known(
    streams: Sequence[Mapping[str, Any]], expected: Mapping[str, float] | None
) -> Iterator[Finding]:
    """Shares were observed where the workload has streams, and the planned ones are the rules'.

    ``expected`` has the rules' names of streams; load generators use other names, so sorted values are
    compared.
    """
    if not expected:
        return
    if not streams:
        yield warning(
            "skew-unknown", "the shares of the workload's streams were not observed and not checked"
        )
        return
    asked, rule = sorted(s["asked"] for s in streams), sorted(expected.values())
    if len(asked) != len(rule) or any(abs(a - b) > 0.01 for a, b in zip(asked, rule, strict=True)):
        text = f"the load generator was asked for shares of {_list(asked)} %; the rules' are {_list(rule)} %"
        yield invalid("skew-asked", text, asked=asked, rule=rule)


def asked_rate(planned: float | None, asked: float | None) -> Iterator[Finding]:
    """The load generator was asked for the plan's rate; any other belongs to another run."""
    if planned is None or asked is None:
        return
    if abs(asked - planned) > max(0.01 * planned, 1.0):
        text = (
            f"the load generator was asked for {asked:.4g} IOPS, the plan says {planned:.4g}: its log is "
            "of another run, or of another plan"
        )
        yield invalid("other-rate", text, asked_iops=asked, planned_iops=planned)


@dataclass(frozen=True)
class CompletedWork:
    """Requests by direction, and of those that completed their number and bytes."""

    reads: float
    writes: float
    completed: float
    bytes: float


def workload(
    work: CompletedWork,
    *,
    phase: str,
    read_percent: float | None,
    transfer_bytes: float | None,
    points: float = 1.0,
) -> Iterator[Finding]:
    """The requests are those of the phase: their share of reads within ``points``, and their size."""
    count = work.reads + work.writes
    if read_percent is not None and count > 0:
        got = 100 * work.reads / count
        # A share of all or nothing leaves no room for chance.
        room = 0.0 if read_percent in (0, 100) else points + 300 * math.sqrt(0.25 / count)
        if abs(got - read_percent) > room + 1e-9:
            text = (
                f"{got:.2f} % of the requests are reads, and {phase} has {read_percent:g} %: the log is "
                "of another phase or run"
            )
            yield invalid("other-workload", text, read_percent=got, rule_percent=read_percent)
    if transfer_bytes is not None and work.completed > 0:
        size = work.bytes / work.completed
        if abs(size - transfer_bytes) > 1e-3 * transfer_bytes:
            text = (
                f"requests have {size:,.0f} bytes on average, and those of {phase} have "
                f"{transfer_bytes:,.0f}: the log is of another phase or run"
            )
            yield invalid("other-size", text, bytes=size, rule_bytes=transfer_bytes)


@dataclass(frozen=True)
class Rate:
    """The rate of a phase in IOPS: achieved, asked for, and how many requests it was counted from."""

    achieved: float | None
    asked: float | None
    requests: float


def intensity(
    rate: Rate, of: Rate, *, percent: float, within_percent: float, phase: str, of_phase: str
) -> Iterator[Finding]:
    """A phase at a fixed share of another's rate (MW2 of MW1).

    The rate asked for is that share, rounded to a whole request per second. The rate achieved is within
    ``within_percent`` of it plus three standard deviations of the quotient of two Poisson counts.
    """
    if rate.asked and of.asked:
        wanted = percent / 100 * of.asked
        if abs(rate.asked - wanted) > max(0.5, 1e-3 * wanted) + 1e-9:
            text = (
                f"{phase} was asked for {apart(100 * rate.asked / of.asked, percent, 4)} % of "
                f"{of_phase}'s rate ({rate.asked:.4g} of {of.asked:.4g} IOPS); the rules ask for "
                f"{percent:g} %"
            )
            yield invalid("intensity", text, percent=100 * rate.asked / of.asked, rule_percent=percent)
            return
    if rate.achieved is None or of.achieved is None or of.achieved <= 0:
        return
    got = 100 * rate.achieved / of.achieved
    chance = 3 * math.sqrt(1 / max(rate.requests, 1.0) + 1 / max(of.requests, 1.0))
    if abs(got - percent) > (within_percent / 100 + chance) * percent:
        text = (
            f"{phase} ran at {apart(got, percent, 4)} % of {of_phase}'s rate ({rate.achieved:.4g} of "
            f"{of.achieved:.4g} IOPS); the rules ask for {percent:g} %, give or take {within_percent:g} % "
            "of it "
            f"and {100 * chance:.2g} % that chance makes of so many requests"
        )
        yield invalid("intensity", text, percent=got, rule_percent=percent, chance_percent=100 * chance)


def resting(minutes: Minutes) -> Iterator[Finding]:
    """The storage received no request while it rested; earlier ones may complete then."""
    asked = float(np.nansum(minutes.arrivals))
    if asked > 0:
        text = f"{asked:,.0f} requests were made during ready idle, where there must be none"
        yield invalid("rest-disturbed", text, requests=asked)


def errors(count: int) -> Iterator[Finding]:
    """No request failed."""
    if count:
        yield invalid("errors", f"{count:,} requests failed", errors=count)


def stable(
    averages: Floats, *, reading: str, deviation: float, tolerance: float, meaning: str
) -> Iterator[Finding]:
    """The chosen reading of the stability rule holds."""
    if not np.isfinite(averages).all() or not len(averages):
        missing = int((~np.isfinite(averages)).sum())
        text = (
            f"{missing} of {len(averages)} weighted averages cannot be computed: minutes of the "
            "measurement, or of the warm-up that gives their history, are missing"
        )
        yield invalid("stability-unknown", text, missing=missing)
    elif not math.isfinite(deviation):
        text = (
            f"the deviation under reading {reading} ({meaning}) cannot be computed: what the weighted "
            "averages are compared with is zero"
        )
        yield invalid("stability-unknown", text, reading=reading)
    elif not deviation <= tolerance:
        text = (
            f"the power efficiency never settled: its largest deviation under reading {reading} "
            f"({meaning}) is {apart(100 * deviation, 100 * tolerance, 2)} %, over {100 * tolerance:g} %"
        )
        yield invalid(
            "not-stable",
            text,
            reading=reading,
            deviation=deviation if math.isfinite(deviation) else None,
            tolerance=tolerance,
        )


def drift(trend: Trend | None, tolerance: float) -> Iterator[Finding]:
    """Findings of the trend test, in addition to the chosen reading.

    A drift from one edge of the band to the other, twice the tolerance, is refused whichever reading was
    chosen: reading b would let it pass. A smaller one is a warning.
    """
    if trend is None:
        yield warning("trend-unknown", "there are too few minutes for a trend test")
        return
    moved = abs(trend.drift)
    if not trend.significant or moved <= tolerance:
        return
    refused = moved > 2 * tolerance
    drifted = apart(100 * moved, 100 * tolerance * (2 if refused else 1), 2)
    text = (
        f"the power efficiency drifts by {'-' if trend.drift < 0 else '+'}{drifted} % over the interval "
        f"(p = {trend.p:.2g}), "
        + (
            f"more than the whole band of {200 * tolerance:g} %: no steady state was measured"
            if refused
            else f"more than the tolerance of {100 * tolerance:g} %, whatever the rule's readings say"
        )
    )
    yield finding("drifting", "invalid" if refused else "warning", text, drift=trend.drift, p=trend.p)


def wandering(deviation_a: float | None, tolerance: float) -> Iterator[Finding]:
    """A series that leaves twice the band around its mean never settled, even if reading b holds."""
    if deviation_a is not None and deviation_a > 2 * tolerance:
        text = (
            "the power efficiency never settled: its weighted average lies up to "
            f"{apart(100 * deviation_a, 200 * tolerance, 2)} % off the interval's mean, over twice the "
            f"tolerance of {100 * tolerance:g} %, whatever the reading"
        )
        yield invalid(
            "not-stable",
            text,
            deviation=deviation_a if math.isfinite(deviation_a) else None,
            tolerance=tolerance,
        )


def _without(values: Floats, code: str, what: str) -> Iterator[Finding]:
    missing = np.flatnonzero(~np.isfinite(values))
    if len(missing):
        text = f"{_minutes(missing)} ha{('s' if len(missing) == 1 else 've')} {what}"
        yield invalid(code, text, minutes=_numbers(missing))


def _numbers(at: np.ndarray) -> list[int]:
    return [int(number) + 1 for number in at]


def _minutes(at: np.ndarray) -> str:
    """``minute 3``, ``minutes 3, 4, 9``, or a number of them."""
    numbers = _numbers(at)
    if len(numbers) > 6:
        return f"{len(numbers)} minutes (first {numbers[0]}, last {numbers[-1]})"
    return f"minute{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _list(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
