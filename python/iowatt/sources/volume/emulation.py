"""Emulated media: the simulated drives of a scenario pace a live volume and book their joules."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.base.overrides import with_overrides
from iowatt.lenses.summary import summarise
from iowatt.model.heat import HeatKeys, heat_plan, usual_extent
from iowatt.run import provenance
from iowatt.run.bundle import Run
from iowatt.run.record import IDLE_ROWS, SimulationCost
from iowatt.sources.simulation import build_record, peak_rss_mib
from iowatt.sources.volume.plan import PlannedPool, planned_pool
from iowatt.sources.volume.result import TransferLateness

#: Workload of a Run: all hosts of the live volume.
HOSTS: Final = "hosts"
_NOTE: Final = (
    "emulated media, modelled watts: the volume moved real bytes, and its transfers took as long and drew as "
    "much as those of the simulated drives; a flush costs no time"
)


@dataclass(frozen=True)
class EmulatedMedia:
    """The drives below one virtual pool."""

    #: The plan file: one virtual pool, one volume on it, one workload.
    plan: Mapping[str, Any]
    #: The scenario as given.
    text: str
    scenario: Path

    @property
    def parts(self) -> Sequence[Mapping[str, Any]]:
        """The parts of the virtual pool, in order."""
        parts: Sequence[Mapping[str, Any]] = self.plan["simulation"]["virtual_pools"][0]["parts"]
        return parts

    @property
    def core_plan(self) -> str:
        """The plan as the core takes it."""
        return json.dumps(self.plan["simulation"])


@dataclass(frozen=True)
class ReplayedHere:
    """How this program made the requests of a Run on emulated media."""

    #: Share of them that were sent more than 10 ms late.
    late_share: float
    #: The same in a sentence, and whatever else there is to say.
    notes: Sequence[str]
    #: Traces that were read.
    inputs: Sequence[tuple[str, Path]] = ()


def emulated_media(
    scenario: Path, overrides: Sequence[str] = (), pool: str | None = None, *, own_work: bool = False
) -> EmulatedMedia:
    """The drives of a scenario below its virtual pool ``pool``.

    ``own_work``: the requests will be those of its first workload, which must go to a volume on that pool;
    else hosts bring their own. A Run has no warm-up, and lasts as long as its requests do.

    Raises ``InputError`` where the scenario has a controller or paths, which a live volume does not have, or
    its own work cannot be that of the volume.
    """
    planned = planned_pool(scenario, overrides, pool)
    simulation, names = planned.plan["simulation"], planned.plan["names"]
    limits = simulation.get("qos") or any(volume.get("qos") for volume in simulation["volumes"])
    for key, found in (
        ("controller", simulation.get("controller")),
        ("path", simulation.get("paths")),
        ("qos", limits),
        ("replication", simulation.get("replications")),
    ):
        if found:
            message = f"a live volume stands on its drives: emulated media have no {key}"
            raise InputError("unsupported", f"{scenario}: array.{key}", message)
    virtual = names["virtual_pools"][planned.number]
    workload, sources = HOSTS, []
    kept = planned.plan["notes"]
    replay: dict[str, Any] = {"mode": "open", "speed": 1.0}
    if own_work:
        _refuse_other_work(scenario, planned, simulation)
        workload, sources = names["workloads"][0], planned.plan["sources"][:1]
        replay = simulation["workloads"][0]["replay"]
    else:
        # What is said of the scenario's own workloads is not about those of hosts.
        kept = [note for note in kept if not note["code"].startswith("profile-")]
    whole = {
        "pool": len(simulation["pools"]),
        "offset_bytes": 0,
        "capacity_bytes": virtual["capacity_bytes"],
    }
    plan = {
        **planned.plan,
        "sources": sources,
        "notes": kept,
        "warmup": None,
        "names": {**names, "workloads": [workload], "volumes": [planned.name], "virtual_pools": [virtual]},
        "simulation": {
            **simulation,
            "workloads": [{"volume": 0, "replay": replay}],
            "volumes": [whole],
            "virtual_pools": [simulation["virtual_pools"][planned.number]],
            "observe": {
                **heat_plan(HeatKeys(extent=usual_extent(virtual["capacity_bytes"]), points=["front"])),
                **simulation["observe"],
                "warmup_s": 0.0,
                "end_s": None,
                "idle": False,
                "idle_rows": IDLE_ROWS,
            },
        },
    }
    return EmulatedMedia(plan, with_overrides(scenario.read_text("utf-8"), overrides), scenario)


def _refuse_other_work(scenario: Path, planned: PlannedPool, simulation: Mapping[str, Any]) -> None:
    volume = simulation["volumes"][simulation["workloads"][0]["volume"]]
    if volume["pool"] != len(simulation["pools"]) + planned.number:
        message = f"the workload goes to another pool than {planned.name}"
        raise InputError("conflict", f"{scenario}: workload.0.volume", message)
    observe = simulation["observe"]
    given = {"duration": observe["end_s"], "warmup": observe["warmup_s"] or planned.plan["warmup"]}
    for key, value in given.items():
        if value:
            message = "a live run has no warm-up, and lasts as long as its requests"
            raise InputError("unsupported", f"{scenario}: observe.{key}", message)
    if simulation["seed"] != 1:
        message = "a live volume is laid out as with seed 1"
        raise InputError("unsupported", f"{scenario}: seed", message, hint="set seed=1")


def emulated_run(
    media: EmulatedMedia,
    raw: Mapping[str, Any],
    late: TransferLateness | None,
    *,
    started_at: str,
    cpu_s: float,
    replayed: ReplayedHere | None = None,
    command: str | None = None,
) -> Run:
    """The Run of a volume that was served on emulated media: from its first request to its stop.

    ``raw``: what the core returned of it. ``late``: how much later than the drives its transfers were done.
    ``cpu_s``: processor time that the service took. ``replayed``: where this program made the requests.
    """
    raw = {**raw, "summary": json.loads(raw["summary"])}
    summary = raw["summary"]
    cost = SimulationCost(
        wall_s=summary["wall_s"],
        cpu_s=cpu_s,
        requests=summary["requests_simulated"],
        peak_rss_mib=peak_rss_mib(),
    )
    notes = [_NOTE]
    if late is not None:
        notes.append(
            f"{late.transfers} transfers ended later than the simulated drives: by {late.p50_us:.3g} us "
            f"(median), {late.p99_us:.3g} us (99th percentile), {late.most_us / 1e3:.3g} ms at most; that "
            "is this machine's part of the response times"
        )
        if late.failed:
            notes.append(f"{late.failed} requests failed: they are in no figure of the Run")
    plan = dict(media.plan)
    if late is not None:
        plan["emulated"] = late.as_dict()
    if replayed is not None:
        plan["measured"] = {"late_share": replayed.late_share}
        notes += replayed.notes
    record = build_record(plan, raw, notes, media.text, cost, source="emulation")
    inputs = [(str(media.scenario), media.scenario), *(replayed.inputs if replayed is not None else ())]
    digest = provenance.Digest(inputs)
    digest.start()
    origin = provenance.gather(
        seed=record.seed,
        inputs=digest.inputs(),
        scenario_text=media.text,
        started_at=started_at,
        command=command,
    )
    return Run.of(record, summarise(record, origin).as_dict())
