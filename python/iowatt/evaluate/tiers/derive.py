"""The derivation from end to end: run on a pool, take the density curve, choose tiers, simulate, compare."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.document import Document, read_text
from iowatt.base.errors import Argument, InputError
from iowatt.base.results import Note
from iowatt.evaluate.tiers import build, candidate, choose, compare, device_benchmark, money, predict
from iowatt.evaluate.tiers import load as loads
from iowatt.evaluate.tiers.choose import Objective, Technology, Tier
from iowatt.evaluate.tiers.predict import Front, Prediction
from iowatt.evaluate.tiers.result import BackEndLoad, BothKeptUp, DerivedTiers, Dollars, KeptUp, Limits
from iowatt.lenses.kept_up import kept_up
from iowatt.model.scenario.model import Scenario
from iowatt.model.scenario.paths import place_overridden

if TYPE_CHECKING:
    from iowatt.evaluate.evaluation import Prepared
    from iowatt.evaluate.search.pricing import Pricing
    from iowatt.model.scenario.array import Pool
    from iowatt.run.bundle import Run

#: Tiers that a configuration may have.
MOST_TIERS: Final = 2
#: Groups that are added for the response time before a choice of technologies is given up.
MOST_GROUPS: Final = 64
_MIB: Final = 1 << 20

Progress = Callable[[float | None, int], None]
#: A stage begins, by its name; gives what is told its progress.
Stage = Callable[[str], AbstractContextManager[Progress | None]]


@dataclass(frozen=True)
class Asked:
    """What is asked for. ``limit``: share of a drive's rate that may be used at the mean load."""

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
        """Those given, else the default book over its years."""
        from iowatt.evaluate.search.optimize.request import Priced, found_pricing

        return found_pricing(Priced()) if self.pricing is None else self.pricing


def _quiet(_name: str) -> AbstractContextManager[Progress | None]:
    return nullcontext()


def derive(asked: Asked, target: Path, place: Path, stage: Stage = _quiet) -> DerivedTiers:
    """Derive tiers for the work of a scenario with one pool.

    Parameters
    ----------
    target
        What the written scenario's paths are relative to: the folder in which it will lie.
    place
        Where to write now: ``scenario.toml`` and the Runs ``one-pool`` and ``tiers``. It exists, in the same
        folder as ``target`` or as ``target`` itself, so that relative paths mean the same from both.
    stage
        Told each stage by its name.

    Returns
    -------
    DerivedTiers
        The document ``iowatt.tier/1`` (docs/reference/cli.md).

    Raises
    ------
    InputError
        What is wrong with the scenario or the candidates; no candidates do what is asked.
    """
    base = asked.scenario.parent
    listed = candidate.read(asked.tiers)
    one = _OnePool.of(asked, base)
    left_out = _left_out(one, listed.raws, asked)
    heat = f'observe.heat={{ extent = "{one.extent_bytes}B", points = ["front", "back"] }}'
    with stage("simulating the one pool") as progress:
        first = _on_one_pool(asked, heat, place / "one-pool", progress)
    load, front = _measured(first, one, asked)
    with stage("trying drives"):
        technologies, pools = _technologies(listed, one=one, load=load, asked=asked)
    chosen, others = _choose(load, technologies, front, asked)
    chosen = _refined(chosen, pools, load, front, one.seed)
    text, said = build.scenario(
        _document(asked, base),
        base,
        target,
        volumes=one.volumes,
        tiers=[figures.tier for figures in chosen.tiers],
        pools=pools,
        load=load,
        name=f"{one.name}-tiers",
    )
    # Beside its final place, which is not there yet: its relative paths mean the same here.
    (place / "scenario.toml").write_text(text, encoding="utf-8")
    second = None
    if asked.simulate:
        with stage("simulating the tiers") as progress:
            second = _on_tiers(text, place, progress)
    return DerivedTiers(
        scenario=one.name,
        objective=asked.objective,
        limits=Limits(
            utilisation=asked.limit,
            response_time_ms=None if asked.response_s is None else 1e3 * asked.response_s,
            load=load.peak if asked.peak else 1.0,
        ),
        one_pool=compare.of_run(first, one.pool, one.count, one.device),
        load=BackEndLoad(
            stored_gb=load.total_bytes / 1e9,
            touched_gb=float(load.size.sum()) / 1e9,
            extent_bytes=load.extent_bytes,
            iops=load.iops,
            iops_per_gb=load.iops / (load.total_bytes / 1e9),
            read_share=float(load.reads.sum()) / load.iops if load.iops else None,
            read_bytes=load.read_bytes,
            write_bytes=load.write_bytes,
            peak=load.peak,
        ),
        candidates=[compare.technology(one) for one in technologies],
        chosen=compare.configuration(chosen, load),
        alternatives=[compare.brief(names, found) for names, found in others],
        simulated=None if second is None else compare.of_tiers(second, chosen),
        errors=None if second is None else compare.errors(second, chosen),
        dollars=_dollars(asked.priced),
        kept_up=BothKeptUp(one_pool=_kept_up(first), simulated=None if second is None else _kept_up(second)),
        notes=[*_notes(first, one, load, asked), *left_out, *said],
    )


def _kept_up(run: Run) -> KeptUp:
    return KeptUp(**kept_up(run).as_dict())


@dataclass(frozen=True)
class _OnePool:
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
    def of(cls, asked: Asked, base: Path) -> _OnePool:
        from iowatt.evaluate import evaluation
        from iowatt.model.scenario import load

        scenario = load(asked.scenario, asked.overrides)
        work = evaluation.prepare(scenario, base, "")
        simulation, names = work.plan["simulation"], work.plan["names"]
        where = str(asked.scenario)
        if not scenario.workload:
            raise InputError("missing", where, "there is no workload to derive tiers for")
        spaces = {volume["pool"] for volume in simulation["volumes"]}
        if len(spaces) != 1 or min(spaces) >= len(simulation["pools"]):
            raise InputError(
                "unsupported",
                where,
                "the volumes lie on more than one pool, or on a virtual one; tiers are derived from the heat "
                "of one pool",
                hint="put all volumes on one big pool",
            )
        from iowatt.sources.simulation.counts import traces_of

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
        extent = asked.extent_bytes or given or _extent(stored)
        if stored < 8 * extent:
            raise InputError(
                "out-of-range",
                Argument("extent"),
                f"the volumes have {stored} bytes, less than eight extents of {extent}",
                hint="choose a smaller `extent=`",
            )
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
    """What tiers get where a candidate says nothing: the pool's level, over all drives of a tier."""
    if pool.raid is None:
        # Chunklets are RAID-5 where nothing is said; a drive by itself has no redundancy.
        return {"level": 0 if pool.chunklet is None else 5}
    return pool.raid.model_dump(exclude_unset=True, exclude={"set_size"})


def _own_keys(pool: Pool) -> list[str]:
    """Keys that the pool was given and that tiers do not take over, in the order of the reference."""
    taken = {"name", "device", "count", "raid"}
    keys = [key for key in type(pool).model_fields if key in pool.model_fields_set and key not in taken]
    return [*keys, *(["raid.set_size"] if pool.raid is not None and pool.raid.set_size is not None else [])]


def _left_out(one: _OnePool, raws: Sequence[Mapping[str, Any]], asked: Asked) -> list[Note]:
    """What of the one pool its tiers do not have.

    Raises
    ------
    InputError
        Its volumes have RAID levels of their own, and a candidate has none: which is to hold is not said.
    """
    said = [
        build.left_out(f"array.pool.{one.pool}.{key} of the one pool is left out") for key in one.own_keys
    ]
    if not one.own_levels:
        return said
    if not all(raw.get("raid") for raw in raws):
        raise InputError(
            "ambiguous",
            f"{asked.scenario}: array.volume.{one.own_levels[0]}.raid",
            "the volume has a RAID level of its own, and a tier has one level for all volumes",
            hint="give `raid` in each [[tier]] of a file of candidates: `tiers=FILE.toml`",
        )
    return [
        *said,
        *(
            build.left_out(f"array.volume.{name}.raid is left out: tiers have their own")
            for name in one.own_levels
        ),
    ]


def _extent(stored: int) -> int:
    """A power of two that makes some thousands of extents of what is stored, from 1 MiB to 256 MiB."""
    extent = _MIB
    while extent < 256 * _MIB and stored // (2 * extent) >= 4096:
        extent *= 2
    return extent


def _document(asked: Asked, base: Path) -> Document:
    """The scenario's own tables, overrides applied."""
    found = Document(read_text(asked.scenario), str(asked.scenario), asked.overrides, Scenario)
    place_overridden(found, base)
    return found


def _measured(run: Run, one: _OnePool, asked: Asked) -> tuple[loads.Load, Front]:
    """The load behind the cache, and what stands before it."""
    from iowatt.lenses.heat import of_run

    back = next(extents for extents in of_run(run) if extents.point == "back")
    summary = run.summary
    window = summary["window"]
    if not len(back.extent) or not summary["requests"]["count"]:
        raise InputError(
            "empty",
            str(asked.scenario),
            "no request reaches the back end within the window: there is no heat to place",
        )
    # An overloaded pool still works when the last request has arrived: what is asked for is asked until then.
    span = min(window["duration_s"], (window["last_arrival_s"] or window["end_s"]) - window["start_s"])
    back = replace(back, duration_s=span if span > 0 else window["duration_s"])
    load = loads.of(back, one.stored_bytes)
    if asked.peak:
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
        iops=requests["count"] / max(back.duration_s, 1e-9) * (load.peak if asked.peak else 1.0),
        read_share=requests["reads"] / requests["count"],
        read_miss=miss,
        read_hit_s=inside("read", requests["reads"], requests["bytes_read"]),
        write_waits=cache is None or policy != "back",
        write_hit_s=inside("write", requests["writes"], requests["bytes_written"]),
    )


def _technologies(
    listed: candidate.Listed, *, one: _OnePool, load: loads.Load, asked: Asked
) -> tuple[list[Technology], dict[str, tuple[dict[str, Any], Path]]]:
    """Candidates tried out, in order of speed; and the tables of their pools."""
    pricing = asked.priced
    found: list[Technology] = []
    pools: dict[str, tuple[dict[str, Any], Path]] = {}
    for number, ((name, given), raw) in enumerate(zip(listed.named, listed.raws, strict=True)):
        raid = dict(raw.get("raid") or one.raid)
        level = int(raid["level"])
        group = given.group or candidate.GROUPS[level]
        unit = given.raid.stripe_unit if given.raid is not None else _stripe_unit(one)
        with listed.placed(number):
            _, kind, _ = device_benchmark.table(raw["device"], listed.base)
            depth = given.queue_depth or (device_benchmark.OUTSTANDING_SSD if kind == "ssd" else 1)
            table = {"device": raw["device"], "raid": raid, **({"queue_depth": depth} if depth > 1 else {})}
            mix = _mix(level, group, unit, load)
            drive = device_benchmark.fly(table, listed.base, **mix, span_bytes=None, seed=one.seed)
        try:
            cost = money.of_drive(table, listed.base, pricing, given.price)
        except InputError as error:
            if asked.objective == "dollars":
                raise InputError(
                    "missing-figure",
                    listed.place(number),
                    f"the price of {given.device.name!r} is not known, and the objective is dollars",
                    hint="give it in a file of candidates: price = 180",
                ) from error
            cost = None
        pools[name] = (table, listed.base)
        technology = Technology(
            name, given.device.name, level, unit, group, drive,
            *((None,) if cost is None else (cost.usd, cost.upkeep_usd, cost.usd_per_w)),
        )  # fmt: skip
        try:
            technology.least  # noqa: B018 - raises where no number of groups makes the level
        except InputError as error:
            raise error.at(listed.place(number, "group")) from None
        found.append(technology)
    return sorted(found, key=lambda one: one.drive.service_s), pools


def _stripe_unit(one: _OnePool) -> int:
    at = one.plan["names"]["pools"].index(one.pool)
    return int(one.plan["simulation"]["pools"][at]["raid"]["stripe_unit_bytes"])


def _mix(level: int, count: int, unit: int, load: loads.Load) -> dict[str, float]:
    """Mean bytes and share of reads of what a pool's drives are asked for."""
    from iowatt.evaluate.estimate import raid_work
    from iowatt.model.scenario.raid import LEAST_DRIVES

    count = max(count, LEAST_DRIVES[level])
    read = raid_work.of_request(level, count, unit, load.read_bytes or 4096, write=False)
    write = raid_work.of_request(level, count, unit, load.write_bytes or 4096, write=True)
    reads, writes = float(load.reads.sum()), float(load.writes.sum())
    operations = reads * read.operations + writes * write.operations
    moved = reads * read.operations * read.bytes + writes * write.operations * write.bytes
    return {
        "size": moved / operations,
        "read_share": (reads * read.reads + writes * write.reads) / operations,
    }


def _choose(
    load: loads.Load, technologies: Sequence[Technology], front: Front, asked: Asked
) -> tuple[Prediction, list[tuple[str, Prediction | None]]]:
    """The best of all sets of technologies, and all of them with what they came to."""
    tried: list[tuple[str, Prediction | None]] = []
    for number in range(1, min(MOST_TIERS, len(technologies)) + 1):
        for some in itertools.combinations(technologies, number):
            found = _best(load, some, front, asked)
            if found is not None and len(found.tiers) < number:
                continue  # the smaller set says the same
            tried.append((" + ".join(one.name for one in some), found))
    able = [(name, found) for name, found in tried if found is not None]
    if not able:
        wanted = f"utilisation at most {asked.limit:g}"
        if asked.response_s is not None:
            wanted += f" and a mean response time of {1e3 * asked.response_s:g} ms"
        raise InputError(
            "infeasible",
            Argument("tiers"),
            f"no candidates hold {load.total_bytes / 1e9:,.0f} GB and serve {load.iops:,.0f} back-end "
            f"requests a second with {wanted}",
            hint="name faster candidates, or relax `response_time=` or `utilisation=`",
        )
    able.sort(key=lambda pair: (_value(pair[1], asked.objective), len(pair[1].tiers)))
    return able[0][1], tried


def _value(found: Prediction, objective: Objective) -> float:
    if objective == "watts":
        return found.watts
    return float(found.drives) if objective == "drives" else float(found.total_usd or 0.0)


def _best(load: loads.Load, some: Sequence[Technology], front: Front, asked: Asked) -> Prediction | None:
    """The configuration of some technologies that the rule gives, with groups added for the response time."""

    def tried(extra: Sequence[int]) -> Prediction | None:
        tiers = choose.lay_out(load, some, asked.limit, asked.objective, extra)
        return None if not tiers else predict.predict(load, tiers, front)

    extra = [0] * len(some)
    found = tried(extra)
    for _ in range(MOST_GROUPS):
        if found is None or asked.response_s is None:
            return found
        if found.response_s is not None and found.response_s <= asked.response_s:
            return found
        better: tuple[float, list[int], Prediction] | None = None
        for at in range(len(some)):
            more = [number + (at == place) for place, number in enumerate(extra)]
            next_one = tried(more)
            if next_one is None or next_one.response_s is None:
                continue
            now = found.response_s if found.response_s is not None else float("inf")
            gain = (now - next_one.response_s) / max(
                _value(next_one, asked.objective) - _value(found, asked.objective), 1e-9
            )
            if gain > 0 and (better is None or gain > better[0]):
                better = (gain, more, next_one)
        if better is None:
            return None
        _, extra, found = better
    return None


def _refined(
    chosen: Prediction,
    pools: Mapping[str, tuple[dict[str, Any], Path]],
    load: loads.Load,
    front: Front,
    seed: int,
) -> Prediction:
    """The prediction with drives tried under the load that each tier has, over the part that it fills."""
    tiers: list[Tier] = []
    for figures in chosen.tiers:
        tier, technology = figures.tier, figures.tier.technology
        share = min(1.0, tier.held_bytes(load) / technology.usable(tier.count))
        own = replace(
            load, reads=load.reads[tier.first : tier.last], writes=load.writes[tier.first : tier.last]
        )
        if not own.reads.sum() + own.writes.sum():
            tiers.append(tier)
            continue
        table, base = pools[technology.name]
        mix = _mix(technology.level, tier.count, technology.stripe_unit, own)
        span = max(share * technology.drive.capacity_bytes, 64 * _MIB)
        drive = device_benchmark.fly(
            table, base, **mix, span_bytes=min(span, 0.999 * technology.drive.capacity_bytes), seed=seed
        )
        tiers.append(replace(tier, technology=replace(technology, drive=drive)))
    return predict.predict(load, tiers, front)


def _on_one_pool(asked: Asked, heat: str, output: Path, progress: Progress | None) -> Run:
    from iowatt.base.overrides import with_overrides
    from iowatt.evaluate import evaluation
    from iowatt.model.scenario import load

    base, changes = asked.scenario.parent, [*asked.overrides, heat]
    text = with_overrides(read_text(asked.scenario), changes)
    work = evaluation.prepare(load(asked.scenario, changes), base, text)
    return _simulated(work, base, output, progress)


def _on_tiers(text: str, place: Path, progress: Progress | None) -> Run:
    from iowatt.evaluate import evaluation
    from iowatt.model.scenario import load

    work = evaluation.prepare(load(text, base_dir=place), place, text)
    return _simulated(work, place, place / "tiers", progress)


def _simulated(work: Prepared, base: Path, output: Path, progress: Progress | None) -> Run:
    from iowatt.evaluate import evaluation
    from iowatt.run import bundle, provenance

    inputs = evaluation.files(work, base)
    with bundle.reserve(output) as place:
        digest = provenance.Digest(inputs)
        digest.start()
        try:
            run = evaluation.simulate(
                work,
                inputs=digest.inputs,
                started_at=provenance.now(),
                command=None,
                progress=progress,
                scratch=place.staging,
                other_cpu_s=lambda: digest.cpu_s,
            )
        except BaseException:
            digest.cancel()
            raise
        run.write_into(place.staging)
    return bundle.Run.open(output)


def _dollars(asked: Pricing) -> Dollars:
    return Dollars(
        years=asked.horizon.amount,
        tariff=asked.tariff.name,
        book=asked.book.name,
        included=["purchase of drives", "failures and service", "electricity and cooling"],
        not_included=[
            "shelves, controllers and their watts", "rack units", "wear by this work",
            "other RAID levels than those given: each tier has its candidate's, or the one pool's",
        ],
    )  # fmt: skip


def _notes(run: Run, one: _OnePool, load: loads.Load, asked: Asked) -> list[Note]:
    notes = [
        Note(
            code="modelled",
            text="predictions treat each tier as a queue with the service times of its drives under random "
            "requests of the mean size; they are modelled, not measured",
        ),
        Note(
            code="placed-from-start",
            text="extents are placed from the start by the heat of the whole run; nothing moves in the "
            "simulation (set promotion_threshold and initial for that)",
        ),
        Note(code="drives-alone", text="power is that of the drives alone"),
    ]
    busiest = max((float(d["utilisation"]) for d in run.summary["devices"]), default=0.0)
    if busiest > 0.97:
        notes.append(
            Note(
                code="one-pool-overloaded",
                text=f"the one pool is overloaded (a drive is busy {100 * busiest:.0f} % of the time): the "
                "load is what was asked for until the last request arrived",
                decides=True,
            )
        )
    dollars = _dollars(asked.priced)
    notes.append(
        Note(
            code="dollars-include",
            text=f"dollars over {dollars.years:g} years (tariff {dollars.tariff}, book {dollars.book}) "
            "include "
            f"{', '.join(dollars.included)}; they leave out {'; '.join(dollars.not_included)}",
        )
    )
    if one.closed:
        notes.append(
            Note(
                code="closed-loop",
                text="a workload is a closed loop, which asks for as much as storage gives: the tiers are "
                "sized for what the one pool gave",
                decides=True,
            )
        )
    cache = (one.plan["simulation"].get("controller") or {}).get("cache") or {}
    if cache.get("write") == "back" and cache.get("destage_outstanding", 1) > 1 and load.writes.sum():
        notes.append(
            Note(
                code="destages-together",
                text=f"up to {cache['destage_outstanding']} destages are under way at a time and reads wait "
                "behind them; the prediction assumes that requests arrive one by one",
            )
        )
    if load.peak > 1.2 and not asked.peak:
        notes.append(
            Note(
                code="sized-for-mean",
                text=f"the busiest period asks for {load.peak:.2g} times the mean load, and the tiers are "
                "sized "
                "for the mean load",
                decides=True,
            )
        )
    return notes
