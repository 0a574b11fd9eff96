"""The search: curves estimated, those that matter climbed by simulation, peaks refined by single drives.

Simulations are asked for in rounds, each a batch for the executor; what the next round needs follows from
what is known by then, whatever the order in which tasks end. So a resumed search, whose journal has the
records, asks for the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iowatt.base.document import Document
from iowatt.base.errors import InputError
from iowatt.emerald.bff.calculated import Watts, watts
from iowatt.emerald.bff.climb import Refinement
from iowatt.emerald.bff.peak import highest
from iowatt.emerald.bff.point import How, Task, key_of
from iowatt.emerald.bff.point_result import Judged
from iowatt.emerald.bff.request import Asked
from iowatt.emerald.bff.series import Book, Series, Which, all_series
from iowatt.emerald.family import (
    Candidate,
    Family,
    Metric,
    candidates,
    metric,
    metrics,
    named,
    scenario,
    shelves,
)
from iowatt.emerald.family.metric import limit_s
from iowatt.emerald.family.scenario import warmup_requests
from iowatt.emerald.rules import Rules
from iowatt.evaluate import evaluation
from iowatt.evaluate.search.evaluator import Evaluator, PointJob
from iowatt.evaluate.search.journal import error_record, error_text
from iowatt.evaluate.search.point import InputFile, described_files, file_digests
from iowatt.model.scenario.model import Scenario

if TYPE_CHECKING:
    from iowatt.emerald.bff.estimates import Estimates

Told = Callable[[str], None]

#: How near an estimate of a rate is thought to be to the simulated one, as a share.
NEAR = 0.1
#: A grid of single drives begins as wide as this part of a shelf.
_GRID = 4


@dataclass
class Search:
    """A search and what it has found so far."""

    asked: Asked
    rules: Rules
    evaluator: Evaluator
    estimates: Estimates | None
    told: Told = lambda _line: None
    book: Book = field(default_factory=Book)
    series: list[Series] = field(default_factory=list)
    #: Curves by single drives, each with the curve by shelves that it refines.
    fine: list[tuple[Series, Series]] = field(default_factory=list)
    _files: dict[str, Sequence[tuple[str, Path]]] = field(default_factory=dict)

    @property
    def family(self) -> Family:
        """The family."""
        return self.asked.family

    def run(self) -> None:
        """All of it.

        Raises ``InputError`` where the space is empty, or no configuration can be run at all.
        """
        asked = self.asked
        self.series = all_series(
            self.family,
            asked.chosen_metrics(),
            drives=asked.chosen_drives(),
            levels=asked.chosen_levels(),
            controllers=asked.chosen_controllers(),
        )
        if not self.series:
            raise InputError(
                "empty",
                self.family.document.source,
                "no configuration is left: no chosen drive is offered with a chosen level and controller",
                hint="choose others with `drive=`, `raid=` and `controller=`",
            )
        self._calculate(self.series)
        if self.estimates is not None:
            self._estimate((one.metric, point, None) for one in self.series for point in one.points)
        if asked.simulate:
            chosen = self._confirmed()
            self._climb(chosen)
            self._climb(self._doubtful(chosen))
        self._refine()
        self._configurations()
        self._refuse_nothing()

    # -- what is known without simulating ------------------------------------------------------------------

    def calculated(self, candidate: Candidate) -> Watts:
        """The calculator's watts of a configuration."""
        idle = metric(self.family, "RI")
        return watts(self.family, candidate, idle)

    def _calculate(self, many: Iterable[Series]) -> None:
        for one in many:
            if one.metric.kind == "idle":
                for at, point in enumerate(one.points):
                    self._keep_idle(one.which(at), point)

    def _keep_idle(self, which: Which, candidate: Candidate) -> None:
        if self.book.done(which):
            return
        try:
            self.book.found[which] = self.calculated(candidate).judged()
        except InputError as error:
            self.book.failed[which] = _said(error)

    def _estimate(self, wanted: Iterable[tuple[Metric, Candidate, str | None]]) -> None:
        assert self.estimates is not None
        for what, candidate, configuration in wanted:
            which = (what.name, candidate, configuration)
            if what.kind == "idle" or which in self.book.estimated or which in self.book.unknown:
                continue
            try:
                self.book.estimated[which] = self._estimated(what, candidate, configuration)
            except InputError as error:  # NotEstimated is one
                self.book.unknown[which] = _said(error)

    def _estimated(self, what: Metric, candidate: Candidate, configuration: str | None) -> Judged:
        """Figures of a configuration; sets of chunklets count as one set where the estimator knows none."""
        from iowatt.evaluate.estimate import NotEstimated

        assert self.estimates is not None
        named_one = None if configuration is None else self.family.configuration(configuration)
        tuned = named_one is None or named_one.outstanding is None
        limit = self._limit(what, configuration) if what.kind == "random" and tuned else None
        rate = None
        if what.of is not None:
            base = metric(self.family, what.of)
            self._estimate([(base, candidate, configuration)])
            of = self.book.estimated.get((base.name, candidate, configuration))
            if of is None or not of.iops:
                raise InputError("missing-figure", None, f"{base.name} was not estimated")
            limit, rate = None, of.iops * what.share
        try:
            text = scenario(self.family, candidate, what, rate_iops=rate, configuration=configuration)
            return self.estimates.of(text, what, limit)
        except NotEstimated:
            if all(self.family.raid(group.raid).width is None for group in candidate.groups):
                raise
        text = scenario(
            self.family, candidate, what, rate_iops=rate, configuration=configuration, chunklets=False
        )
        return self.estimates.of(text, what, limit)

    # -- simulations ---------------------------------------------------------------------------------------

    def simulate(self, wanted: Iterable[tuple[Metric, Candidate, str | None]]) -> None:
        """Have these simulated, those that they depend on first."""
        todo = list(dict.fromkeys(wanted))
        bases = [
            (metric(self.family, what.of), candidate, configuration)
            for what, candidate, configuration in todo
            if what.of is not None
        ]
        if bases:
            self.simulate(bases)
        jobs: dict[str, PointJob] = {}
        keys: dict[str, list[Which]] = {}
        for what, candidate, configuration in todo:
            which = (what.name, candidate, configuration)
            if self.book.done(which):
                continue
            if what.kind == "idle":
                self._keep_idle(which, candidate)
                continue
            try:
                task = self._task(what, candidate, configuration)
            except InputError as error:
                self.book.failed[which] = _said(error)
                continue
            jobs[task.key] = PointJob(task, f"{what.name}, {candidate.label}")
            keys.setdefault(task.key, []).append(which)
        if not jobs:
            return
        known = {key for key in jobs if key in self.evaluator.records}
        self.evaluator.count(self.evaluator.records[key] for key in known)
        self.evaluator.total = self.evaluator.done + len(jobs) - len(known)
        self.evaluator.evaluate(jobs)
        for key, many in keys.items():
            record = self.evaluator.records[key]
            for which in many:
                self._keep(which, record)

    def _keep(self, which: Which, record: dict[str, Any]) -> None:
        if "figures" in record:
            self.book.found[which] = Judged.of(record["figures"])
        else:
            self.book.failed[which] = error_text(record["error"])

    def _task(self, what: Metric, candidate: Candidate, configuration: str | None) -> Task:
        limit = self._limit(what, configuration)
        how: How = "as-is"
        rate: float | None = None
        named_one = None if configuration is None else self.family.configuration(configuration)
        if what.of is not None:
            base = self.book.found.get((what.of, candidate, configuration))
            if base is None or not base.iops:
                raise InputError("missing-figure", None, f"{what.of} has no rate to take a share of")
            rate = base.iops * what.share
        elif what.kind == "random" and (named_one is None or named_one.outstanding is None):
            how = self.family.file.test.random
        text = scenario(self.family, candidate, what, rate_iops=rate, configuration=configuration)
        files = self._described(text, candidate)
        estimate = self.book.estimated.get((what.name, candidate, configuration))
        start = estimate.iops if estimate is not None and how != "as-is" else None
        tolerance = self.asked.tolerance
        return Task(
            key_of(text, files, how, limit, tolerance),
            what,
            text,
            str(self.family.base.resolve()),
            files,
            how,
            limit,
            tolerance,
            self.family.file.test.requests,
            warmup_requests(self.family, candidate, what),
            start,
            NEAR if start is not None else None,
        )

    def _described(self, text: str, candidate: Candidate) -> tuple[InputFile, ...]:
        """The files of the family that a scenario reads; the same for all with the same drives and parts."""
        kind = repr((candidate.controller, sorted({group.drive for group in candidate.groups})))
        if kind not in self._files:
            parsed = Document(text, candidate.label).validate(Scenario)
            work = evaluation.prepare(parsed, self.family.base, text)
            self._files[kind] = evaluation.files(work, self.family.base)
        files = self._files[kind]
        return described_files(files, file_digests(path for _, path in files))

    def _limit(self, what: Metric, configuration: str | None) -> float:
        if configuration is not None:
            own = {
                metric(self.family, name).name: limit
                for name, limit in self.family.configuration(configuration).limits.items()
            }
            if what.name in own:
                return own[what.name]
        return limit_s(self.family, self.rules) if what.kind == "random" else 0.0

    # -- which -----------------------------------------------------------------------------------------------

    def _confirmed(self) -> list[Series]:
        """The curves that are simulated: near the best by their estimates, and the best of each level."""
        chosen: list[Series] = []
        for what in {one.metric: None for one in self.series if one.metric.kind != "idle"}:
            own = [one for one in self.series if one.metric == what]
            tops = {id(one): one.best(self.book) for one in own}
            known = [one for one in own if tops[id(one)] is not None]
            top = max((_ep(tops[id(one)]) for one in known), default=0.0)
            least = top * (1 - self.asked.near_percent / 100)
            for one in own:
                judged = tops[id(one)]
                if judged is None or self.asked.confirm == "all" or judged.ep >= least:
                    chosen.append(one)
            for raid in {one.raid: None for one in known}:
                best = max((one for one in known if one.raid == raid), key=lambda one: _ep(tops[id(one)]))
                if best not in chosen:
                    chosen.append(best)
        return chosen

    def _doubtful(self, chosen: Sequence[Series]) -> list[Series]:
        """The other curves that could still be the best, were estimates as low for them as for any point."""
        low: dict[str, float] = {}
        best: dict[str, float] = {}
        for which, seen in self.book.found.items():
            best[which[0]] = max(best.get(which[0], 0.0), seen.ep)
            guess = self.book.estimated.get(which)
            if guess is not None and guess.ep > 0:
                low[which[0]] = max(low.get(which[0], 0.0), seen.ep / guess.ep)
        return [
            one
            for one in self.series
            if one.metric.kind != "idle"
            and one not in chosen
            and _ep(one.best(self.book)) * low.get(one.metric.name, 1.0) > best.get(one.metric.name, 0.0)
        ]

    def _climb(self, many: Sequence[Series]) -> None:
        """Simulate curves until the best point of each lies between simulated neighbours."""
        while True:
            wanted = [(one.metric, one.points[at], None) for one in many for at in one.wanted(self.book)]
            if not wanted:
                return
            self.told(f"simulating by shelves: {len(wanted)}")
            self.simulate(wanted)

    def winner(self, what: Metric, raid: str | None = None) -> Series | None:
        """The best curve of a metric, of one level if said; simulated ones come before estimated ones."""
        own = [one for one in self.series if one.metric == what and raid in (None, one.raid)]
        ranked = [(judged, one) for one in own if (judged := one.best(self.book)) is not None]
        if self.asked.simulate:
            proven = [(judged, one) for judged, one in ranked if judged.basis != "estimated"]
            ranked = proven or ranked
        return max(ranked, key=lambda pair: pair[0].ep)[1] if ranked else None

    def _refine(self) -> None:
        """Peaks by single drives between the neighbours of the peak by shelves; of families that scale up."""
        if self.family.file.scale_out is not None:
            return
        grids: list[tuple[Series, Refinement]] = []
        for what in self.asked.chosen_metrics():
            levels = {one.raid: None for one in self.series if one.metric == what}
            for coarse in dict.fromkeys(filter(None, (self.winner(what, raid) for raid in levels))):
                fine = self._single_drives(coarse)
                if fine is None:
                    continue
                self.fine.append((fine, coarse))
                self._calculate([fine])
                if self.estimates is not None:
                    self._estimate((what, point, None) for point in fine.points)
                if what.kind != "idle" and self.asked.simulate:
                    grids += [(fine, grid) for grid in self._grids(fine)]
        while True:
            wanted = []
            for fine, grid in grids:
                grid.simulated |= fine.simulated(self.book)
                wanted += [(fine.metric, fine.points[at], None) for at in grid.wanted()]
            if not wanted:
                return
            self.told(f"simulating by single drives: {len(wanted)}")
            self.simulate(wanted)

    def _single_drives(self, coarse: Series) -> Series | None:
        """Configurations between the neighbours of a curve's peak, these included."""
        top = coarse.peak(self.book)
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
        guess = fine.estimates(self.book)
        found = []
        for number in dict.fromkeys(counts):
            first, size = counts.index(number), len(counts) - counts[::-1].index(number)
            top = highest(guess[first:size])
            grid = max(1, (size - first) // _GRID)
            found.append(Refinement(first, size, size - 1 if top is None else first + top, grid))
        return found

    def _configurations(self) -> None:
        """The family's own configurations, in the metrics that they are evaluated in."""
        chosen = {one.name for one in self.asked.chosen_metrics()}
        wanted = []
        for one in self.family.file.configuration:
            candidate = named(self.family, one.name)
            asked = {metric(self.family, name).name for name in one.metrics or chosen}
            for what in metrics(self.family):
                if what.name not in asked & chosen:
                    continue
                if what.kind == "idle":
                    self._keep_idle((what.name, candidate, one.name), candidate)
                else:
                    wanted.append((what, candidate, one.name))
        if self.estimates is not None:
            self._estimate(wanted)
        if self.asked.simulate and wanted:
            self.told(f"simulating named configurations: {len(wanted)}")
            self.simulate(wanted)

    def _refuse_nothing(self) -> None:
        """Where not one point could be judged, the first reason is the error."""
        book = self.book
        if any(book.judged(one.which(at)) for one in self.series for at in range(len(one.points))):
            return
        why = [*book.failed.values(), *book.unknown.values()]
        raise InputError(
            "infeasible",
            self.family.document.source,
            f"no configuration could be judged; the first: {why[0] if why else 'none was tried'}",
        )


def _ep(judged: Judged | None) -> float:
    return 0.0 if judged is None else judged.ep


def _said(error: InputError) -> str:
    return error_text({**error_record(error), "hint": None})
