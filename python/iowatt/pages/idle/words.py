"""Words and numbers that the text and the page share."""

from __future__ import annotations

from typing import Any

from iowatt.render import numbers

LAWS = {
    "exponential": "Exponential",
    "hyper-exponential": "Hyper-exponential, 2 phases",
    "weibull": "Weibull",
    "log-normal": "Log-normal",
    "pareto": "Pareto",
    "bounded-pareto": "Bounded Pareto",
}


def seconds(value: float | None) -> str:
    """A length of time that may be tiny or not known."""
    return numbers.NO_VALUE if value is None else numbers.duration(value)


def parameters(fit: dict[str, Any]) -> str:
    """The parameters of a fitted law in words."""
    given = fit["parameters"]
    if fit["law"] == "exponential":
        return f"mean {seconds(given['mean_s'])}"
    if fit["law"] == "hyper-exponential":
        parts = zip(given["probability"], given["mean_s"], strict=True)
        return ", ".join(f"{numbers.percent(p)} of mean {seconds(mean)}" for p, mean in parts)
    if fit["law"] == "weibull":
        return f"shape {numbers.significant(given['shape'])}, scale {seconds(given['scale_s'])}"
    if fit["law"] == "log-normal":
        return f"median {seconds(given['median_s'])}, sigma {numbers.significant(given['sigma'])}"
    upto = f" to {seconds(given['most_s'])}" if "most_s" in given else ""
    return f"alpha {numbers.significant(given['alpha'])} from {seconds(given['least_s'])}{upto}"


def share(value: float | None) -> str:
    """A saving as a percentage with its sign; losses are negative."""
    if value is None:
        return numbers.NO_VALUE
    if abs(value) < 0.0005:
        return f"{numbers.significant(100 * value, 1)}{numbers.percent(0.5)[-2:]}"
    return numbers.percent(value) if value > 0 else f"-{numbers.percent(-value)}"


def delay(policy: dict[str, Any]) -> str:
    """Mean delay that a policy adds, over all operations of the drives where their number is known."""
    mean = policy["added_delay_per_access_s"]
    if mean is None:
        mean = policy["added_delay_per_period_s"]
    return seconds(mean) if mean else f"0{numbers.percent(0.5)[-2:-1]}s"


def drives_line(found: dict[str, Any]) -> str:
    """The drives whose power figures the policies go by."""
    return "; ".join(
        f"{drive['name']}: idle {drive['idle_w']:g} W, standby {drive['standby_w']:g} W, down in "
        f"{drive['spin_down_s']:g} s with {drive['spin_down_j']:.4g} J, up in {drive['spin_up_s']:g} s with "
        f"{drive['spin_up_j']:.4g} J, break-even "
        f"{'never' if drive['break_even_s'] is None else seconds(drive['break_even_s'])}"
        for drive in found["drives"]
    )
