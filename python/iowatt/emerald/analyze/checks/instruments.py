"""Whether the instruments of a stage meet the rules: sampling, accuracy, clock, range, temperature.

From a Run's table ``instruments`` (a row for each quantity of an instrument and minute) and what
``run.json`` says of each. The rules' table of watts (0.01, 0.1, 1 W) is stricter than 1 % above
1 W and reads like a resolution: it is reported as one, and only the 1 % fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from iowatt.base import digits
from iowatt.emerald.finding import Finding, Weight, finding, invalid, non_compliant, warning

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class InstrumentLimits:
    """Of the rules; None where a rule is not known or not asked for."""

    power_sampling_s: float
    power_accuracy_percent: float
    samples_percent: float
    temperature_sampling_s: float
    clock_apart_s: float
    celsius: tuple[float, float] | None = None
    hertz: tuple[float, float] | None = None
    #: Ranges of the input voltage (from, to), any of which will do, and how far off it may be, in percent.
    volts: Sequence[tuple[float, float]] = ()
    volts_tolerance_percent: float = 0.0
    thd_percent: float | None = None


#: Kinds of problems of a log (sources.meters.instrument): code, weight, and what they mean for the figures.
PROBLEMS: Mapping[str, tuple[str, Weight, str]] = {
    # Whether enough samples are left is judged by counting them.
    "gap": ("meter-gap", "warning", "left gaps"),
    "failure": ("meter-failure", "warning", "failed for a while"),
    "not-available": ("meter-not-available", "non-compliant", "had no value (-1 or not a number)"),
    "out-of-range": ("meter-out-of-range", "invalid", "gave values that cannot be true"),
    "clipped": ("meter-clipped", "invalid", "was clipped at its range"),
    "uncertain": ("meter-uncertain", "non-compliant", "was too uncertain"),
}


def check(
    described: Sequence[Mapping[str, Any]], table: pl.DataFrame | None, limits: InstrumentLimits
) -> Iterator[Finding]:
    """All findings about the instruments of one stage."""
    meters = [one for one in described if one["role"] == "power"]
    thermometers = [one for one in described if one["role"] == "temperature"]
    if not meters:
        yield invalid("no-meter", "no meter recorded the power")
    for meter in meters:
        rows = _rows(table, meter["name"], "watts")
        yield from _grade(meter)
        yield from _sampling(meter, rows, limits.power_sampling_s, "meter", "invalid")
        yield from _samples(meter, rows, limits.samples_percent)
        yield from _values(meter, rows)
        yield from _accuracy(meter, limits.power_accuracy_percent)
        yield from _problems(meter, limits.clock_apart_s)
        yield from _range(meter, table, "hertz", limits.hertz, "Hz")
        if limits.thd_percent is not None:
            harmonics = (0.0, limits.thd_percent)
            yield from _range(meter, table, "thd_percent", harmonics, "% of harmonics")
        yield from _voltage(meter, table, limits)
    if not thermometers:
        text = (
            "no thermometer recorded the inlet temperature, required at least every "
            f"{limits.temperature_sampling_s:g} s"
        )
        yield non_compliant("temperature-missing", text)
    for one in thermometers:
        rows = _rows(table, one["name"], "celsius")
        yield from _sampling(one, rows, limits.temperature_sampling_s, "thermometer", "non-compliant")
        yield from _range(one, table, "celsius", limits.celsius, "degC")
        yield from _problems(one, limits.clock_apart_s, weight="non-compliant")


def resolution(mean_w: float, table: Sequence[Mapping[str, float]]) -> float | None:
    """The watts that the rules' table asks a meter to resolve at a load."""
    for row in table:
        if "up_to_w" not in row or mean_w <= row["up_to_w"]:
            return float(row["w"])
    return None


def _rows(table: pl.DataFrame | None, name: str, quantity: str) -> list[dict[str, Any]]:
    if table is None:
        return []
    import polars as pl

    return table.filter((pl.col("instrument") == name) & (pl.col("quantity") == quantity)).to_dicts()


def _grade(meter: Mapping[str, Any]) -> Iterator[Finding]:
    if meter["grade"] != "emerald":
        text = f"meter {meter['name']} is indicative: {meter['why']}"
        yield non_compliant("meter-indicative", text, instrument=meter["name"])


def _sampling(
    one: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], most_s: float, what: str, weight: Weight
) -> Iterator[Finding]:
    """The sample interval is short enough, by the instrument and by the longest gap."""
    name = one["name"]
    if not any(row["samples"] for row in rows):
        yield finding(f"{what}-silent", weight, f"{what} {name} has no sample in this stage", instrument=name)
        return
    nominal = one.get("sample_interval_s")
    seconds = sum(row["end_s"] - row["start_s"] for row in rows)
    actual = seconds / sum(row["samples"] for row in rows)
    apart = max(nominal or 0.0, actual)
    if apart > most_s * 1.01:  # a stage need not hold a whole number of samples
        text = (
            f"{what} {name} is sampled every {digits.apart(apart, most_s)} s; at most {most_s:g} s is allowed"
        )
        yield finding(
            "sampling-too-slow", weight, text, instrument=name, sample_interval_s=apart, most_s=most_s
        )
        return
    gap = max((row["longest_gap_s"] or 0.0 for row in rows), default=0.0)
    if gap > max(most_s, 1.5 * apart):
        text = (
            f"{what} {name} left {digits.apart(gap, most_s)} s without a sample; at most {most_s:g} s is "
            "allowed"
        )
        yield finding("sampling-gap", weight, text, instrument=name, longest_gap_s=gap, most_s=most_s)


def _samples(
    meter: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], least_percent: float
) -> Iterator[Finding]:
    few = [
        number
        for number, row in enumerate(rows, 1)
        if row["expected"] and 100 * row["samples"] < least_percent * row["expected"] - 1e-9
    ]
    if few:
        least = min(rows[number - 1]["samples"] for number in few)
        text = (
            f"meter {meter['name']} has too few samples in {len(few)} of {len(rows)} minutes: down to "
            f"{least} of {rows[few[0] - 1]['expected']:.4g}; at least {least_percent:g} % are required"
        )
        yield invalid(
            "samples-too-few", text, instrument=meter["name"], minutes=few, least_percent=least_percent
        )


def _values(meter: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Samples without a value, counted in the table, unless the log already reports the problem."""
    named = {problem["kind"] for problem in meter["problems"]}
    for column, kind in (("not_available", "not-available"), ("out_of_range", "out-of-range")):
        count = sum(row[column] for row in rows)
        if count and not (named & ({kind} if kind == "not-available" else {kind, "clipped"})):
            code, weight, words = PROBLEMS[kind]
            text = f"meter {meter['name']} {words}: {count:,} samples"
            yield finding(code, weight, text, instrument=meter["name"], samples=count)


def _accuracy(meter: Mapping[str, Any], most_percent: float) -> Iterator[Finding]:
    uncertainty = meter.get("uncertainty_percent")
    if uncertainty is None:
        text = (
            f"the accuracy of meter {meter['name']} is not known; {most_percent:g} % of the input power "
            "is asked for"
        )
        yield non_compliant("accuracy-unknown", text, instrument=meter["name"])
    elif uncertainty > most_percent:
        text = (
            f"meter {meter['name']} is uncertain by {uncertainty:g} % of the power; at most "
            f"{most_percent:g} % is allowed"
        )
        yield non_compliant(
            "accuracy",
            text,
            instrument=meter["name"],
            uncertainty_percent=uncertainty,
            most_percent=most_percent,
        )
    if meter.get("calibrated") is None:
        text = f"the calibration date of meter {meter['name']} is not known"
        yield warning("calibration-unknown", text, instrument=meter["name"])


def _problems(
    one: Mapping[str, Any], clock_apart_s: float, weight: Weight | None = None
) -> Iterator[Finding]:
    """Problems reported in the log, joined by kind."""
    by_kind: dict[str, list[Mapping[str, Any]]] = {}
    for problem in one["problems"]:
        by_kind.setdefault(problem["kind"], []).append(problem)
    for kind, found in by_kind.items():
        first = f"{found[0]['text']}" + (f" (and {len(found) - 1} more)" if len(found) > 1 else "")
        values = {"instrument": one["name"], "problems": len(found)}
        if kind == "clock":
            apart = max(abs(problem["seconds"]) for problem in found)
            if any(problem["seconds"] == 0 for problem in found):
                text = f"the clock of {one['name']} was set, and by how much is not known: {first}"
                yield non_compliant("clock-step-unknown", text, **values)
            if apart > clock_apart_s:
                text = (
                    f"the clock of {one['name']} and that of the load generator differ or jump: {first}; "
                    f"at most {clock_apart_s:g} s is allowed"
                )
                yield finding(
                    "clock-apart", weight or "invalid", text, **values, seconds=apart, most_s=clock_apart_s
                )
            continue
        code, own, words = PROBLEMS.get(kind, ("meter-problem", "warning", "had a problem"))
        yield finding(code, weight or own, f"{one['name']} {words}: {first}", **values)


def _range(
    one: Mapping[str, Any],
    table: pl.DataFrame | None,
    quantity: str,
    limits: tuple[float, float] | None,
    unit: str,
) -> Iterator[Finding]:
    rows = [row for row in _rows(table, one["name"], quantity) if row["minimum"] is not None]
    if limits is None or not rows:
        return
    low, high = min(row["minimum"] for row in rows), max(row["maximum"] for row in rows)
    if low < limits[0] or high > limits[1]:
        text = (
            f"{one['name']} read {digits.apart(low, limits[0], 4)} to {digits.apart(high, limits[1], 4)} "
            f"{unit}; {limits[0]:g} to {limits[1]:g} {unit} is allowed"
        )
        yield non_compliant(
            f"{quantity.replace('_', '-')}-out-of-range",
            text,
            instrument=one["name"],
            minimum=low,
            maximum=high,
        )


def _voltage(
    meter: Mapping[str, Any], table: pl.DataFrame | None, limits: InstrumentLimits
) -> Iterator[Finding]:
    """The input voltage lies in one of the ranges, give or take the tolerance; where the meter reports it."""
    rows = [row for row in _rows(table, meter["name"], "volts") if row["minimum"] is not None]
    if not rows or not limits.volts:
        return
    low, high = min(row["minimum"] for row in rows), max(row["maximum"] for row in rows)
    off = limits.volts_tolerance_percent / 100
    if not any(start * (1 - off) <= low and high <= end * (1 + off) for start, end in limits.volts):
        ranges = ", ".join(f"{start:g} to {end:g}" for start, end in limits.volts)
        text = (
            f"{meter['name']} read {low:.4g} to {high:.4g} V; {ranges} V are allowed, give or take "
            f"{limits.volts_tolerance_percent:g} %"
        )
        yield non_compliant("volts-out-of-range", text, instrument=meter["name"], minimum=low, maximum=high)
