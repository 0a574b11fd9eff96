"""From a record to ``run.json``: the one place where every figure of a run is put together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import polars as pl

from iowatt.lenses import efficiency, energy, rated_power, wear
from iowatt.run import summary_build
from iowatt.run.histogram import PERCENTILES, Histogram
from iowatt.run.record import Record, RequestFlow, ResponseMoments
from iowatt.run.statistics import mean_interval
from iowatt.run.summary_parts import DeviceSummary, FlashSummary
from iowatt.run.summary_schema import (
    SCHEMA,
    BusSummary,
    Energy,
    HeatSpaceSummary,
    HeatSummary,
    Power,
    PowerManagement,
    Provenance,
    Requests,
    ResponseTime,
    ResponseTimes,
    RunSummary,
    Simulation,
    TraceReading,
    VolumeSummary,
    WindowSummary,
    WorkloadSummary,
)
from iowatt.run.tables import CAUSES, FLASH_OPERATIONS, STATES, levels

#: Begins the note on a mean whose interval is withheld.
UNCERTAIN: Final = "the mean response time has no confidence interval"


def summarise(record: Record, provenance: Provenance) -> RunSummary:
    """Everything that ``run.json`` says about a run.

    Raises ``pydantic.ValidationError`` where a figure is not a finite number: such a run must not be
    written.
    """
    span = record.window.duration_s
    tables = record.tables
    times = _histograms(tables.latency)
    work = efficiency.throughput(record.total, span)
    storage = efficiency.capacity(record.capacity)
    joules, drawn = _energy_and_power(record)
    above = _above_rated(record, drawn)
    return RunSummary(
        schema_=SCHEMA,
        name=record.name,
        source=record.source,
        notes=[*record.notes, *([] if above is None else [above.text]), *_uncertain(record.total)],
        provenance=provenance,
        window=WindowSummary.model_validate(record.window, from_attributes=True),
        requests=_requests(record.total),
        throughput=work,
        response_time_ms=_response_times(record.total.response, times),
        energy=joules,
        power_w=drawn,
        power_basis="device" if drawn.wall_mean is None and not record.measured else "wall",
        capacity_gb=storage,
        efficiency=efficiency.efficiency(work, storage, drawn),
        devices=list(_devices(tables.devices, record, span)),
        buses=list(_buses(record)),
        rebuilds=list(record.rebuilds),
        parity_logs=list(record.parity_logs) or None,
        volumes=list(_volumes(record, times)),
        workloads=list(_workloads(record, times)),
        paths=summary_build.paths(record.paths, span),
        replications=summary_build.replications(record.replications, span),
        response_time_at=_response_time_at(record),
        controller=summary_build.controller(record),
        cache=summary_build.cache(record.cache),
        virtual_pools=summary_build.virtual_pools(record.virtual_pools),
        tiers=summary_build.tiers(record.virtual_pools),
        libraries=summary_build.libraries(record.libraries),
        clusters=list(record.clusters) or None,
        heat=_heat(record),
        power_management=_power_management(record),
        simulation=_simulation(record),
        driver=record.driver,
        instruments=None if record.instruments is None else list(record.instruments),
    )


def _uncertain(flow: RequestFlow) -> list[str]:
    """Why the mean response time has no interval, unless for lack of requests."""
    withheld = mean_interval(flow.response["all"].batches).withheld
    return [] if withheld is None else [f"{UNCERTAIN}: {withheld}"]


def _above_rated(record: Record, drawn: Power) -> rated_power.RatingExceeded | None:
    if record.measured:
        return None
    used = dict(record.tables.devices.select("name", "energy_total_j").iter_rows())
    named = ((record.plan or {}).get("names") or {}).get("devices", [])
    return rated_power.above(named, used, record.window.duration_s, drawn.max or 0.0)


def _energy_and_power(record: Record) -> tuple[Energy, Power]:
    span, tables = record.window.duration_s, record.tables
    overall = record.total.response["all"]
    completions, mean_s = record.total.completions.requests, overall.mean_s if overall.count else None
    if record.measured:
        joules = energy.metered(tables.energy, completions, mean_s)
        return joules, energy.metered_power(joules.total_j, span, tables.intervals)
    joules = energy.energy(
        tables.energy,
        {**record.idle_w, **record.array_idle_w},
        span,
        completions,
        mean_s,
        causes_j=energy.by_cause(tables.devices, tables.energy),
        unknown=record.unknown_energy,
    )
    drawn = energy.power(
        energy.devices_j(tables.energy),
        span,
        tables.intervals,
        record.idle_w,
        wall_j=joules.total_j if tables.intervals["wall_w"].count() else None,
        array_idle_w=record.array_idle_w,
    )
    return joules, drawn


def _requests(flow: RequestFlow) -> Requests:
    return Requests(
        count=flow.arrived,
        completed=flow.completed,
        reads=flow.reads,
        writes=flow.writes,
        bytes_read=flow.bytes_read,
        bytes_written=flow.bytes_written,
        errors=flow.errors,
        in_flight_at_end=flow.in_flight_at_end,
    )


@dataclass(frozen=True)
class _Times:
    """Response times of one direction of one workload."""

    workload: str
    volume: str
    op: str
    histogram: Histogram


def _histograms(latency: pl.DataFrame) -> list[_Times]:
    """The ``latency`` table by workload, volume and direction; all flows are sums of these."""
    parts = latency.partition_by("workload", "volume", "op", as_dict=True)
    return [
        _Times(str(workload), str(volume), str(op), Histogram.from_table(rows))
        for (workload, volume, op), rows in parts.items()
    ]


def _response_times(response: Mapping[str, ResponseMoments], times: Sequence[_Times]) -> ResponseTimes:
    """Response times of a flow that is the sum of the given parts."""
    return _of_flow(
        response,
        *(Histogram.merged([one.histogram for one in times if one.op == op]) for op in ("read", "write")),
    )


def _of_flow(response: Mapping[str, ResponseMoments], read: Histogram, write: Histogram) -> ResponseTimes:
    return ResponseTimes(
        all=response_time(response["all"], Histogram.merged([read, write])),
        read=response_time(response["read"], read),
        write=response_time(response["write"], write),
    )


def _response_time_at(record: Record) -> dict[Literal["switch", "array"], ResponseTimes] | None:
    """Response times as seen within the paths; None where nothing is seen there."""
    series = record.tables.series
    if not record.response_at or series is None:
        return None
    bins = pl.col("low_ns"), pl.col("high_ns"), pl.col("bin_count").alias("count")
    listed = series.lazy().select("point", "op", *bins).explode("low_ns", "high_ns", "count")
    rows = listed.drop_nulls().collect()
    points: tuple[Literal["switch", "array"], ...] = ("switch", "array")
    return {
        point: _of_flow(
            record.response_at[point],
            *(
                Histogram.from_table(rows.filter(pl.col("point") == point, pl.col("op") == op))
                for op in ("read", "write")
            ),
        )
        for point in points
        if point in record.response_at
    }


def _volumes(record: Record, times: Sequence[_Times]) -> Iterator[VolumeSummary]:
    for volume in record.volumes:
        mine = [one for one in times if one.volume == volume.name]
        yield VolumeSummary(
            name=volume.name,
            pool=volume.pool,
            capacity_gb=volume.capacity_bytes / efficiency.BYTES_PER_GB,
            requests=_requests(volume.flow),
            throughput=efficiency.throughput(volume.flow, record.window.duration_s),
            response_time_ms=_response_times(volume.flow.response, mine),
            in_flight_mean=volume.flow.in_flight_mean,
            cache=summary_build.hits(volume.hits),
            qos=summary_build.qos(volume, record.window.duration_s),
        )


def _workloads(record: Record, times: Sequence[_Times]) -> Iterator[WorkloadSummary]:
    for workload in record.workloads:
        mine = [one for one in times if one.workload == workload.name]
        yield WorkloadSummary(
            name=workload.name,
            volume=workload.volume,
            requests=_requests(workload.flow),
            throughput=efficiency.throughput(workload.flow, record.window.duration_s),
            response_time_ms=_response_times(workload.flow.response, mine),
            in_flight_mean=workload.flow.in_flight_mean,
            cache=summary_build.hits(workload.hits),
            trace=None if workload.trace is None else TraceReading(**workload.trace),
        )


def _devices(table: pl.DataFrame, record: Record, span: float) -> Iterator[DeviceSummary]:
    named = ((record.plan or {}).get("names") or {}).get("devices", [])
    drives = {one["name"]: one["drives"] for one in named if "drives" in one}
    plain = [key for key in DeviceSummary.model_fields if key in table.columns]
    states = [*STATES, *levels(table)]

    def has(row: dict[str, Any], state: str) -> bool:
        return row[f"time_{state}_s"] is not None

    for row in table.iter_rows(named=True):
        values: dict[str, Any] = {key: row[key] for key in plain}
        yield DeviceSummary(
            **values,
            delay_mean_ms=_mean_ms(row["delay_s"], row["delayed_accesses"]),
            state_time_s={state: row[f"time_{state}_s"] for state in states if has(row, state)},
            energy_j={state: row[f"energy_{state}_j"] for state in states if has(row, state)},
            energy_by_cause_j={cause: row[f"cause_{cause}_j"] for cause in CAUSES},
            flash=_flash(row),
            wear=wear.gauges(row, record.ratings.get(row["name"], {}), span),
            drives=drives.get(row["name"]),
        )


def _flash(row: dict[str, Any]) -> FlashSummary | None:
    """What the flash of an SSD did; None for a disk."""
    if row["flash_modelled"] is None:
        return None
    joules = {operation: row[f"flash_energy_{operation}_j"] for operation in FLASH_OPERATIONS}
    plain = {key: row[f"flash_{key}"] for key in FlashSummary.model_fields if f"flash_{key}" in row}
    return FlashSummary(**plain, energy_by_operation_j=joules)


def _mean_ms(sum_s: float, count: int) -> float | None:
    return sum_s / count * 1e3 if count else None


def _power_management(record: Record) -> PowerManagement | None:
    """What changes of power level did to requests; None where there was none."""
    table = record.tables.devices
    sums = {name: int(table[name].sum()) for name in ("level_changes", "delayed_accesses", "accesses")}
    waits_s = {name: float(table[name].sum()) for name in ("delay_s", "batch_delay_s")}
    if not sums["level_changes"] and not record.spinning_up_most:
        return None
    return PowerManagement(
        spin_ups=table["spin_ups"].sum(),
        spin_downs=table["spin_downs"].sum(),
        level_changes=sums["level_changes"],
        delayed_accesses=sums["delayed_accesses"],
        added_wait_mean_ms=_mean_ms(waits_s["delay_s"], sums["accesses"]),
        batching_wait_mean_ms=_mean_ms(waits_s["batch_delay_s"], sums["accesses"]),
        spinning_up_most=dict(record.spinning_up_most),
    )


def _buses(record: Record) -> Iterator[BusSummary]:
    span = record.window.duration_s
    for bus in record.buses:
        yield BusSummary(
            name=bus.name,
            transfers=bus.transfers,
            utilisation=bus.busy_s / span if span > 0 else 0.0,
            wait_mean_ms=bus.wait_s / bus.transfers * 1e3 if bus.transfers else None,
        )


def _heat(record: Record) -> HeatSummary | None:
    """The sums of the table ``heat`` by address space."""
    heat, table = record.heat, record.tables.heat
    if heat is None or table is None:
        return None
    counted = ("reads", "writes", "bytes_read", "bytes_written")
    spaces = []
    for space in heat.spaces:
        own = table.filter((pl.col("point") == space.point) & (pl.col("space") == space.name))
        sums = {name: int(own[name].sum()) for name in counted}
        spaces.append(
            HeatSpaceSummary(point=space.point, name=space.name, capacity_bytes=space.capacity_bytes, **sums)
        )
    return HeatSummary(extent_bytes=heat.extent_bytes, period_s=heat.period_s, spaces=spaces)


def _simulation(record: Record) -> Simulation | None:
    cost = record.simulation
    if cost is None:
        return None
    return Simulation(
        wall_s=cost.wall_s,
        cpu_s=cost.cpu_s,
        requests_per_cpu_s=cost.requests / cost.cpu_s if cost.cpu_s > 0 else None,
        peak_rss_mib=cost.peak_rss_mib,
        threads=cost.threads,
        serial=cost.serial,
    )


def response_time(moments: ResponseMoments, histogram: Histogram) -> ResponseTime:
    """Response times of one kind of request, in ms.

    A percentile is the upper end of its bin, but never above the greatest response time seen. All
    figures but ``count`` are ``None`` where there were no requests.
    """
    if moments.count == 0:
        return ResponseTime(
            count=0, mean=None, std=None, p50=None, p90=None, p95=None, p99=None, p999=None, p9999=None,
            max=None, mean_ci95=None,
        )  # fmt: skip
    largest = None if moments.max_s is None else 1e3 * moments.max_s
    interval = mean_interval(moments.batches).limits

    def percentile(q: float) -> float | None:
        value = histogram.quantile(q)
        return None if value is None else min(value / 1e6, math.inf if largest is None else largest)

    return ResponseTime(
        count=moments.count,
        mean=1e3 * moments.mean_s,
        std=None if moments.std_s is None else 1e3 * moments.std_s,
        **{name.replace(".", ""): percentile(q) for name, q in PERCENTILES.items()},
        max=largest,
        mean_ci95=None if interval is None else (1e3 * interval[0], 1e3 * interval[1]),
    )
