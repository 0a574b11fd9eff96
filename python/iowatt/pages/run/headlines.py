"""The figures that a reader wants first: tiles of a page, lines of a terminal, rows of a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from iowatt.lenses.findings import moved_over_requested
from iowatt.pages.run import clusters
from iowatt.render.headline import Headline
from iowatt.render.numbers import count, percent, significant, with_unit
from iowatt.render.phrases import between

Summary = Mapping[str, Any]


def headlines(summary: Summary, tail_doubt: str | None = None) -> list[Headline]:
    """The headline figures that every Run has, in one order; ``tail_doubt`` stands beside percentiles."""
    times, energy = summary["response_time_ms"]["all"], summary["energy"]
    power, efficiency, requests = summary["power_w"], summary["efficiency"], summary["requests"]
    watts = power["mean"] if power["wall_mean"] is None else power["wall_mean"]
    busiest = max((device["utilisation"] for device in summary["devices"]), default=None)
    delay, raw = energy["energy_delay_js"], efficiency["raw_gb_per_w"]
    return [
        Headline("mean", "Mean response time", times["mean"], "ms", _certainty(times)),
        Headline("p95", "95th percentile", times["p95"], "ms", tail_doubt or ""),
        Headline("p99", "99th percentile", times["p99"], "ms", _tail(times, tail_doubt)),
        Headline("iops", "Throughput", summary["throughput"]["iops"], "IOPS", _work(summary)),
        Headline("requests", "Requests", requests["count"], "", _counts(requests), count(requests["count"])),
        Headline("power", "Mean power", watts, "W", _power(summary)),
        Headline("total", "Energy", energy["total_j"], "J", _energy(summary)),
        Headline(
            "per_request", "Energy per request", energy["per_request_j"], "J",
            _unless_none("energy-delay {}", delay, "J·s"),
        ),
        Headline(
            "efficiency", "Efficiency", efficiency["iops_per_w"], "IOPS/W",
            _listed(
                _unless_none("{}", efficiency["mib_per_s_per_w"], "MiB/s/W"),
                _unless_none("{} of raw capacity", raw, "GB/W"), *_effective(summary),
            ),
        ),
        Headline(
            "utilisation", "Utilisation, busiest drive", None if busiest is None else 100 * busiest, "%",
            _drives(_number(summary), summary["capacity_gb"]["raw"]),
        ),
    ]  # fmt: skip


def particular(summary: Summary) -> Iterator[Headline]:
    """Headline figures of what only some systems have: a known capacity, clusters, a cache, virtual pools."""
    if usable := summary["capacity_gb"]["usable"]:
        raw = _unless_none("of {} raw", _bytes(summary["capacity_gb"]["raw"]), "B")
        if any(pool["moves"] for cluster in summary.get("clusters") or () for pool in cluster["pools"]):
            raw = f"{raw}; that of the nodes at the start, whose pools those that join do not enlarge"
        yield Headline("usable", "Usable capacity", _bytes(usable), "B", raw)
    yield from clusters.headlines(summary)
    if cache := summary.get("cache"):
        yield _cache(cache)
    for pool in summary.get("virtual_pools") or ():
        if reduction := pool.get("reduction"):
            yield _reduction(pool["name"], reduction)
        else:
            yield _moved(summary, pool)


def _bytes(gb: float | None) -> float | None:
    return None if gb is None else 1e9 * gb


def _cache(cache: Summary) -> Headline:
    shares = [(way, cache[f"{way}_hit_ratio"], cache[f"{way}_hit_bytes_ratio"]) for way in ("read", "write")]
    hits = [
        f"{percent(share)} of {way}s ({percent(of_bytes)} of their bytes)"
        for way, share, of_bytes in shares
        if share is not None
    ]
    ratio = cache["hit_ratio"]
    remark = _listed(*hits, f"{with_unit(cache['destaged_bytes'], 'B')} destaged")
    return Headline("cache", "Cache hits", None if ratio is None else 100 * ratio, "%", remark)


def _reduction(name: str, reduction: Summary) -> Headline:
    """What capacity optimisation saves, and what it answered without I/O."""
    ratio, unwritten = reduction["reduction_ratio"], reduction["unallocated_bytes_read"]
    logical, stored, snapshots = (
        with_unit(reduction[f"{kind}_bytes"], "B") for kind in ("logical", "stored", "snapshot")
    )
    remark = _listed(
        "" if ratio is None else f"{logical} in {stored}",
        f"{snapshots} kept by snapshots" if reduction["snapshot_bytes"] else "",
        f"{with_unit(unwritten, 'B')} read that was never written, without I/O" if unwritten else "",
    )
    said = "nothing stored" if ratio is None else f"{significant(ratio)}\u00a0: 1"
    return Headline(f"reduction-{name}", f"{name}: reduction", ratio, "", remark, said)


def _moved(summary: Summary, pool: Summary) -> Headline:
    parts = [tier for tier in summary["tiers"] if tier["virtual_pool"] == pool["name"]]
    shares = [(part["name"].partition(".")[2], part["hit_ratio"]) for part in parts]
    moved, ratio = moved_over_requested(summary, pool)
    remark = _listed(
        *(f"{percent(share)} of requests on {part}" for part, share in shares if share is not None),
        f"{significant(ratio)} × the bytes requested" if ratio is not None and ratio > 1 else "",
    )
    return Headline(f"moved-{pool['name']}", f"{pool['name']}: data moved", moved, "B", remark)


def _certainty(times: Summary) -> str:
    if not times["count"]:
        return "no requests"
    interval = times["mean_ci95"]
    return "no confidence interval" if interval is None else f"95 % confidence: {between(interval)}"


def _work(summary: Summary) -> str:
    requests = summary["requests"]
    if not requests["count"]:
        return ""
    rate = with_unit(summary["throughput"]["mib_per_s"], "MiB/s")
    return f"{rate}, {percent(requests['reads'] / requests['count'])} reads"


def _counts(requests: Summary) -> str:
    reads, writes, left = (count(requests[key]) for key in ("reads", "writes", "in_flight_at_end"))
    return f"{reads} reads, {writes} writes; {left} in flight at the end"


def _power(summary: Summary) -> str:
    power = summary["power_w"]
    wall = power["wall_mean"] is not None
    if power["mean"] is None:
        unknown = summary["energy"].get("unknown") or "not metered throughout"
        where = "metered at the wall" if wall else unknown
    else:
        where = f"at the wall; drives {with_unit(power['mean'], 'W')}" if wall else ""
    idle, most = (power.get("wall_idle"), power["wall_max"]) if wall else (power["idle"], power["max"])
    return _listed(
        where,
        _unless_none("{} idle", idle, "W"),
        _unless_none("peak interval {}", most, "W"),
    )


def _energy(summary: Summary) -> str:
    energy = summary["energy"]
    total, by_state = energy["total_j"], energy["by_state_j"]
    if total is None:
        return energy.get("unknown") or ""
    array = summary["power_w"]["mean"] is None or {"parts_idle", "supply_loss"} & set(by_state)
    hours = with_unit(total / 3.6e6, "kWh") if total >= 3.6e6 else with_unit(total / 3600, "Wh")
    shares = [
        f"{state.replace('_', ' ')} {percent(joules / total)}"
        for state, joules in by_state.items()
        if total and joules is not None and joules > 0
    ]
    where = "at the wall" if array else "devices only"
    return f"{hours}, {where}{': ' if shares else ''}{', '.join(shares)}"


def _effective(summary: Summary) -> list[str]:
    """Capacity per watt after redundancy and after optimisation, where capacity is optimised."""
    capacity, efficiency = summary["capacity_gb"], summary["efficiency"]
    reduced = any(pool.get("reduction") for pool in summary.get("virtual_pools") or ())
    if not reduced and capacity["effective"] == capacity["usable"]:
        return []
    return [
        _unless_none(f"{{}} {way}", efficiency.get(f"{way}_gb_per_w"), "GB/W")
        for way in ("usable", "effective")
    ]


def _number(summary: Summary) -> int:
    """Drives: of libraries, neither robots nor frames."""
    libraries: dict[str, int] = {one["name"]: one["drives"] for one in summary.get("libraries") or ()}
    others = sum(
        device.get("drives", 1) for device in summary["devices"] if device.get("pool") not in libraries
    )
    return int(others) + sum(libraries.values())


def _drives(number: int, raw_gb: float | None) -> str:
    raw = "" if raw_gb is None else f"{with_unit(1e9 * raw_gb, 'B')} raw"
    if not number:
        return _listed("no drive is visible from outside", raw)
    return f"of {number:,} drives, {raw}"


def _tail(times: Summary, doubt: str | None) -> str:
    return "; ".join(filter(None, [_unless_none("max {}", times["max"], "ms"), doubt]))


def _unless_none(phrase: str, value: float | None, unit: str) -> str:
    return "" if value is None else phrase.format(with_unit(value, unit))


def _listed(*parts: str) -> str:
    return ", ".join(filter(None, parts))
