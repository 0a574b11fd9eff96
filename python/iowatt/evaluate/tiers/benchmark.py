"""One drive of a technology: its performance under random requests, and its cost over a horizon.

Two short simulations: one request outstanding gives the service time, its variation and the energy of an
operation; several give the rate at saturation, which scheduling (disks) and parallel flash (SSDs) raise above
one over the service time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.base.toml_writer import inline
from iowatt.evaluate.estimate import RaidWork, raid_work
from iowatt.evaluate.tiers import candidate
from iowatt.evaluate.tiers.one_pool import ExtentLoad, Floats, OnePoolScenario, TierRequest
from iowatt.model.raid import EC, LEAST_DRIVES, count_problem, usable_bytes

if TYPE_CHECKING:
    from iowatt.evaluate.search import Pricing

#: Requests of each simulation: the mean service time is then known within 1 % or so.
REQUESTS = 6000
#: Requests outstanding at saturation: enough for scheduling to matter, few enough for a bearable wait.
OUTSTANDING_DISK = 4
OUTSTANDING_SSD = 32


@dataclass(frozen=True)
class BenchmarkedDrive:
    """One drive at random requests of one size and mix.

    Times in s, rates in 1/s; ``operation_j`` is what an operation draws above idling, ``channels`` how many
    requests it seems to serve at once.
    """

    service_s: float
    variation: float
    saturated_iops: float
    idle_w: float
    operation_j: float
    capacity_bytes: int
    usd: float | None
    kind: str

    @property
    def channels(self) -> float:
        """Servers that a queue of the drive has: rate at saturation times service time, 1 at least."""
        return max(1.0, self.saturated_iops * self.service_s)


def device_figures(device: Any, base: Path) -> tuple[str, float | None]:
    """Kind (``hdd``, ``ssd``) and price of a drive as a scenario names it.

    Raises ``InputError`` where there is no such drive.
    """
    from iowatt.model.library import device_file

    name, drive = (device, None) if isinstance(device, str) else (device["name"], device.get("drive"))
    file = device_file(name, base, drive)
    price = file.price.usd if file.price is not None else None
    return file.kind, price


def benchmark_drive(
    pool: Mapping[str, Any],
    base: Path,
    *,
    size: float,
    read_share: float,
    span_bytes: float | None,
    seed: int,
) -> BenchmarkedDrive:
    """Simulate one drive of a pool's table (``device``, ``queue_depth``, ...).

    Args:
        size: Mean bytes of an operation.
        read_share: Share of reads in the operations.
        span_bytes: Bytes of the drive in use; None: all.

    Raises ``InputError``: the drive cannot be simulated; the message says which figure is missing.
    """
    kind, usd = device_figures(pool["device"], base)
    outstanding = max(int(pool.get("queue_depth", 1)), OUTSTANDING_SSD if kind == "ssd" else OUTSTANDING_DISK)
    request: dict[str, Any] = {"size": size, "read_share": read_share, "span_bytes": span_bytes, "seed": seed}
    one = _run(pool, base, **request, outstanding=1)
    if (unknown := one["energy"]["unknown"]) is not None:
        raise InputError("missing-figure", None, f"the energy of tiers is compared, and {unknown}")
    many = _run(pool, base, **request, outstanding=outstanding)
    response, idle_w = one["response_time_ms"]["all"], float(one["power_w"]["idle"])
    service_s = response["mean"] / 1e3
    return BenchmarkedDrive(
        service_s=service_s,
        variation=(response["std"] / response["mean"]) if response["mean"] else 0.0,
        saturated_iops=float(many["throughput"]["iops"]),
        idle_w=idle_w,
        operation_j=max(0.0, (one["power_w"]["mean"] - idle_w) / one["throughput"]["iops"]),
        capacity_bytes=round(one["capacity_gb"]["raw"] * 1e9),
        usd=usd,
        kind=kind,
    )


def _run(
    pool: Mapping[str, Any],
    base: Path,
    *,
    size: float,
    read_share: float,
    span_bytes: float | None,
    seed: int,
    outstanding: int,
) -> dict[str, Any]:
    from iowatt.evaluate import evaluation
    from iowatt.model.scenario import load
    from iowatt.run import provenance

    unit = 4096 if size >= 4096 else 512
    profile = {
        "name": "uniform",
        "requests": REQUESTS,
        "rate_iops": 1000,  # a closed loop goes by completions, but a profile must say one
        "set": [
            f"stream.uniform.read_share={100 * read_share:.6g}",
            f"stream.uniform.size={max(unit, round(size / unit) * unit)}",
        ],
    }
    if span_bytes is not None:
        profile["span"] = f"{max(1, round(span_bytes / 1e6)) * 1_000_000}B"
    one = {key: value for key, value in pool.items() if key not in ("name", "count", "raid")}
    lines = [
        'name = "pilot"',
        f"seed = {seed}",
        "[[workload]]",
        'name = "random"',
        f"profile = {inline(profile)}",
        f'replay = {{ mode = "closed", outstanding = {outstanding} }}',
        "[[array.pool]]",
        'name = "drive"',
        "count = 1",
        *(f"{key} = {inline(value)}" for key, value in one.items()),
    ]
    text = "\n".join(lines) + "\n"
    work = evaluation.prepare(load(text, base_dir=base), base, text)
    return evaluation.simulate(work, inputs=lambda: [], started_at=provenance.now()).summary


#: Groups of components that follow watts, and not drives.
_BY_WATT: Final = ("energy", "demand", "cooling", "carbon")
#: Components that a site pays whatever is plugged in.
_OF_SITE: Final = ("fixed",)
_TRIED_W: Final = 1000.0


@dataclass(frozen=True)
class CandidateCost:
    """USD of one drive: its price, what else is paid for it over the horizon, and each watt that it draws."""

    usd: float
    upkeep_usd: float
    usd_per_w: float


def drive_cost(pool: Mapping[str, Any], base: Path, pricing: Pricing, price: float | None) -> CandidateCost:
    """The cost lens on one drive of a pool's table, at rest: wear is that of the Run, and not in it.

    ``price`` is that of a file of candidates, which overrides the book.

    Raises ``InputError`` where the drive has no price.
    """
    from iowatt.evaluate import evaluation
    from iowatt.lenses.cost import pricing as cost
    from iowatt.lenses.cost.systems import system_of_plan
    from iowatt.model.scenario import load

    if pricing.horizon.basis != "time":
        raise InputError("not-applicable", Argument("alpha"), "tiers are priced over years")
    text = (
        'name = "drive"\n[observe]\nduration = "1h"\n'
        f'[[array.pool]]\nname = "drive"\ncount = 1\ndevice = {inline(pool["device"])}\n'
    )
    plan = evaluation.prepare(load(text, base_dir=base), base, text).plan

    def groups(watts: float) -> tuple[cost.CostCase, Mapping[cost.Group, float]]:
        system = system_of_plan(plan, str(pool["device"]), watts=watts)
        if price is not None:
            stated = (price, None, "the file of candidates")
            drives = tuple(replace(drive, price=stated, paid=True) for drive in system.drives)
            system = replace(system, drives=drives)
        book = pricing.book.changed({})
        case = cost.CostCase.of(system, book, pricing.tariff, pricing.horizon, pricing.start)
        return case, cost.price(case).by_group

    case, resting = groups(0.0)
    _, drawing = groups(_TRIED_W)
    usd = case.price_of(case.system.drives[0]).usd
    kept = sum(value for group, value in resting.items() if group not in (*_BY_WATT, *_OF_SITE))
    by_watt = sum(drawing[group] - resting[group] for group in _BY_WATT) / _TRIED_W
    return CandidateCost(usd, kept - usd, by_watt)


def try_technologies(
    listed: candidate.CandidateList, *, one: OnePoolScenario, load: ExtentLoad, request: TierRequest
) -> tuple[list[Technology], dict[str, tuple[dict[str, Any], Path]]]:
    """Candidates tried out, in order of speed; and the tables of their pools."""
    pricing = request.priced
    found: list[Technology] = []
    pools: dict[str, tuple[dict[str, Any], Path]] = {}
    for number, ((name, given), raw) in enumerate(zip(listed.named, listed.raws, strict=True)):
        raid = dict(raw.get("raid") or one.raid)
        if raid["level"] == EC:
            message = "an erasure code has as many drives as it has units, and a tier as many as it needs"
            hint = "use a level with a number, for example level = 6"
            raise InputError("unsupported", listed.place(number, "raid.level"), message, hint=hint)
        level = int(raid["level"])
        group = given.group or candidate.GROUPS[level]
        unit = given.raid.stripe_unit if given.raid is not None else _stripe_unit(one)
        with listed.placed(number):
            kind, _ = device_figures(raw["device"], listed.base)
            depth = given.queue_depth or (OUTSTANDING_SSD if kind == "ssd" else 1)
            table = {"device": raw["device"], "raid": raid, **({"queue_depth": depth} if depth > 1 else {})}
            mix = operation_mix(level, group, unit, load)
            drive = benchmark_drive(table, listed.base, **mix, span_bytes=None, seed=one.seed)
        try:
            cost = drive_cost(table, listed.base, pricing, given.price)
        except InputError as error:
            if request.objective == "dollars":
                message = f"the price of {given.device.name!r} is not known, and the objective is dollars"
                hint = "give it in a file of candidates: price = 180"
                raise InputError("missing-figure", listed.place(number), message, hint=hint) from error
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


def _stripe_unit(one: OnePoolScenario) -> int:
    at = one.plan["names"]["pools"].index(one.pool)
    return int(one.plan["simulation"]["pools"][at]["raid"]["stripe_unit_bytes"])


def operation_mix(level: int, count: int, unit: int, load: ExtentLoad) -> dict[str, float]:
    """Mean bytes and share of reads of the operations of a pool's drives."""
    from iowatt.model.raid import LEAST_DRIVES

    count = max(count, LEAST_DRIVES[level])
    read = raid_work(level, count, unit, load.read_bytes or 4096, write=False)
    write = raid_work(level, count, unit, load.write_bytes or 4096, write=True)
    reads, writes = float(load.reads.sum()), float(load.writes.sum())
    operations = reads * read.operations + writes * write.operations
    moved = reads * read.operations * read.bytes + writes * write.operations * write.bytes
    return {
        "size": moved / operations,
        "read_share": (reads * read.reads + writes * write.reads) / operations,
    }


MOST_DRIVES = 10_000


@dataclass(frozen=True)
class Technology:
    """A candidate that was benchmarked: its pool, and the performance of its drives."""

    name: str
    device: str
    level: int
    stripe_unit: int
    group: int
    drive: BenchmarkedDrive
    usd: float | None
    #: Other costs of a drive over the horizon (failures, service), and the cost of each watt.
    upkeep_usd: float = 0.0
    usd_per_w: float = 0.0

    def total_usd(self, drives: float | Floats, operations: float | Floats) -> float | Floats:
        """Dollars over the horizon of ``drives`` drives that do ``operations`` a second."""
        watts = drives * self.drive.idle_w + operations * self.drive.operation_j
        return drives * (float(self.usd or math.inf) + self.upkeep_usd) + watts * self.usd_per_w

    def usable(self, count: int) -> int:
        """Usable bytes of a pool of ``count`` drives."""
        return usable_bytes(self.level, count, self.stripe_unit, self.drive.capacity_bytes)

    def work(self, load: ExtentLoad, count: int) -> tuple[RaidWork, RaidWork]:
        """Drive operations of a read and of a write of the load's mean sizes."""
        read = raid_work(self.level, count, self.stripe_unit, load.read_bytes, write=False)
        return read, raid_work(self.level, count, self.stripe_unit, load.write_bytes, write=True)

    def operations(self, load: ExtentLoad, count: int) -> Floats:
        """Operations per second of each extent on such a pool."""
        read, write = self.work(load, count)
        found: Floats = load.reads * read.operations + load.writes * write.operations
        return found

    @property
    def least(self) -> int:
        """The smallest pool: whole groups that the level allows."""
        count = self.group
        while count < LEAST_DRIVES[self.level] or count_problem(self.level, count) is not None:
            count += self.group
            if count > MOST_DRIVES:
                raise InputError(
                    "conflict", None, f"no multiple of {self.group} drives makes a RAID-{self.level}"
                )
        return count
