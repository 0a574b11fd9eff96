"""The parts of a bundle's ``plan.json`` that readers rely on, checked when it is loaded.

The plan is the simulator's input and has far more in it. A measured Run's plan has neither names nor a
simulation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator


class _Plan(BaseModel):
    """A table of the plan: keys that no reader looks at may be there."""

    model_config = ConfigDict(extra="ignore", strict=True, allow_inf_nan=False, defer_build=True)


class _PlanPrice(_Plan):
    usd: float
    date: str
    source: str


class _Device(_Plan):
    name: str
    model: str
    pool: str
    kind: str
    raw_bytes: float
    idle_w: float | None
    ratings: dict[str, float | None]
    sold_bytes: float = 0.0
    used_share: float | None = None
    most_w: float | None = None
    price: _PlanPrice | None = None
    price_class: str = ""
    based_on: str | None = None
    levels: list[str] = []
    drives: int = 1


class _NamedPart(_Plan):
    name: str
    pool: str


class _NamedVirtualPool(_Plan):
    name: str
    scheme: str
    capacity_bytes: float
    parts: list[_NamedPart]


class _NamedLibrary(_Plan):
    name: str
    raw_bytes: float
    capacity_bytes: float


class _NamedNodes(_Plan):
    name: str
    count: int
    server: str
    price_usd: float | None = None


class _NamedSwitches(_Plan):
    model: str
    count: int
    price_usd: float | None = None


class _NamedCluster(_Plan):
    name: str
    classes: list[_NamedNodes]
    switches: _NamedSwitches | None = None


class _NamedPath(_Plan):
    name: str


class _PlanNames(_Plan):
    workloads: list[str]
    volumes: list[str]
    pools: list[str]
    devices: list[_Device]
    buses: list[str] = []
    states: list[str] = []
    virtual_pools: list[_NamedVirtualPool] = []
    libraries: list[_NamedLibrary] = []
    clusters: list[_NamedCluster] = []
    paths: list[_NamedPath] = []


class _Think(_Plan):
    mean_s: float


class _Replay(_Plan):
    mode: Literal["open", "closed"]
    speed: float = 1.0
    outstanding: int = 1
    per: str = "workload"
    think: _Think | None = None

    @model_validator(mode="after")
    def _of_its_mode(self) -> _Replay:
        needed = "speed" if self.mode == "open" else "outstanding"
        if needed not in self.model_fields_set:
            raise ValueError(f"a replay that is {self.mode} has a key {needed!r}")
        return self


class _PlanWorkload(_Plan):
    volume: int
    replay: _Replay


class _Volume(_Plan):
    pool: int
    capacity_bytes: float


class _Raid(_Plan):
    level: Literal["0", "1", "4", "5", "6", "10", "ec"]
    layout: str = ""


class _PoolRaid(_Raid):
    stripe_unit_bytes: float


class _Region(_Plan):
    raid: _Raid
    set_size: int


class _Chunklets(_Plan):
    bytes: float
    regions: list[_Region]


class _Recovery(_Plan):
    spares: int
    sparing: str


class _CommandQueue(_Plan):
    depth: int
    scheduler: str


class _PowerPolicy(_Plan):
    policy: str
    threshold_s: float | None = None


class _Transition(_Plan):
    seconds: float
    joules: float | None


class _Low(_Plan):
    watts: float | None
    enter: _Transition
    leave: _Transition
    stopped: bool = False


class _Levels(_Plan):
    idle_w: float | None
    below: list[_Low]


class _Power(_Plan):
    levels: _Levels | None = None
    states: list[int] = []

    @model_validator(mode="after")
    def _alike(self) -> _Power:
        if self.levels is not None and len(self.levels.below) != len(self.states):
            raise ValueError(f"{len(self.states)} states for {len(self.levels.below)} levels below idling")
        return self


class _Drive(_Plan):
    kind: str = "hdd"
    rpm: float = 0.0
    power: _Power = _Power()


class _PlanPool(_Plan):
    count: int
    device: _Drive
    raid: _PoolRaid
    scheduler: str
    power_policy: _PowerPolicy
    bus_of_drive: list[int | None] = []
    chunklets: _Chunklets | None = None
    recovery: _Recovery | None = None
    command_queue: _CommandQueue | None = None


class _Place(_Plan):
    capacity_bytes: float


class _VirtualPool(_Plan):
    parts: list[_Place]


class _Bus(_Plan):
    bandwidth_bytes_per_s: float


class _Processing(_Plan):
    processors: int
    read_s: float
    write_s: float
    ready_s: float | None = None
    interrupt_s: float | None = None
    moderation_s: float = 0.0
    moderation_count: int = 1


class _Split(_Plan):
    outstanding: int
    bytes: float


class _ReadAhead(_Plan):
    least_bytes: float
    most_bytes: float
    streams: int


class _Mirror(_Plan):
    bandwidth_bytes_per_s: float
    latency_s: float


class _Cache(_Plan):
    capacity_bytes: float
    line_bytes: float
    replacement: str | dict[str, Any]
    write: Literal["back", "through", "around"]
    read: bool
    high_watermark: float
    low_watermark: float
    destage_bytes: float
    destage: str = "watermark"
    transfers: Literal["mixed", "whole", "needed"] = "mixed"
    read_ahead: _ReadAhead | None = None
    mirror: _Mirror | None = None


class _BackEnd(_Plan):
    command_s: float
    processors: int
    write_command_s: float
    write_processors: int


class _Loss(_Plan):
    of: str
    at_s: float
    back_s: float | None


class _Controller(_Plan):
    processing: _Processing | None = None
    host_bandwidth_bytes_per_s: float | None = None
    split: _Split | None = None
    cache: _Cache | None = None
    back_end: _BackEnd | None = None
    losses: list[_Loss] = []


class _Processors(_Plan):
    processors: int = 1


class _Path(_Plan):
    lanes: int
    queue_depth: int | None
    host: _Processors | None = None
    port: _Processors | None = None


class _TapeDrive(_Plan):
    speed_bytes_per_s: list[float]


class _Library(_Plan):
    drives: int
    robots: int
    cartridges: int
    cartridge_bytes: float
    drive: _TapeDrive


class _ClusterNode(_Plan):
    joins_at_s: float | None = None
    leaves_at_s: float | None = None


class _Cluster(_Plan):
    nodes: list[_ClusterNode]


class _Simulation(_Plan):
    workloads: list[_PlanWorkload]
    volumes: list[_Volume]
    pools: list[_PlanPool]
    buses: list[_Bus] = []
    virtual_pools: list[_VirtualPool] = []
    libraries: list[_Library] = []
    clusters: list[_Cluster] = []
    paths: list[_Path] = []
    controller: _Controller | None = None
    observe: dict[str, Any] = {}


class _Parts(_Plan):
    name: str
    count: int


class _Supplies(_Plan):
    count: int
    rating_w: float
    needed: int
    active_standby: bool
    efficiency: str


class _Enclosure(_Plan):
    name: str
    filling: list[tuple[int, list[int]]]
    parts: list[_Parts]
    supplies: _Supplies | None


class _ArrayPower(_Plan):
    enclosures: list[_Enclosure]
    pue: float | None = None


class _Plans(_Plan):
    name: str = ""
    names: _PlanNames | None = None
    notes: list[dict[str, str | bool] | str] = []
    sources: list[dict[str, Any]] = []
    simulation: _Simulation | None = None
    power: _ArrayPower | None = None
    measured: dict[str, Any] | None = None


def problem(plan: str, summary: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the first error in the text of a plan, given a ``run.json`` that fits its schema.

    Returns the key path and a sentence, ``None`` where nothing is.
    """
    try:
        found = _Plans.model_validate_json(plan)
    except ValidationError as error:
        return first(error) or ("", "this is not a plan")
    return next(_misfits(found, summary), None)


def first(error: ValidationError, passed: frozenset[str] = frozenset()) -> tuple[str, str] | None:
    """The key path and the message of the first finding that is not of a kind in ``passed``."""
    for each in error.errors(include_url=False, include_context=False):
        if each["type"] not in passed:
            message = each["msg"]
            return ".".join(map(str, each["loc"])), message[:1].lower() + message[1:]
    return None


def _misfits(plan: _Plans, summary: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Contradictions: names and the things they name, in the plan and in ``run.json``."""
    if plan.simulation is not None and plan.names is None:
        yield "names", "the key is missing; simulation needs it"
    elif plan.simulation is not None and plan.names is not None:
        yield from _counts(plan.names, plan.simulation, plan.sources)
        yield from _places(plan.names, plan.simulation)
        yield from _others(plan.names, summary)


def _counts(
    names: _PlanNames, simulation: _Simulation, sources: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, str]]:
    for key in ("workloads", "volumes", "pools", "buses", "virtual_pools", "libraries", "clusters", "paths"):
        named, there = len(getattr(names, key)), len(getattr(simulation, key))
        if named != there:
            yield f"names.{key}", f"it has {named} entries; simulation.{key} has {there}"
    if sources and len(sources) != len(simulation.workloads):
        yield (
            "sources",
            f"it has {len(sources)} entries; simulation.workloads has {len(simulation.workloads)}",
        )


def _places(names: _PlanNames, simulation: _Simulation) -> Iterator[tuple[str, str]]:
    spaces = len(names.pools) + len(names.virtual_pools) + len(names.libraries)
    for at, volume in enumerate(simulation.volumes):
        if not 0 <= volume.pool < spaces:
            yield (
                f"simulation.volumes.{at}.pool",
                f"there is no pool {volume.pool}; there are {spaces}, from 0",
            )
    for at, workload in enumerate(simulation.workloads):
        if not 0 <= workload.volume < len(names.volumes):
            place = f"simulation.workloads.{at}.volume"
            yield place, f"there is no volume {workload.volume}; there are {len(names.volumes)}, from 0"
    holders = {*names.pools, *(library.name for library in names.libraries)}
    for at, device in enumerate(names.devices):
        if device.pool not in holders:
            yield f"names.devices.{at}.pool", f"there is no pool {device.pool!r}"


def _others(names: _PlanNames, summary: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    named = {
        "devices": [device.name for device in names.devices],
        "workloads": names.workloads,
        "volumes": names.volumes,
    }
    for key, mine in named.items():
        other = [one["name"] for one in summary[key]]
        if len(mine) != len(other):
            yield f"names.{key}", f"it has {len(mine)} entries; run.json has {len(other)}"
        for at, (here, there) in enumerate(zip(mine, other, strict=False)):
            if here != there:
                yield f"names.{key}.{at}", f"it is {here!r}; in run.json it is {there!r}"
