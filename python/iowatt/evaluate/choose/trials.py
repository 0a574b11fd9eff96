"""Systems tried under the question's load: estimated in milliseconds, or simulated and kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from iowatt.base.errors import InputError
from iowatt.base.toml_writer import toml_document
from iowatt.evaluate.choose.design import Design, OwnDesign, System
from iowatt.evaluate.choose.layout import tables
from iowatt.evaluate.choose.load import ScaledWorkload
from iowatt.evaluate.choose.question import StorageQuestion
from iowatt.evaluate.search import ScenarioInput, key_of, run_of_task, task_of
from iowatt.evaluate.search.tasks import Evaluator, Job, cores

if TYPE_CHECKING:
    from iowatt.evaluate.estimate import Estimator
    from iowatt.evaluate.evaluation import Prepared
    from iowatt.evaluate.search import Pricing, RiskBasis
    from iowatt.run.bundle import Run

SHORTEST_S: Final = 2.0
"""Seconds that a simulation lasts at least, unless a trace ends before."""
WARMUP: Final = 0.1
"""Share of a simulation that is not measured."""

Row = Mapping[str, Any]
_T = TypeVar("_T")
_R = TypeVar("_R")


@dataclass(frozen=True)
class Screened:
    """What the estimator says of a system."""

    system: System
    #: Columns of a sweep's row with dollars and durability, as far as they are known.
    row: Mapping[str, float]
    saturated: bool
    #: Dollars over the question's years; where nothing is estimated the least that they can be.
    usd: float
    #: Why nothing is estimated.
    refused: str | None = None

    @property
    def loss_per_year(self) -> float | None:
        """Probability of a loss in a year at the book's rebuild rate."""
        return self.row.get("durability.loss_per_year")


class Trials:
    """Estimates and simulates systems; what was simulated is kept by key."""

    def __init__(
        self,
        question: StorageQuestion,
        workloads: Sequence[ScaledWorkload],
        base: Path,
        evaluator: Evaluator,
        *,
        pricing: Pricing,
        risk: RiskBasis,
        jobs: int | None = None,
    ) -> None:
        from iowatt.evaluate.estimate import Estimator

        self.question, self.workloads, self.base = question, workloads, base
        self.pricing, self._risk, self._jobs = pricing, risk, jobs or cores()
        self._evaluator = evaluator
        self._estimator: Estimator = Estimator(base)
        self._screened: dict[System, Screened] = {}
        self._records: dict[tuple[System, int, bool], Row] = {}
        self._keys: dict[tuple[System, int, bool], str] = {}

    def asked(self, question: StorageQuestion, workloads: Sequence[ScaledWorkload]) -> Trials:
        """Trials of another question, which share what is known of drives."""
        other = Trials(
            question, workloads, self.base, self._evaluator,
            pricing=self.pricing, risk=self._risk, jobs=self._jobs,
        )  # fmt: skip
        other._estimator = self._estimator
        return other

    def each(self, function: Callable[[_T], _R], items: Iterable[_T]) -> list[_R]:
        """``function`` of each item, on as many threads as there are jobs; results are in order."""
        with ThreadPoolExecutor(self._jobs) as pool:
            return list(pool.map(function, items))

    @property
    def simulations(self) -> int:
        """Simulations that the answer rests on."""
        return len(set(self._keys.values()))

    @property
    def rate_iops(self) -> float:
        """Requests a second of all workloads."""
        return sum(one.rate_iops for one in self.workloads)

    @property
    def duration_s(self) -> float:
        """Seconds that are simulated."""
        ends = [one.lasts_s for one in self.workloads if one.lasts_s is not None]
        return min([max(SHORTEST_S, self.question.requests / self.rate_iops), *ends])

    @property
    def observe(self) -> dict[str, str]:
        """The ``observe`` table of each scenario."""
        seconds = self.duration_s
        return {"duration": f"{seconds:.6g}s", "warmup": f"{WARMUP * seconds:.6g}s"}

    def scenario(
        self, system: System, seed: int | None = None, name: str = "", *, plain: bool = False
    ) -> str:
        """Its scenario as TOML, with paths relative to the question.

        ``plain`` is that of ``layout.tables``.
        """
        design = system.design
        if isinstance(design, OwnDesign):
            return design.text
        made = self.document(system, seed, name, plain=plain)
        return toml_document(made, [f"{system.title}: made by `iowatt choose` for {self.question.name}."])

    def document(
        self, system: System, seed: int | None = None, name: str = "", *, plain: bool = False
    ) -> dict[str, Any]:
        """The tables of a design's scenario."""
        assert isinstance(system.design, Design)
        return {
            "name": name or self.question.name,
            "seed": self.question.seed if seed is None else seed,
            "workload": [dict(one.table) for one in self.workloads],
            **tables(system.design, system.count, self.workloads, chassis=self.question.chassis, plain=plain),
            "observe": self.observe,
        }

    def given(self, system: System, seed: int | None = None, name: str = "") -> ScenarioInput:
        """Its scenario as input of a search."""
        changes = () if seed is None or isinstance(system.design, Design) else (f"seed={seed}",)
        return ScenarioInput(self.scenario(system, seed, name), self._base(system), system.title, changes)

    def _base(self, system: System) -> Path:
        return self.base if isinstance(system.design, Design) else system.design.base

    def prepared(self, system: System, *, plain: bool = False) -> Prepared:
        """Its scenario, resolved. Raises ``InputError``: it cannot be built."""
        from iowatt.evaluate import evaluation
        from iowatt.model.scenario import load

        text = self.scenario(system, plain=plain)
        base = self._base(system)
        return evaluation.prepare(load(text, base_dir=base), base, text)

    def pooled_bytes(self, system: System) -> int | None:
        """What the drives of a design of several pools hold with their RAID levels; None for one pool.

        The data may lie on all of them, except on a cache. Volumes and pools of such a design are cut to the
        question.
        """
        from iowatt.model.raid import usable_bytes_of

        design = system.design
        if isinstance(design, OwnDesign) or design.fast is None:
            return None
        pools = [usable_bytes_of(one) for one in self.prepared(system).plan["simulation"]["pools"]]
        return pools[0] if design.kind == "cache" else sum(pools)

    def loss_per_year(self, system: System) -> float | None:
        """The probability of a loss in a year at the book's rebuild rate; None where it is not known."""
        return self._risk.expected(self.prepared(system).plan).get("durability.loss_per_year")

    def load_share(self, system: System) -> float:
        """The load over the most that a system can do, by the estimator."""
        most = self._estimator.most(self.prepared(system, plain=True)).row["throughput.iops"]
        return self.rate_iops / most if most else 1.0

    def screen(self, system: System) -> Screened:
        """Estimate a system."""
        if system not in self._screened:
            self._screened[system] = self._screen(system)
        return self._screened[system]

    def _screen(self, system: System) -> Screened:
        from iowatt.evaluate.estimate import NotEstimated

        try:
            work = self.prepared(system)
        except InputError as error:
            return Screened(system, {}, False, math.inf, error.message)
        risk = self._risk.expected(work.plan)
        design = system.design
        if isinstance(design, OwnDesign) or design.fast is not None:
            return Screened(system, risk, False, self.floor_usd(system), "its hot data are not estimated")
        try:
            made = self._estimator.of(self.prepared(system, plain=True))
        except NotEstimated as error:
            return Screened(system, risk, False, self.floor_usd(system), error.message)
        row = {name: value for name, value in made.row.items() if math.isfinite(value)}
        dollars = self.pricing.expected(work.plan, row)
        usd = dollars.get("cost.total_usd", math.inf)
        return Screened(system, {**row, **risk, **dollars}, made.saturated, usd)

    def floor_usd(self, system: System) -> float:
        """The least that a system costs over the question's years: bought, and idle all the time.

        0 where a drive has no price, which its simulation says. Raises ``InputError``: it cannot be built.
        """
        plan = self.prepared(system).plan
        watts = (
            0.0 if system.design.kind == "sleeping" else sum(map(_idle_watts, plan["simulation"]["pools"]))
        )
        try:
            dollars = self.pricing.expected(plan, {"power_w.mean": watts, "throughput.iops": 0.0})
        except InputError:
            return 0.0
        return dollars.get("cost.total_usd", 0.0)

    def simulate(
        self, systems: Sequence[System], *, seeds: Sequence[int] = (0,), rebuilds: bool = False
    ) -> list[Row]:
        """Records of systems by each of ``seeds`` (added to the question's); only new ones are simulated.

        A record has a ``row`` or an ``error``. ``rebuilds``: by the first seed the rebuild of a drive is
        simulated, too.
        Records of a system follow one another.
        """
        wanted = [(system, seed, rebuilds and seed == seeds[0]) for system in systems for seed in seeds]
        jobs: dict[str, Job] = {}
        new: dict[tuple[System, int, bool], str] = {}
        for one in wanted:
            if one in self._records:
                continue
            system, seed, rebuilt = one
            design = system.design
            if isinstance(design, OwnDesign) and design.run is not None:
                self._records[one] = self._measured(design)
                continue
            try:
                task, _ = task_of(self.given(system, self.question.seed + seed))
            except InputError as error:
                self._records[one] = {"error": {"message": error.message}}
                continue
            risk = self._risk if rebuilt else None
            key = key_of(task.key, None, self.pricing, risk)
            jobs[key] = Job(replace(task, key=key, pricing=self.pricing, risk=risk), system.title)
            new[one] = key
        self._evaluator.total += sum(key not in self._evaluator.records for key in jobs)
        self._evaluator.evaluate(jobs)
        self._keys |= new
        self._records |= {one: _paid(one[0], self._evaluator.records[key]) for one, key in new.items()}
        return [self._records[one] for one in wanted]

    def _measured(self, design: OwnDesign) -> Row:
        """The record of a Run that is given."""
        from iowatt.evaluate.search.metrics import row_of_run
        from iowatt.run.bundle import Run

        assert design.run is not None
        run = Run.open(design.base / design.run)
        row = {**row_of_run(run), **self._risk.stated(run), "measured": True}
        with suppress(InputError):  # a measured Run does not tell its drives
            row |= self.pricing.columns(run)
        return _paid(System(design, 1), {"row": row})

    def runs(self, systems: Mapping[str, System]) -> dict[str, Run]:
        """Runs of systems by their names, in memory."""

        def simulated(name: str) -> Run:
            task, _ = task_of(self.given(systems[name], name=name))
            return run_of_task(task, lambda _: None)

        return dict(zip(systems, self.each(simulated, systems), strict=True))


def _paid(system: System, record: Row) -> Row:
    """A record without the purchase of what one has already."""
    row, design = record.get("row"), system.design
    purchase = None if row is None else row.get("cost.purchase_usd")
    if row is None or purchase is None or isinstance(design, Design) or not design.owned:
        return record
    return {
        **record,
        "row": {**row, "cost.total_usd": row["cost.total_usd"] - purchase, "cost.purchase_usd": 0.0},
    }


def _idle_watts(pool: Mapping[str, Any]) -> float:
    power = pool["device"]["power"]
    return float(pool["count"] * (power["levels"].get("idle_w") or 0.0))
