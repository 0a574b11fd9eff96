"""The search: curves estimated, those that matter climbed by simulation, peaks refined by single drives.

Simulations run in rounds, each a batch for the executor; the next round depends on all results so far,
whatever the order in which tasks end. So a resumed search, whose journal has the records, repeats the rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from iowatt.base.document import TomlDocument
from iowatt.base.errors import InputError
from iowatt.emerald.bff.curve import KnownPoints, PointKey, Refinement, Series, all_series, highest
from iowatt.emerald.bff.point import Estimates, LoadMode, Task, calculated, key_of
from iowatt.emerald.bff.request import BffRequest
from iowatt.emerald.bff.result import PointFigures
from iowatt.emerald.family import (
    Candidate,
    EmeraldMetric,
    Family,
    all_metrics,
    candidates,
    find_metric,
    limit_s,
    named_candidate,
    scenario_text,
    shelves,
    warmup_requests,
)
from iowatt.emerald.rules import Rules
from iowatt.evaluate import evaluation
from iowatt.evaluate.estimate import NotEstimated
from iowatt.evaluate.search.tasks import Evaluator, InputFile, Job, described_files, error_text
from iowatt.model.scenario import Scenario

_NEAR = 0.1  #: How near an estimate of a rate is thought to be to the simulated one, as a share.
#: The first grid of single drives has a step of (points with equally many shelves) / 4.
_FIRST_GRID_STEPS = 4


class WantedPoint(NamedTuple):
    """A point to estimate or simulate: a candidate in a metric."""

    metric: EmeraldMetric
    candidate: Candidate
    #: Name of the family's ``[[configuration]]`` whose own loads apply; None: the metric's.
    configuration: str | None = None

    @property
    def key(self) -> PointKey:
        """Its key among the known points."""
        return PointKey(self.metric.name, self.candidate, self.configuration)


@dataclass
class Search:
    """A search and its findings so far."""

    request: BffRequest
    rules: Rules
    evaluator: Evaluator
    estimates: Estimates | None
    announce: Callable[[str], None] = lambda _line: None
    known: KnownPoints = field(default_factory=KnownPoints)
    series: list[Series] = field(default_factory=list)
    #: Curves by single drives, each with the curve by shelves that it refines.
    fine: list[tuple[Series, Series]] = field(default_factory=list)
    _files: dict[str, Sequence[tuple[str, Path]]] = field(default_factory=dict)

    @property
    def family(self) -> Family:
        """The family."""
        return self.request.family

    def run(self) -> None:
        """Estimate, simulate and refine all curves.

        Raises ``InputError`` where the space is empty, or no configuration can be run at all.
        """
        request = self.request
        self.series = all_series(
            self.family,
            request.chosen_metrics(),
            drives=request.chosen_drives(),
            levels=request.chosen_levels(),
            controllers=request.chosen_controllers(),
        )
        if not self.series:
            text = "no configuration is left: no chosen drive is offered with a chosen level and controller"
            hint = "choose others with `drive=`, `raid=` and `controller=`"
            raise InputError("empty", self.family.document.source, text, hint=hint)
        self._calculate(self.series)
        self._estimate(WantedPoint(one.metric, point) for one in self.series for point in one.points)
        if request.simulate:
            chosen = self._confirmed()
            self._climb(chosen)
            self._climb(self._doubtful(chosen))
        self._refine()
        self._configurations()
        self._refuse_empty()

    # -- what is known without simulating ------------------------------------------------------------------

    def _calculate(self, many: Iterable[Series]) -> None:
        for one in many:
            if one.metric.kind == "idle":
                for key in one.keys:
                    self._calculate_idle(key)

    def _calculate_idle(self, key: PointKey) -> None:
        if self.known.done(key):
            return
        try:
            self.known.found[key] = calculated(self.family, key.candidate).figures
        except InputError as error:
            self.known.failed[key] = _error_text(error)

    def _estimate(self, wanted: Iterable[WantedPoint]) -> None:
        if self.estimates is None:
            return
        for point in wanted:
            (metric, candidate, configuration), key = point, point.key
            if metric.kind == "idle" or key in self.known.estimated or key in self.known.unknown:
                continue
            try:
                self.known.estimated[key] = self._estimated(metric, candidate, configuration)
            except InputError as error:  # NotEstimated is one
                self.known.unknown[key] = _error_text(error)

    def _estimated(
        self, metric: EmeraldMetric, candidate: Candidate, configuration: str | None
    ) -> PointFigures:
        """Figures of a configuration; sets of chunklets count as one set where the estimator knows none."""
        assert self.estimates is not None
        limit = self._limit(metric, configuration) if self._is_tuned(metric, configuration) else None
        rate = None
        if metric.share_of is not None:
            base = find_metric(self.family, metric.share_of)
            self._estimate([WantedPoint(base, candidate, configuration)])
            limit, rate = (
                None,
                self._share(metric, self.known.estimated.get(PointKey(base.name, candidate, configuration))),
            )

        def text(*, chunklets: bool) -> str:
            return scenario_text(
                self.family,
                candidate,
                metric,
                rate_iops=rate,
                configuration=configuration,
                chunklets=chunklets,
            )

        try:
            return self.estimates.of(text(chunklets=True), metric, limit)
        except NotEstimated:
            if all(self.family.raid(group.raid).width is None for group in candidate.groups):
                raise
        return self.estimates.of(text(chunklets=False), metric, limit)

    def _share(self, metric: EmeraldMetric, base: PointFigures | None) -> float:
        """The rate of a metric that runs at a share of another's."""
        if base is None or not base.iops:
            raise InputError("missing-figure", None, f"{metric.share_of} has no rate to take a share of")
        return base.iops * metric.share

    def _is_tuned(self, metric: EmeraldMetric, configuration: str | None) -> bool:
        """Whether a metric is run at its limit; a named configuration may have a fixed loop instead."""
        fixed = configuration is not None and self.family.configuration(configuration).outstanding is not None
        return metric.kind == "random" and not fixed

    # -- simulations ---------------------------------------------------------------------------------------

    def simulate(self, wanted: Iterable[WantedPoint]) -> None:
        """Simulate these, those that they depend on first."""
        todo = list(dict.fromkeys(wanted))
        bases = [
            WantedPoint(find_metric(self.family, metric.share_of), candidate, configuration)
            for metric, candidate, configuration in todo
            if metric.share_of is not None
        ]
        if bases:
            self.simulate(bases)
        jobs: dict[str, Job] = {}
        keys: dict[str, list[PointKey]] = {}
        for point in todo:
            (metric, candidate, configuration), key = point, point.key
            if self.known.done(key):
                continue
            if metric.kind == "idle":
                self._calculate_idle(key)
                continue
            try:
                task = self._task(metric, candidate, configuration)
            except InputError as error:
                self.known.failed[key] = _error_text(error)
                continue
            jobs[task.key] = Job(task, f"{metric.name}, {candidate.label}")
            keys.setdefault(task.key, []).append(key)
        if not jobs:
            return
        records = self.evaluator.records
        finished = {digest for digest in jobs if digest in records}
        self.evaluator.count(records[digest] for digest in finished)
        self.evaluator.total = self.evaluator.done + len(jobs) - len(finished)
        self.evaluator.evaluate(jobs)
        for digest, points in keys.items():
            record = self.evaluator.records[digest]
            for key in points:
                if "figures" in record:
                    self.known.found[key] = PointFigures.model_validate(record["figures"])
                else:
                    self.known.failed[key] = error_text(record["error"])

    def _task(self, metric: EmeraldMetric, candidate: Candidate, configuration: str | None) -> Task:
        limit, tolerance, test = (
            self._limit(metric, configuration),
            self.request.tolerance,
            self.family.file.test,
        )
        mode: LoadMode = "as-is"
        rate: float | None = None
        if metric.share_of is not None:
            rate = self._share(
                metric, self.known.found.get(PointKey(metric.share_of, candidate, configuration))
            )
        elif self._is_tuned(metric, configuration):
            mode = test.random
        text = scenario_text(self.family, candidate, metric, rate_iops=rate, configuration=configuration)
        files = self._input_files(text, candidate)
        estimate = self.known.estimated.get(PointKey(metric.name, candidate, configuration))
        start = estimate.iops if estimate is not None and mode != "as-is" else None
        return Task(
            key=key_of(text, files, mode, limit, tolerance),
            metric=metric,
            text=text,
            base=str(self.family.base.resolve()),
            files=files,
            mode=mode,
            limit_s=limit,
            tolerance=tolerance,
            requests=test.requests,
            warmup_requests=warmup_requests(self.family, candidate, metric),
            start=start,
            start_error=_NEAR if start is not None else None,
        )

    def _input_files(self, text: str, candidate: Candidate) -> tuple[InputFile, ...]:
        """The files of the family that a scenario reads; the same for all with the same drives and parts."""
        kind = repr((candidate.controller, sorted({group.drive for group in candidate.groups})))
        if kind not in self._files:
            parsed = TomlDocument(text, candidate.label).validate(Scenario)
            work = evaluation.prepare(parsed, self.family.base, text)
            self._files[kind] = evaluation.files(work, self.family.base)
        files = self._files[kind]
        return described_files(files)

    def _limit(self, metric: EmeraldMetric, configuration: str | None) -> float:
        if configuration is not None:
            for name, limit in self.family.configuration(configuration).limits.items():
                if find_metric(self.family, name).name == metric.name:
                    return limit
        return limit_s(self.family, self.rules) if metric.kind == "random" else 0.0

    # -- which curves and points to simulate -----------------------------------------------------------------

    def _confirmed(self) -> list[Series]:
        """The curves that are simulated: those near the best of their group, and the best of its levels."""
        chosen: list[Series] = []
        active = [one for one in self.series if one.metric.kind != "idle"]
        for metric, group in {(one.metric, self.group(one)): None for one in active}:
            own = [one for one in active if (one.metric, self.group(one)) == (metric, group)]
            tops = {id(one): one.best(self.known) for one in own}
            known = [one for one in own if tops[id(one)] is not None]
            top = max((_ep(tops[id(one)]) for one in known), default=0.0)
            least = top * (1 - self.request.near_percent / 100)
            for one in own:
                figures = tops[id(one)]
                if figures is None or self.request.confirm == "all" or figures.ep >= least:
                    chosen.append(one)
            for raid in {one.raid: None for one in known}:
                best = max((one for one in known if one.raid == raid), key=lambda one: _ep(tops[id(one)]))
                if best not in chosen:
                    chosen.append(best)
        return chosen

    def _doubtful(self, chosen: Sequence[Series]) -> list[Series]:
        """The other curves that could still be the best.

        ``underestimated_by`` is the largest ratio of a simulated to an estimated figure, by metric: a curve
        stays in question while its best estimate times this ratio exceeds the best simulated figure.
        """
        underestimated_by: dict[str, float] = {}
        best: dict[tuple[str, str], float] = {}
        for key, simulated in self.known.found.items():
            for of in {(key.metric, self.family.group_of(one.drive)) for one in key.candidate.groups}:
                best[of] = max(best.get(of, 0.0), simulated.ep)
            guess = self.known.estimated.get(key)
            if guess is not None and guess.ep > 0:
                ratio = simulated.ep / guess.ep
                underestimated_by[key.metric] = max(underestimated_by.get(key.metric, 0.0), ratio)
        return [
            one
            for one in self.series
            if one.metric.kind != "idle"
            and one not in chosen
            and _ep(one.best(self.known)) * underestimated_by.get(one.metric.name, 1.0)
            > best.get((one.metric.name, self.group(one)), 0.0)
        ]

    def _climb(self, many: Sequence[Series]) -> None:
        """Simulate curves until the best point of each lies between simulated neighbours."""
        while True:
            wanted = [
                WantedPoint(one.metric, one.points[at]) for one in many for at in one.wanted(self.known)
            ]
            if not wanted:
                return
            self.announce(f"simulating by shelves: {len(wanted)}")
            self.simulate(wanted)

    def group(self, series: Series) -> str:
        """The group of drive options that a curve belongs to."""
        return self.family.group_of(series.drive)

    def winner(
        self, metric: EmeraldMetric, raid: str | None = None, group: str | None = None
    ) -> Series | None:
        """The best curve of a metric, of one level and group where named; simulated before estimated ones."""
        own = [
            one
            for one in self.series
            if one.metric == metric and raid in (None, one.raid) and group in (None, self.group(one))
        ]
        ranked = [(figures, one) for one in own if (figures := one.best(self.known)) is not None]
        if self.request.simulate:
            proven = [(figures, one) for figures, one in ranked if figures.basis != "estimated"]
            ranked = proven or ranked
        return max(ranked, key=lambda pair: pair[0].ep)[1] if ranked else None

    def _refine(self) -> None:
        """Peaks by single drives between the neighbours of the peak by shelves; of families that scale up."""
        if self.family.file.scale_out is not None:
            return
        grids: list[tuple[Series, Refinement]] = []
        for metric in self.request.chosen_metrics():
            own = {(one.raid, self.group(one)): None for one in self.series if one.metric == metric}
            for coarse in dict.fromkeys(filter(None, (self.winner(metric, *each) for each in own))):
                fine = self._single_drives(coarse)
                if fine is None:
                    continue
                self.fine.append((fine, coarse))
                self._calculate([fine])
                self._estimate(WantedPoint(metric, point) for point in fine.points)
                if metric.kind != "idle" and self.request.simulate:
                    grids += [(fine, grid) for grid in self._grids(fine)]
        while True:
            wanted = []
            for fine, grid in grids:
                grid.simulated |= fine.simulated(self.known)
                wanted += [WantedPoint(fine.metric, fine.points[at]) for at in grid.wanted()]
            if not wanted:
                return
            self.announce(f"simulating by single drives: {len(wanted)}")
            self.simulate(wanted)

    def _single_drives(self, coarse: Series) -> Series | None:
        """Configurations between the neighbours of a curve's peak, these included."""
        top = coarse.peak(self.known)
        if top is None:
            return None
        low = coarse.points[top.at - 1].drives if top.at else 0
        high = coarse.points[min(len(coarse.points) - 1, top.at + 1)].drives
        every = candidates(
            self.family, drive=coarse.drive, raid=coarse.raid, controller=coarse.controller, by="drive"
        )
        points = tuple(one for one in every if low <= one.drives <= high)
        if len(points) < 2:
            return None
        return Series(coarse.metric, coarse.drive, coarse.raid, coarse.controller, points)

    def _grids(self, fine: Series) -> list[Refinement]:
        """One for each stretch of points with equally many shelves, from its estimated peak or its end."""
        counts = [sum(shelves(self.family, point).values()) for point in fine.points]
        guess = fine.estimates(self.known)
        found = []
        for number in dict.fromkeys(counts):
            first, size = counts.index(number), len(counts) - counts[::-1].index(number)
            top = highest(guess[first:size])
            grid = max(1, (size - first) // _FIRST_GRID_STEPS)
            found.append(Refinement(first, size, size - 1 if top is None else first + top, grid))
        return found

    def _configurations(self) -> None:
        """The family's own configurations, in the metrics that they are evaluated in."""
        chosen = {one.name for one in self.request.chosen_metrics()}
        wanted = []
        for one in self.family.file.configuration:
            candidate = named_candidate(self.family, one.name)
            names = chosen & {find_metric(self.family, name).name for name in one.metrics or chosen}
            wanted += [
                WantedPoint(metric, candidate, one.name)
                for metric in all_metrics(self.family)
                if metric.name in names
            ]
        for point in wanted:
            if point.metric.kind == "idle":
                self._calculate_idle(point.key)
        wanted = [point for point in wanted if point.metric.kind != "idle"]
        self._estimate(wanted)
        if self.request.simulate and wanted:
            self.announce(f"simulating named configurations: {len(wanted)}")
            self.simulate(wanted)

    def _refuse_empty(self) -> None:
        """Where no point has figures, the first reason is the error."""
        if any(self.known.best(key) for one in self.series for key in one.keys):
            return
        why = next(iter([*self.known.failed.values(), *self.known.unknown.values()]), "none was tried")
        text = f"no configuration has figures; the first: {why}"
        raise InputError("infeasible", self.family.document.source, text)


def _ep(figures: PointFigures | None) -> float:
    return 0.0 if figures is None else figures.ep


def _error_text(error: InputError) -> str:
    return error_text(InputError(error.code, error.place, error.message))
