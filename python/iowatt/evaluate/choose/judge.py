"""Whether a system keeps all that is asked, and by how much it misses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from iowatt.evaluate.choose.design import System
from iowatt.evaluate.choose.question import StorageQuestion
from iowatt.evaluate.choose.result import Missed

_MS: Final = 1e3
LATE: Final = 0.98
"""Share of the asked rate from which on a Run did the work that is asked."""


def missed(
    question: StorageQuestion, system: System, row: Mapping[str, Any], rate_iops: float
) -> list[Missed]:
    """What a simulated or measured system misses: load, service levels, durability, limits.

    A percentile of several seeds counts by the upper end of its interval (``upper``). ``rate_iops`` is the
    rate that is asked.
    """
    return [*_load(row, rate_iops), *_levels(question, row), *_limits(question, system, row)]


def _load(row: Mapping[str, Any], rate_iops: float) -> Iterator[Missed]:
    done = row.get("throughput.iops", 0.0) / rate_iops
    if row.get("overloaded"):
        share = row.get("done_share")
        yield Missed(
            what="load",
            limit=1.0,
            found=share if share is not None else min(1.0, done),
            unit="share of the load",
        )
    elif row.get("measured") and done < LATE:
        yield Missed(what="load", limit=1.0, found=done, unit="share of the load")


def _levels(question: StorageQuestion, row: Mapping[str, Any]) -> Iterator[Missed]:
    for one in question.workload:
        for statistic, limit_s in one.limits_s.items():
            name = column(question, one.name, statistic)
            found, limit = row.get(name), _MS * limit_s
            upper = row.get(upper_end(name), found)
            if found is None or upper > limit:
                within = found is not None and found <= limit
                yield Missed(
                    what=f"{one.name}.{statistic}", limit=limit, found=upper if within else found, unit="ms",
                    undecided=found is not None and row.get(lower_end(name), found) <= limit,
                )  # fmt: skip


def _limits(question: StorageQuestion, system: System, row: Mapping[str, Any]) -> Iterator[Missed]:
    asked, limits = question.durability, question.limits
    figures = (
        ("loss_per_year", asked.loss_per_year, row.get("durability.loss_per_year"), "probability"),
        ("unavailable", asked.unavailable_hours, row.get("durability.unavailable_hours_per_year"), "h"),
        ("watts", limits.watts, watts(row), "W"),
        ("rack_units", limits.rack_units, system.rack_units, "U"),
        ("budget", limits.budget, row.get("cost.purchase_usd"), "USD"),
    )
    for what, limit, found, unit in figures:
        if limit is not None and found is not None and found > limit:
            yield Missed(what=what, limit=limit, found=found, unit=unit)


def watts(row: Mapping[str, Any]) -> float | None:
    """Mean power at the wall in W; that of the drives where no supply is modelled."""
    found = row.get("power_w.wall_mean", row.get("power_w.mean"))
    return None if found is None else float(found)


def column(question: StorageQuestion, workload: str, statistic: str) -> str:
    """The column of a workload's response times in ms; of the only workload they are the system's."""
    of = "" if len(question.workload) == 1 else f"workloads.{workload}."
    return f"{of}response_time_ms.all.{statistic}"


def upper_end(name: str) -> str:
    """The column with the upper end of the interval of another."""
    return f"{name}.upper"


def lower_end(name: str) -> str:
    """The column with the lower end of the interval of another."""
    return f"{name}.lower"


def headroom(question: StorageQuestion, row: Mapping[str, Any]) -> float:
    """The least of limit over figure of all service levels; 0 for a system that does not keep up."""
    if row.get("overloaded"):
        return 0.0
    ratios = [
        _MS * limit_s / value
        for one in question.workload
        for statistic, limit_s in one.limits_s.items()
        if (value := row.get(column(question, one.name, statistic)))
    ]
    return min(ratios, default=float("inf"))


def mends_with_drives(missed: Missed) -> bool:
    """Whether more drives may help."""
    return missed.what == "load" or "." in missed.what


def mends_with_fewer(missed: Missed) -> bool:
    """Whether fewer drives may help."""
    return missed.what in ("watts", "rack_units", "budget")
