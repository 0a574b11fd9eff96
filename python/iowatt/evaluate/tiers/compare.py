"""What was predicted and what was simulated, as plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from iowatt.evaluate.tiers import predict
from iowatt.evaluate.tiers.choose import Objective, Technology
from iowatt.evaluate.tiers.load import Load
from iowatt.evaluate.tiers.predict import Prediction, TierFigures

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


def technology(found: Technology) -> dict[str, Any]:
    """A candidate and what its drive does under the load's requests."""
    drive = found.drive
    return {
        "name": found.name,
        "device": found.device,
        "raid_level": found.level,
        "group": found.group,
        "capacity_gb": drive.capacity_bytes / 1e9,
        "service_ms": 1e3 * drive.service_s,
        "service_variation": drive.variation,
        "iops": drive.saturated_iops,
        "idle_w": drive.idle_w,
        "operation_mj": 1e3 * drive.operation_j,
        "usd": found.usd,
        "upkeep_usd": found.upkeep_usd,
        "usd_per_w": found.usd_per_w,
        "watts_per_gb": drive.idle_w / (drive.capacity_bytes / 1e9),
        "watts_per_iops": drive.idle_w / drive.saturated_iops + drive.operation_j,
    }


def configuration(found: Prediction, load: Load) -> dict[str, Any]:
    """The tiers, the fastest first, and what they are expected to do together."""
    total = load.total_bytes
    return {
        "tiers": [
            {
                "name": one.tier.technology.name,
                "device": one.tier.technology.device,
                "raid_level": one.tier.technology.level,
                "drives": one.tier.count,
                "groups": one.tier.count // one.tier.technology.group,
                "for_response_time": one.tier.extra,
                "held_gb": one.tier.held_bytes(load) / 1e9,
                "usable_gb": one.tier.technology.usable(one.tier.count) / 1e9,
                "space_share": one.tier.held_bytes(load) / total,
                **_tier(one),
            }
            for one in found.tiers
        ],
        "predicted": predict.as_dict(found),
    }


def _tier(one: TierFigures) -> dict[str, Any]:
    return {
        "io_share": one.io_share,
        "iops": one.iops,
        "operations_per_s": one.operations,
        "utilisation": one.utilisation,
        "busy": _busy(one),
        "service_ms": 1e3 * one.service_s,
        "read_ms": None if one.read_s is None else 1e3 * one.read_s,
        "write_ms": None if one.write_s is None else 1e3 * one.write_s,
        "power_w": one.watts,
    }


def _busy(one: TierFigures) -> float | None:
    """Share of the time that a disk works; not told of SSDs, which also work behind their write buffers."""
    if one.tier.technology.drive.kind == "ssd":
        return None
    return min(1.0, one.operations * one.service_s / one.tier.count)


def brief(names: str, found: Prediction | None, objective: Objective) -> dict[str, Any]:
    """A set of technologies and what it came to; nulls where it does not do what is asked."""
    if found is None:
        return {
            "tiers": names,
            "drives": None,
            "power_w": None,
            "usd": None,
            "total_usd": None,
            "response_time_ms": None,
            "counts": None,
        }
    told = predict.as_dict(found)
    return {
        "tiers": names,
        "counts": [one.tier.count for one in found.tiers],
        **{key: told[key] for key in ("drives", "power_w", "usd", "total_usd", "response_time_ms")},
    }


def of_run(run: Run, pool: str, count: int, device: str) -> dict[str, Any]:
    """The run on one pool."""
    return {"pool": pool, "device": device, "drives": count, **_figures(run)}


def _figures(run: Run) -> dict[str, Any]:
    summary = run.summary
    response = summary["response_time_ms"]
    power = summary["power_w"]
    return {
        "iops": summary["throughput"]["iops"],
        "response_time_ms": response["all"]["mean"],
        "read_ms": response["read"]["mean"],
        "write_ms": response["write"]["mean"],
        "p99_ms": response["all"]["p99"],
        "power_w": power["mean"],
        "busiest": max((float(one["utilisation"]) for one in summary["devices"]), default=None),
    }


def of_tiers(run: Run, chosen: Prediction) -> dict[str, Any]:
    """The simulated tiers, by the names of the chosen ones."""
    by_pool = _by_pool(run, [one.tier.technology.name for one in chosen.tiers])
    return {**_figures(run), "tiers": [{"name": name, **figures} for name, figures in by_pool.items()]}


def _by_pool(run: Run, names: Sequence[str]) -> dict[str, dict[str, float]]:
    duration = run.summary["window"]["duration_s"]
    found: dict[str, dict[str, float]] = {}
    for name in names:
        own = [one for one in run.summary["devices"] if str(one["name"]).rpartition(".")[0] == name]
        operations = sum(int(one["accesses"]) for one in own)
        joules = math.fsum(sum(one["energy_j"].values()) for one in own)
        found[name] = {
            "operations_per_s": operations / duration if duration else 0.0,
            "busy": sum(float(one["utilisation"]) for one in own) / max(len(own), 1),
            "power_w": joules / duration if duration else 0.0,
        }
    return found


def errors(run: Run, chosen: Prediction) -> dict[str, Any]:
    """Prediction over simulation, less one; null where either is not known."""
    simulated, told = _figures(run), predict.as_dict(chosen)
    keys = ("iops", "response_time_ms", "read_ms", "write_ms", "power_w")
    by_pool = _by_pool(run, [one.tier.technology.name for one in chosen.tiers])
    return {
        **{key: _error(told[key], simulated[key]) for key in keys},
        "tiers": [
            {
                "name": one.tier.technology.name,
                **{
                    key: _error(_tier(one)[key], by_pool[one.tier.technology.name][key])
                    for key in ("operations_per_s", "busy", "power_w")
                },
            }
            for one in chosen.tiers
        ],
    }


def _error(told: float | None, found: float | None) -> float | None:
    return None if told is None or not found else told / found - 1
