"""Prediction and simulation side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from iowatt.evaluate.tiers.benchmark import Technology
from iowatt.evaluate.tiers.one_pool import ExtentLoad
from iowatt.evaluate.tiers.predict import Prediction, TierFigures
from iowatt.evaluate.tiers.result import (
    Alternative,
    CandidateFigures,
    Chosen,
    ChosenTier,
    Errors,
    OnePool,
    RunFigures,
    Simulated,
    SimulatedTier,
    TierErrors,
)

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


def technology(found: Technology) -> CandidateFigures:
    """A candidate, with its drive's performance under the load's requests."""
    drive = found.drive
    return CandidateFigures(
        name=found.name,
        device=found.device,
        raid_level=found.level,
        group=found.group,
        capacity_gb=drive.capacity_bytes / 1e9,
        service_ms=1e3 * drive.service_s,
        service_variation=drive.variation,
        iops=drive.saturated_iops,
        idle_w=drive.idle_w,
        operation_mj=1e3 * drive.operation_j,
        usd=found.usd,
        upkeep_usd=found.upkeep_usd,
        usd_per_w=found.usd_per_w,
        watts_per_gb=drive.idle_w / (drive.capacity_bytes / 1e9),
        watts_per_iops=drive.idle_w / drive.saturated_iops + drive.operation_j,
    )


def configuration(found: Prediction, load: ExtentLoad) -> Chosen:
    """The tiers, the fastest first, and what they are expected to do together."""
    return Chosen(tiers=[_tier(one, load) for one in found.tiers], predicted=found.total)


def _tier(one: TierFigures, load: ExtentLoad) -> ChosenTier:
    tier, technology = one.tier, one.tier.technology
    held = tier.held_bytes(load)
    return ChosenTier(
        name=technology.name,
        device=technology.device,
        raid_level=technology.level,
        drives=tier.count,
        groups=tier.count // technology.group,
        for_response_time=tier.extra,
        held_gb=held / 1e9,
        usable_gb=technology.usable(tier.count) / 1e9,
        space_share=held / load.total_bytes,
        io_share=one.io_share,
        iops=one.iops,
        operations_per_s=one.operations,
        utilisation=one.utilisation,
        busy=_busy(one),
        service_ms=1e3 * one.service_s,
        read_ms=None if one.read_s is None else 1e3 * one.read_s,
        write_ms=None if one.write_s is None else 1e3 * one.write_s,
        power_w=one.watts,
    )


def _busy(one: TierFigures) -> float | None:
    """Share of the time that a disk works; None of SSDs, which also work behind their write buffers."""
    if one.tier.technology.drive.kind == "ssd":
        return None
    return min(1.0, one.operations * one.service_s / one.tier.count)


def brief(names: str, found: Prediction | None) -> Alternative:
    """A set of technologies and its prediction."""
    if found is None:
        return Alternative(tiers=names)
    total = found.total.model_dump(include={"drives", "power_w", "usd", "total_usd", "response_time_ms"})
    return Alternative(tiers=names, counts=[one.tier.count for one in found.tiers], **total)


def of_run(run: Run, pool: str, count: int, device: str) -> OnePool:
    """The run on one pool."""
    return OnePool(pool=pool, device=device, drives=count, **dict(_figures(run)))


def _figures(run: Run) -> RunFigures:
    summary = run.summary
    response = summary["response_time_ms"]
    return RunFigures(
        iops=summary["throughput"]["iops"],
        response_time_ms=response["all"]["mean"],
        read_ms=response["read"]["mean"],
        write_ms=response["write"]["mean"],
        p99_ms=response["all"]["p99"],
        power_w=summary["power_w"]["mean"],
        busiest=max((float(one["utilisation"]) for one in summary["devices"]), default=None),
    )


def of_tiers(run: Run, chosen: Prediction) -> Simulated:
    """The simulated tiers, by the names of the chosen ones."""
    return Simulated(**dict(_figures(run)), tiers=list(_by_pool(run, _names(chosen))))


def _names(chosen: Prediction) -> list[str]:
    return [one.tier.technology.name for one in chosen.tiers]


def _by_pool(run: Run, names: Sequence[str]) -> Iterator[SimulatedTier]:
    duration = run.summary["window"]["duration_s"]
    for name in names:
        own = [one for one in run.summary["devices"] if str(one["name"]).rpartition(".")[0] == name]
        operations = sum(int(one["accesses"]) for one in own)
        joules = math.fsum(sum(one["energy_j"].values()) for one in own)
        yield SimulatedTier(
            name=name,
            operations_per_s=operations / duration if duration else 0.0,
            busy=sum(float(one["utilisation"]) for one in own) / max(len(own), 1),
            power_w=joules / duration if duration else 0.0,
        )


def errors(run: Run, chosen: Prediction) -> Errors:
    """Prediction over simulation, less one; None where either is not known."""
    simulated = _figures(run)
    totals = ("iops", "response_time_ms", "read_ms", "write_ms", "power_w")
    return Errors(
        **{name: _error(getattr(chosen.total, name), getattr(simulated, name)) for name in totals},
        tiers=[
            TierErrors(
                name=got.name,
                operations_per_s=_error(one.operations, got.operations_per_s),
                busy=_error(_busy(one), got.busy),
                power_w=_error(one.watts, got.power_w),
            )
            for one, got in zip(chosen.tiers, _by_pool(run, _names(chosen)), strict=True)
        ],
    )


def _error(predicted: float | None, simulated: float | None) -> float | None:
    return None if predicted is None or not simulated else predicted / simulated - 1
