"""The figures that a reader wants first: as tiles, and as the rows of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iowatt.render import numbers
from iowatt.render.headline import Headline
from iowatt.render.phrases import between


def headlines(summary: Mapping[str, Any]) -> list[Headline]:
    """The headline figures of a run, always the same ones in the same order."""
    time, energy = summary["response_time_ms"], summary["energy"]
    power, requests, capacity = summary["power_w"], summary["requests"], summary["capacity_gb"]
    efficiency = summary["efficiency"]
    at_wall = power["wall_mean"] is not None
    busiest = max((device["utilisation"] for device in summary["devices"]), default=None)
    total = requests["count"]
    if power["mean"] is None:
        unknown = energy.get("unknown") or "not metered, or not all the time"
        when_idle = "metered at the wall" if at_wall else unknown
    elif at_wall:
        when_idle = f"at the wall; drives {numbers.with_unit(power['mean'], 'W')}"
    else:
        when_idle = f"{numbers.with_unit(power['idle'], 'W')} when idle"
    array = (
        power["mean"] is None or "parts_idle" in energy["by_state_j"] or "supply_loss" in energy["by_state_j"]
    )
    return [
        Headline("mean", "Mean response time", time["all"]["mean"], "ms", _interval(time["all"])),
        Headline(
            "p99", "99th percentile", time["all"]["p99"], "ms", _said("max {}", time["all"]["max"], "ms")
        ),
        Headline(
            "iops",
            "Throughput",
            summary["throughput"]["iops"],
            "IOPS",
            f"{_said('{}', summary['throughput']['mib_per_s'], 'MiB/s')}, "
            f"{numbers.percent(requests['reads'] / total)} reads"
            if total
            else "",
        ),
        Headline(
            "power",
            "Mean power",
            power["wall_mean"] if at_wall else power["mean"],
            "W",
            when_idle,
        ),
        Headline(
            "total",
            "Energy",
            energy["total_j"],
            "J",
            ""
            if energy["total_j"] is None
            else f"{_watt_hours(energy['total_j'])}, {'at the wall' if array else 'devices only'}",
        ),
        Headline(
            "per_request",
            "Energy per request",
            energy["per_request_j"],
            "J",
            _said("energy-delay {}", energy["energy_delay_js"], "J·s"),
        ),
        Headline(
            "efficiency",
            "Efficiency",
            efficiency["iops_per_w"],
            "IOPS/W",
            _said("{} of raw capacity", efficiency["raw_gb_per_w"], "GB/W"),
        ),
        Headline(
            "utilisation",
            "Utilisation, busiest drive",
            None if busiest is None else 100 * busiest,
            "%",
            _drives(len(summary["devices"]), capacity["raw"]),
        ),
    ]


def _drives(count: int, raw_gb: float | None) -> str:
    raw = "" if raw_gb is None else f"{numbers.with_unit(1e9 * raw_gb, 'B')} raw"
    if not count:
        return f"no drive is seen from outside{raw and f'; {raw}'}"
    return f"of {count:,} drives, {raw}"


def _said(phrase: str, value: float | None, unit: str) -> str:
    return "" if value is None else phrase.format(numbers.with_unit(value, unit))


def _interval(time: Mapping[str, Any]) -> str:
    interval = time["mean_ci95"]
    if not time["count"]:
        return "no requests"
    if interval is None:
        return "no confidence limits"
    return f"95 % confidence: {between(interval)}"


def _watt_hours(joules: float) -> str:
    hours = joules / 3600
    return numbers.with_unit(hours / 1000, "kWh") if hours >= 1000 else numbers.with_unit(hours, "Wh")
