"""What ``iowatt check`` (``iowatt.check/1``) and ``iowatt explain`` (``iowatt.explain/1``) return."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument


class TimeAlone(Result):
    """One request on an idle path, seconds."""

    size: int = Field(alias="bytes")
    read_s: float
    write_s: float


class CheckedPath(Result):
    """A path as ``iowatt check`` shows it; hops, host, port and exchange are those of the plan."""

    name: str
    protocol: str
    workloads: list[str]
    lanes: int
    queue_depth: int | None
    hba: str | None
    host: dict[str, Any] | None
    hops: list[dict[str, Any]]
    port: dict[str, Any]
    exchange: dict[str, Any]
    alone: list[TimeAlone]


class CheckedReplication(Result):
    """A replication as ``iowatt check`` shows it; the mode is that of the plan."""

    name: str
    mode: dict[str, Any]
    volumes: list[str]
    #: None where the remote array's drives are not simulated.
    copies: list[str] | None
    service_s: float
    path: CheckedPath


class _CheckedPool(Result):
    """A pool of drives; rates and times are those of one drive."""

    name: str
    device: str
    title: str
    count: int
    spares: int
    #: ``ec`` of an erasure code, whose units are in ``raid_code``; None of a single drive.
    raid_level: int | Literal["ec"] | None
    #: As in the plan: ``data``, ``parity`` and ``local_groups``.
    raid_code: dict[str, int] | None
    stripe_unit_bytes: int | None
    #: As in the plan.
    chunklets: dict[str, Any] | None
    scheduler: str
    queue_depth: int
    drive_scheduler: str
    write_cache: bool
    power_policy: str
    raw_bytes: int
    usable_bytes: int
    #: Of a cluster's pool, how its data lies on the nodes, in words.
    placement: str | None = None


class DiskPool(_CheckedPool):
    """A pool of disks."""

    kind: Literal["hdd"] = "hdd"
    rpm: float
    average_seek_s: float
    outer_bytes_per_s: float
    inner_bytes_per_s: float


class SsdPool(_CheckedPool):
    """A pool of SSDs: rates as published, and the flash behind them, None by the data sheet alone."""

    kind: Literal["ssd"] = "ssd"
    simulated_by: Literal["data sheet", "flash"]
    dies: int | None
    flash_bytes: int | None
    over_provisioning: float | None
    read_bytes_per_s: float
    write_bytes_per_s: float
    read_iops: float
    write_iops: float
    power_cap_w: float | None


class CheckedLibrary(Result):
    """A library; ``bytes_per_s`` of hosts are what one drive reads or writes at most."""

    name: str
    drive: str
    drives: int
    robots: int
    cartridges: int
    #: Host bytes that a cartridge takes.
    cartridge_bytes: int
    #: On tape.
    raw_bytes: int
    bytes_per_s: float
    #: With empty drives.
    idle_w: float


class CheckedNodes(Result):
    """Like nodes of a cluster; watts are those of one server at the wall, without drives and adapters."""

    name: str
    count: int
    server: str
    cores: int
    idle_w: float
    busy_w: float
    price_usd: float | None


class CheckedCluster(Result):
    """A cluster; network and software are those of the plan."""

    name: str
    preset: str | None
    racks: int
    rack_units: int
    nodes: list[CheckedNodes]
    pools: list[str]
    network: dict[str, Any]
    front_bytes_per_s: float | None
    back_bytes_per_s: float | None
    failures: list[dict[str, Any]]


class CheckedVolume(Result):
    """A volume; ``pool`` may be a virtual one."""

    name: str
    pool: str
    capacity_bytes: int


class CheckedBus(Result):
    """A bus."""

    name: str
    bandwidth_bytes_per_s: float


class ArrayWatts(Result):
    """The array at the wall."""

    wall_idle_w: float
    wall_active_w: float


class CheckedWorkload(Result):
    """A workload: its trace or profile, and its pacing in words."""

    name: str
    volume: str
    trace: str
    replay: str


class CheckWarning(Result):
    """A value that is accepted and unusual, with its place."""

    where: str
    message: str


class CheckedScenario(ResultDocument):
    """The system of a scenario without problems."""

    schema_id: Literal["iowatt.check/1"] = Field(default="iowatt.check/1", alias="schema")
    ok: Literal[True] = True
    name: str
    drives: int
    raw_bytes: int
    usable_bytes: int
    #: After capacity optimisation.
    effective_bytes: int
    #: None where the idle watts of a drive are not known.
    idle_w: float | None
    pools: list[DiskPool | SsdPool]
    #: As in the names of a plan.
    virtual_pools: list[dict[str, Any]]
    libraries: list[CheckedLibrary] = Field(default_factory=list)
    clusters: list[CheckedCluster] = Field(default_factory=list)
    volumes: list[CheckedVolume]
    buses: list[CheckedBus]
    #: As in the plan.
    controller: dict[str, Any] | None
    paths: list[CheckedPath]
    replications: list[CheckedReplication] = Field(default_factory=list)
    power: ArrayWatts | None
    workloads: list[CheckedWorkload]
    notes: list[Note]
    warnings: list[CheckWarning] = Field(default_factory=list)


class CheckProblem(Result):
    """One problem of a scenario."""

    code: str
    where: str | None
    message: str
    hint: str | None


class FailedCheck(ResultDocument):
    """The problems of a scenario that cannot be run."""

    schema_id: Literal["iowatt.check/1"] = Field(default="iowatt.check/1", alias="schema")
    ok: Literal[False] = False
    problems: list[CheckProblem]


class KeyFacts(Result):
    """What a key of a scenario means and takes."""

    description: str
    accepts: str
    unit: str | None
    #: The default in words.
    default: str
    required: bool
    #: The tag of the tables of a union that have the key; None where all have it.
    only_with: str | None
    #: A line of TOML.
    example: str | None


class _KeyPath(Result):
    """The path of a key, its first field."""

    path: str


class ExplainedKey(KeyFacts, _KeyPath):
    """One key, or one table, of a scenario."""

    #: ``path`` with NAME in place of the name of each list element that it passes.
    named: str
    #: Paths of the keys of a table.
    keys: list[str]
    #: Names of the library that the key takes.
    library: list[str]
    #: What tables of a union say of the key, where they do not say the same.
    variants: list[KeyFacts]


class Explanation(ResultDocument):
    """One key of a scenario, or all of them, tables before their keys."""

    schema_id: Literal["iowatt.explain/1"] = Field(default="iowatt.explain/1", alias="schema")
    keys: list[ExplainedKey]
