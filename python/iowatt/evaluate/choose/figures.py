"""A system's row as the figures of the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, get_args

from iowatt.evaluate.choose import judge
from iowatt.evaluate.choose.design import System
from iowatt.evaluate.choose.question import StorageQuestion
from iowatt.evaluate.choose.result import KeptLevel, Missed, SystemFigures
from iowatt.evaluate.choose.trials import Trials
from iowatt.model.library import Grade, device_evidence, device_names

GROUPS: Final = (
    "purchase",
    "energy",
    "demand",
    "cooling",
    "wear",
    "failures",
    "service",
    "disposal",
    "carbon",
    "loss",
)
_PERCENTILES: Final = ("p50", "p95", "p99")


def figures(
    trials: Trials,
    system: System,
    row: Mapping[str, Any],
    missed: list[Missed],
    *,
    confirmed: bool,
) -> SystemFigures:
    """The figures of a system from a row of a simulation, or the mean of several."""

    def known(*names: str) -> float | None:
        found = next((row[name] for name in names if row.get(name) is not None), None)
        return None if found is None else float(found)

    question = trials.question
    pooled, stated = trials.pooled_bytes(system), known("capacity_gb.effective", "capacity_gb.usable")
    usable = stated if pooled is None else pooled / 1e9
    percentiles = {f"{name}_ms": known(f"response_time_ms.all.{name}") for name in _PERCENTILES}
    groups = {name: usd for name in GROUPS if (usd := known(f"cost.{name}_usd"))}
    return SystemFigures(
        family=system.design.family, title=system.title, devices=list(system.design.devices),
        count=system.count, unit=system.design.unit, confirmed=confirmed,
        usd=known("cost.total_usd"), by_group=groups,
        purchase_usd=known("cost.purchase_usd"), watts=judge.watts(row), **percentiles,
        levels=[_level(row, question, one.name, name, limit_s) for one in question.workload
                for name, limit_s in one.limits_s.items()],
        usable_tb=None if usable is None else usable / 1e3,
        rack_units=None if question.chassis == "nas" else system.rack_units,
        loss_per_year=known("durability.loss_per_year"), carbon_kg=known("cost.carbon_kg"),
        utilisation=known("devices.utilisation.max"), evidence=evidence(system), missed=missed,
    )  # fmt: skip


def _level(
    row: Mapping[str, Any], question: StorageQuestion, workload: str, statistic: str, limit_s: float
) -> KeptLevel:
    name = judge.column(question, workload, statistic)
    return KeptLevel(
        workload=workload, statistic=statistic, limit_ms=1e3 * limit_s, ms=row.get(name),
        low_ms=row.get(judge.lower_end(name)), high_ms=row.get(judge.upper_end(name)),
    )  # fmt: skip


def evidence(system: System) -> str:
    """The worst grade of a system's drives; ``sheet only`` of one that the library does not have."""
    known, order = set(device_names()), get_args(Grade)
    grades = [device_evidence(name).grade if name in known else order[-1] for name in system.design.devices]
    return max(grades, key=order.index, default=order[-1])
