"""The record of a run, from the plan that was simulated and what came back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from iowatt.run.record import Hits, Record, SimulationCost, SourceKind, VolumeFlow, WorkloadFlow
from iowatt.run.summary_schema import Zeros
from iowatt.sources.simulation import counts, groups, parity_logs, remarks, tables, wall
from iowatt.sources.simulation.clusters import busy_courses, clusters

if TYPE_CHECKING:
    from iowatt.run.idle_spool import IdleSpool


def build_record(
    plan: Mapping[str, Any],
    raw: Mapping[str, Any],
    notes: Sequence[str],
    scenario_text: str,
    cost: SimulationCost,
    *,
    idle: IdleSpool | None = None,
    source: SourceKind = "simulation",
) -> Record:
    """The record of a run.

    Parameters
    ----------
    plan:
        The plan that was simulated.
    raw:
        What the core returned, its ``summary`` decoded.
    notes:
        What the passes before found out.
    scenario_text:
        The scenario as given.
    cost:
        What the simulation took.
    idle:
        The idle periods, where they were kept.
    source:
        ``emulation`` where the core emulated the media of a live volume.
    """
    names, simulation = plan["names"], plan["simulation"]
    raw = {**raw, "summary": {**raw["summary"]}}
    summary = raw["summary"]
    nodes = clusters(names, simulation, summary)
    summary["devices"] = groups.grouped(names["devices"], summary["devices"])
    controller = summary.get("controller", {})
    volume_of = [workload["volume"] for workload in simulation["workloads"]]
    spaces = counts.space_names(names)
    by_workload = counts.hits(controller.get("cache"), len(volume_of))
    run_tables = tables.tables(names, volume_of, raw, idle)
    loads, courses = counts.link_loads(plan, summary), busy_courses(plan, raw["intervals"])
    array = wall.at_wall(plan, run_tables, controller.get("processors"), loads, courses)
    return Record(
        name=plan["name"],
        source=source,
        seed=simulation["seed"],
        window=counts.window(summary, simulation["observe"]["warmup_s"]),
        total=counts.flow(summary["total"]),
        workloads=[
            WorkloadFlow(name, names["volumes"][volume], counts.flow(flow), counts.reading(trace), hits)
            for name, volume, flow, trace, hits in zip(
                names["workloads"],
                volume_of,
                summary["workloads"],
                summary["sources"],
                by_workload,
                strict=True,
            )
        ],
        volumes=[
            VolumeFlow(
                name,
                spaces[volume["pool"]],
                volume["capacity_bytes"],
                counts.flow(flow),
                Hits.summed([hits for at, hits in zip(volume_of, by_workload, strict=True) if at == number]),
                waited,
            )
            for number, (name, volume, flow, waited) in enumerate(
                zip(
                    names["volumes"],
                    simulation["volumes"],
                    summary["volumes"],
                    counts.qos(simulation, summary),
                    strict=True,
                )
            )
        ],
        tables=run_tables if array is None else array.tables,
        idle_w={one["name"]: _of_all(one, one["idle_w"]) for one in names["devices"]},
        unknown_energy=counts.unknown_energy(names["devices"]),
        capacity=counts.capacity(names, simulation, summary),
        array_idle_w={} if array is None else array.idle_w,
        buses=counts.buses(names["buses"], summary),
        processors=counts.station(controller.get("processors")),
        host_link=counts.station(controller.get("link")),
        mirror_link=counts.station(controller.get("mirror")),
        nodes=[one for node in controller.get("nodes", ()) if (one := counts.station(node)) is not None],
        mesh=counts.station(controller.get("mesh")),
        mesh_most=controller.get("mesh_most"),
        back_end=counts.station(controller.get("back_end")),
        write_path=counts.station(controller.get("write_path")),
        zeros=None if controller.get("zeros") is None else Zeros(**controller["zeros"]),
        losses=counts.losses(controller.get("losses", [])),
        cache=counts.cache(controller.get("cache")),
        virtual_pools=counts.virtual_pools(names, simulation, summary),
        libraries=counts.libraries(names, summary),
        clusters=nodes,
        ratings={
            one["name"]: {
                rating: value if rating == "pe_cycles" else _of_all(one, value)
                for rating, value in one.get("ratings", {}).items()
            }
            for one in names["devices"]
        },
        rebuilds=counts.rebuilds(names, summary),
        parity_logs=parity_logs.parity_logs(names, summary),
        paths=counts.paths(names, simulation, summary),
        replications=counts.replications(names, simulation, summary),
        response_at=counts.response_at(summary),
        heat=counts.heat(names, simulation, raw),
        spinning_up_most=counts.spinning_up_most(names, summary),
        notes=[
            *(note["text"] for note in plan["notes"]),
            *notes,
            *remarks.remarks(
                names,
                raw,
                simulation["observe"]["interval_s"],
                drives_alone=array is None,
                asked_extent_bytes=(simulation["observe"].get("heat") or {}).get("extent_bytes", 0),
                asked_series_s=simulation["observe"].get("series_s"),
            ),
            *([] if array is None else array.notes),
            *remarks.failure_remarks(names, summary),
        ],
        plan=plan,
        scenario_text=scenario_text,
        simulation=cost,
    )


def _of_all(name: Mapping[str, Any], each: Any) -> Any:
    """A figure of one drive times the drives of its row; None stays."""
    return None if each is None else each * groups.count(name)
