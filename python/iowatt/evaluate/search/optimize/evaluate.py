"""Points simulated: from numbers to rows, through the journal, whatever runs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from iowatt.evaluate.search import grid, inputs
from iowatt.evaluate.search.evaluator import Evaluator, PointJob
from iowatt.evaluate.search.optimize.candidate_assessment import Assessor
from iowatt.evaluate.search.optimize.problem import Problem
from iowatt.evaluate.search.point import TOO_SLOW, PointTask, key_of
from iowatt.evaluate.search.prepare import CheckedPoint, RefusedPoint

_START_ERROR: Final = 0.25
"""How near an estimated rate is thought to be to the one that is found, as a share."""


class CandidateEvaluator:
    """Runs points of a problem and keeps what they gave."""

    def __init__(self, problem: Problem, looker: Assessor, evaluator: Evaluator) -> None:
        self._problem, self._looker, self._evaluator = problem, looker, evaluator
        #: The record of each point that was run (``row`` or ``error``), by number.
        self.records: dict[int, Mapping[str, Any]] = {}

    @property
    def lost(self) -> bool:
        """Whether a point could not be run for a reason that is not its own, so that nobody knows of it."""
        return bool(self._evaluator.faults or self._evaluator.machines)

    @property
    def too_slow(self) -> bool:
        """Whether a point failed because no rate of it is within the limit, which is an answer."""
        return any(_too_slow(record) for record in self.records.values())

    @property
    def unknown(self) -> bool:
        """Whether of a point that could be built nobody knows how good it is."""
        failed = (record for record in self.records.values() if "error" in record)
        return self.lost or any(not _too_slow(record) for record in failed)

    @property
    def rows(self) -> dict[int, Mapping[str, Any]]:
        """Those that have figures."""
        return {number: record["row"] for number, record in self.records.items() if "row" in record}

    @property
    def feasible(self) -> dict[int, tuple[float, ...]]:
        """The losses of those that keep all constraints."""
        found = {}
        for number, row in self.rows.items():
            losses = self._problem.losses(row)
            if losses is not None and not self._problem.violated(row):
                found[number] = losses
        return found

    def run(self, numbers: Sequence[int]) -> None:
        """Simulate those that were not; their records are there afterwards."""
        jobs: dict[str, PointJob] = {}
        keys: dict[int, str] = {}
        for number in numbers:
            if number in self.records:
                continue
            checked = self._looker.checked(number)
            if isinstance(checked, RefusedPoint):
                continue
            digests = inputs.file_digests(path for _, path in checked.files)
            key = key_of(checked.key(digests), self._problem.within, self._problem.pricing)
            keys[number] = key
            if key not in jobs:
                jobs[key] = PointJob(
                    self._task(checked, key, digests), grid.point_label(checked.point, self._looker.space.columns)
                )
        known = [key for key in jobs if key in self._evaluator.records]
        self._evaluator.count(self._evaluator.records[key] for key in known)
        self._evaluator.evaluate(jobs)
        for number, key in keys.items():
            self.records[number] = self._evaluator.records[key]

    def _task(self, checked: CheckedPoint, key: str, digests: dict[Path, str]) -> PointTask:
        problem = self._problem
        within, start = problem.within, self._looker(checked.point.number).rate_iops
        rate = (
            None
            if within is None
            else replace(within, start=start, start_error=None if start is None else _START_ERROR)
        )
        return PointTask(
            key=key,
            document=checked.document,
            base=str(problem.given.base.resolve()),
            text=problem.given.text,
            overrides=checked.overrides,
            files=inputs.described_files(checked.files, digests),
            bundle=None,
            command=problem.command,
            rate=rate,
            pricing=problem.pricing,
        )


def _too_slow(record: Mapping[str, Any]) -> bool:
    return "error" in record and record["error"]["place"] == TOO_SLOW
