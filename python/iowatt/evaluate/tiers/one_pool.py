"""The one pool that tiers are derived from: the request, its scenario, and its load behind the cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

from iowatt.base.errors import Argument, InputError
from iowatt.base.results import Note
from iowatt.lenses.heat import Extents

if TYPE_CHECKING:
    from iowatt.evaluate.search import Pricing
    from iowatt.model.scenario.keys import Pool
    from iowatt.run.bundle import Run


Floats = npt.NDArray[np.float64]
Objective = Literal["watts", "dollars", "drives"]

MIB: Final = 1 << 20


@dataclass(frozen=True)
class TierRequest:
    """A derivation of tiers. ``limit``: share of a drive's rate that may be used at the mean load."""

    scenario: Path
    overrides: Sequence[str] = ()
    tiers: Sequence[str] = ()
    objective: Objective = "watts"
    limit: float = 0.7
    response_s: float | None = None
    extent_bytes: int | None = None
    peak: bool = False
    simulate: bool = True
    #: Assumptions of dollars: the book, the tariff, and over how many years.
    pricing: Pricing | None = None

    @property
    def priced(self) -> Pricing:
        """The given assumptions, else the default book over its years."""
        from iowatt.evaluate.search import PricingRequest

        return PricingRequest().resolve() if self.pricing is None else self.pricing


@dataclass(frozen=True)
class ExtentLoad:
    """Extents in order of density, the hottest first; untouched ones are in ``cold_bytes`` alone.

    ``size`` bytes, ``reads`` and ``writes`` per second, arrays of one length. ``read_bytes`` and
    ``write_bytes`` are means of a request; ``peak`` is the busiest period's rate over the mean rate.
    """

    size: Floats
    reads: Floats
    writes: Floats
    cold_bytes: float
    extent_bytes: int
    read_bytes: float
    write_bytes: float
    peak: float

    @property
    def total_bytes(self) -> float:
        """Bytes that must be stored."""
        return float(self.size.sum()) + self.cold_bytes

    @property
    def iops(self) -> float:
        """Back-end requests per second."""
        return float(self.reads.sum() + self.writes.sum())


def back_end_load(extents: Extents, stored_bytes: int) -> ExtentLoad:
    """The load of a pool on which ``stored_bytes`` lie, from its first byte."""
    extent, reads, writes, bytes_read, bytes_written = extents.touched()
    whole = extents.sizes(extent)
    starts = extent * float(extents.extent_bytes)
    size = np.minimum(whole, np.maximum(stored_bytes - starts, 1.0))
    seconds = max(extents.duration_s, 1e-9)
    order = np.argsort(-((reads + writes) / size), kind="stable")
    per_period = np.bincount(extents.period, weights=extents.reads + extents.writes)
    full = per_period[: max(1, int(extents.duration_s / extents.period_s))]
    total = float((reads + writes).sum())
    peak = float(full.max()) / extents.period_s / (total / seconds) if total and len(full) > 1 else 1.0
    return ExtentLoad(
        size=size[order],
        reads=reads[order] / seconds,
        writes=writes[order] / seconds,
        cold_bytes=max(0.0, stored_bytes - float(size.sum())),
        extent_bytes=extents.extent_bytes,
        read_bytes=float(bytes_read.sum() / reads.sum()) if reads.sum() else 0.0,
        write_bytes=float(bytes_written.sum() / writes.sum()) if writes.sum() else 0.0,
        peak=max(peak, 1.0),
    )


@dataclass(frozen=True)
class OnePoolScenario:
    """The scenario's one pool, from its plan."""

    name: str
    seed: int
    pool: str
    device: str
    count: int
    raid: dict[str, Any]
    #: Keys of the pool that its tiers do not have, as a scenario names them.
    own_keys: Sequence[str]
    #: Volumes with a RAID level of their own.
    own_levels: Sequence[str]
    volumes: Sequence[tuple[str, int]]
    extent_bytes: int
    plan: Mapping[str, Any]
    closed: bool

    @classmethod
    def of(cls, request: TierRequest, base: Path) -> OnePoolScenario:
        """The one pool of the request's scenario; raises ``InputError`` where there is no such pool."""
        from iowatt.evaluate import evaluation
        from iowatt.model.scenario import load

        scenario = load(request.scenario, request.overrides)
        work = evaluation.prepare(scenario, base, "")
        simulation, names = work.plan["simulation"], work.plan["names"]
        where = str(request.scenario)
        if not scenario.workload:
            raise InputError("missing", where, "there is no workload to derive tiers for")
        if scenario.cluster:
            message = "tiers are derived for arrays, not for clusters"
            raise InputError("unsupported", where, message, hint="describe the tiers as pools of an array")
        spaces = {volume["pool"] for volume in simulation["volumes"]}
        if len(spaces) != 1 or min(spaces) >= len(simulation["pools"]):
            message = (
                "the volumes lie on more than one pool, or on a virtual one; tiers are derived from the heat "
                "of one pool"
            )
            raise InputError("unsupported", where, message, hint="put all volumes on one big pool")
        from iowatt.model.scenario import traces_of

        if any(name == "-" for source in work.plan["sources"] for name in traces_of(source)):
            raise InputError(
                "read-once", where, "a trace from standard input can be read only once; put it in a file"
            )
        at = spaces.pop()
        pool = scenario.array.pool[at]
        volumes = [
            (name, volume["capacity_bytes"])
            for name, volume in zip(names["volumes"], simulation["volumes"], strict=True)
        ]
        stored = sum(size for _, size in volumes)
        given = scenario.observe.heat.extent if scenario.observe.heat else None
        extent = request.extent_bytes or given or _extent(stored)
        if stored < 8 * extent:
            message = f"the volumes have {stored} bytes, less than eight extents of {extent}"
            raise InputError("out-of-range", Argument("extent"), message, hint="choose a smaller `extent=`")
        return cls(
            name=scenario.name,
            seed=scenario.seed,
            pool=pool.name,
            device=pool.device.name,
            count=pool.count,
            raid=_raid(pool),
            own_keys=_own_keys(pool),
            own_levels=[one.name for one in scenario.array.volume if one.raid is not None],
            volumes=volumes,
            extent_bytes=extent,
            plan=work.plan,
            closed=any(one["replay"]["mode"] == "closed" for one in simulation["workloads"]),
        )

    @property
    def stored_bytes(self) -> int:
        """Bytes of all volumes."""
        return sum(size for _, size in self.volumes)


def _raid(pool: Pool) -> dict[str, Any]:
    """The RAID keys of tiers without their own: the pool's level, over all drives of a tier."""
    if pool.raid is None:
        # Chunklets are RAID-5 by default; a single drive has no redundancy.
        return {"level": 0 if pool.chunklet is None else 5}
    return pool.raid.model_dump(exclude_unset=True, exclude={"set_size"})


def _own_keys(pool: Pool) -> list[str]:
    """Keys that the pool was given and that tiers do not take over, in the order of the reference."""
    taken = {"name", "device", "count", "raid"}
    keys = [key for key in type(pool).model_fields if key in pool.model_fields_set and key not in taken]
    return [*keys, *(["raid.set_size"] if pool.raid is not None and pool.raid.set_size is not None else [])]


def left_out_notes(
    one: OnePoolScenario, raws: Sequence[Mapping[str, Any]], request: TierRequest
) -> list[Note]:
    """Notes on keys of the one pool that its tiers lack.

    Raises ``InputError``: its volumes have RAID levels of their own, and a candidate has none: which is to
    hold is not said.
    """
    said = [left_out(f"array.pool.{one.pool}.{key} of the one pool is left out") for key in one.own_keys]
    if not one.own_levels:
        return said
    if not all(raw.get("raid") for raw in raws):
        message = "the volume has a RAID level of its own, and a tier has one level for all volumes"
        hint = "give `raid` in each [[tier]] of a file of candidates: `tiers=FILE.toml`"
        raise InputError(
            "ambiguous", f"{request.scenario}: array.volume.{one.own_levels[0]}.raid", message, hint=hint
        )
    return [
        *said,
        *(left_out(f"array.volume.{name}.raid is left out: tiers have their own") for name in one.own_levels),
    ]


def _extent(stored: int) -> int:
    """A power of two that makes some thousands of extents of what is stored, from 1 MiB to 256 MiB."""
    extent = MIB
    while extent < 256 * MIB and stored // (2 * extent) >= 4096:
        extent *= 2
    return extent


def measured_load(run: Run, one: OnePoolScenario, request: TierRequest) -> tuple[ExtentLoad, Front]:
    """The load behind the cache, and what stands before it."""
    from iowatt.lenses.heat import of_run

    back = next(extents for extents in of_run(run) if extents.point == "back")
    summary = run.summary
    window = summary["window"]
    if not len(back.extent) or not summary["requests"]["count"]:
        message = "no request reaches the back end within the window: there is no heat to place"
        raise InputError("empty", str(request.scenario), message)
    # An overloaded pool still works when the last request has arrived: what is asked for is asked until then.
    span = min(window["duration_s"], (window["last_arrival_s"] or window["end_s"]) - window["start_s"])
    back = replace(back, duration_s=span if span > 0 else window["duration_s"])
    load = back_end_load(back, one.stored_bytes)
    if request.peak:
        load = replace(load, reads=load.reads * load.peak, writes=load.writes * load.peak)
    controller = one.plan["simulation"].get("controller") or {}
    requests, cache = summary["requests"], summary.get("cache")
    bandwidth = controller.get("host_bandwidth_bytes_per_s")
    processing = controller.get("processing") or {"read_s": 0.0, "write_s": 0.0}

    def inside(kind: str, count: int, moved: int) -> float:
        transfer = moved / count / bandwidth if bandwidth and count else 0.0
        return float(processing[f"{kind}_s"]) + transfer

    policy = (controller.get("cache") or {}).get("write")
    miss = 1.0 if cache is None or cache["read_hit_ratio"] is None else 1.0 - cache["read_hit_ratio"]
    return load, Front(
        iops=requests["count"] / max(back.duration_s, 1e-9) * (load.peak if request.peak else 1.0),
        read_share=requests["reads"] / requests["count"],
        read_miss=miss,
        read_hit_s=inside("read", requests["reads"], requests["bytes_read"]),
        write_waits=cache is None or policy != "back",
        write_hit_s=inside("write", requests["writes"], requests["bytes_written"]),
    )


@dataclass(frozen=True)
class Front:
    """The front end before the back end, as in the run on one pool. Times in s, shares from 0 to 1.

    ``read_miss`` of reads wait for the back end; writes do where ``write_waits``.
    """

    iops: float
    read_share: float
    read_miss: float
    read_hit_s: float
    write_waits: bool
    write_hit_s: float


def left_out(text: str) -> Note:
    """A note on a key of the one pool that its tiers do not have."""
    return Note(code="left-out", text=text)
