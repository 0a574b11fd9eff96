"""Points that are kept as they are finished, so that an interrupted calibration goes on where it was."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

from iowatt.emerald.calibrate.bench import Bench
from iowatt.emerald.calibrate.outcome import Outcome
from iowatt.emerald.plan.model import Plan, Stage
from iowatt.evaluate.search.journal import Journal


class KeptPoints:
    """Runs points on a bench and keeps their outcomes in a journal (a context manager).

    A point is known by the plan that it was run in, its stage and which repetition it is: with another plan
    or another load it is run again.
    """

    def __init__(self, bench: Bench, file: Path, how: str) -> None:
        self._bench, self._how = bench, how
        self._journal = Journal(file)
        self._repetitions: Counter[str] = Counter()
        self._own: set[str] = set()
        #: Points that an earlier run had finished.
        self.known = 0

    def __enter__(self) -> KeptPoints:
        return self

    def __exit__(self, *_: object) -> None:
        self._journal.close()

    def __call__(self, plan: Plan, stage: Stage, number: int) -> Outcome:
        """The outcome of a point."""
        content = "\n".join((self._how, plan.model_dump_json(by_alias=True), stage.model_dump_json()))
        same = hashlib.sha256(content.encode()).hexdigest()
        if not self._bench.exact:  # the same again is another sample
            self._repetitions[same] += 1
        key = f"{same}/{self._repetitions[same]}"
        record = self._journal.records.get(key)
        if record is not None:
            self.known += key not in self._own
            return Outcome.from_dict(record["outcome"])
        self._own.add(key)
        made = self._bench.run(plan, stage, number)
        kept = self._journal.append(
            {"key": key, "phase": stage.phase, "number": number, "outcome": made.as_dict()}
        )
        return Outcome.from_dict(kept["outcome"])
