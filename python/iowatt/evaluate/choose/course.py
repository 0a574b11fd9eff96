"""How far a search is: one share that never falls, although nobody knows how many steps there will be.

A phase ends at a stated share. Each of its steps takes a part of what is left of the phase, so that there is
room for another; where the phase ends early, the share jumps to its end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import Final, TypeVar

from iowatt.evaluate.search.tasks import SearchProgress

#: Shares at which phases end. The search goes window by window, each with half of what is left.
SIZED: Final = 0.05
SEARCHED: Final = 0.85
REFINED: Final = 0.9
_WINDOW: Final = 0.5

_T = TypeVar("_T")
_R = TypeVar("_R")


class ChooseCourse:
    """Tells ``report`` the steps of a search; without one nobody is told."""

    def __init__(self, report: Callable[[SearchProgress], None] | None = None) -> None:
        self._report, self._lock = report, Lock()
        self._end, self._low, self._high, self._most = 0.0, 0.0, 0.0, 0.0
        self._what, self._before = "", 0

    def phase(self, end: float) -> None:
        """Begin a phase that ends at a share of the search; what was left of the one before is done."""
        self._low = self._high = self._end
        self._end = end

    def window(self) -> None:
        """Begin the phase of some more designs, of which there may be more behind."""
        self.phase(self._end + _WINDOW * (SEARCHED - self._end))

    def step(self, what: str, part: float) -> None:
        """Begin a step that takes ``part`` of what is left of its phase."""
        with self._lock:
            self._what, self._before = what, -1
            self._low = self._high
            self._high = self._low + part * (self._end - self._low)
            self._most = max(self._most, self._low)
            if self._report is not None:
                self._report(SearchProgress(0, 0, 0, 0.0, what, self._most))

    def points(self, at: SearchProgress) -> None:
        """As an evaluator tells it, which counts simulations over all steps."""
        if self._report is None:
            return
        with self._lock:
            if self._before < 0:
                self._before = at.done
            done, total = at.done - self._before, at.total - self._before
            within = min(1.0, (done + at.running) / total) if total > 0 else 0.0
            self._most = max(self._most, self._low + within * (self._high - self._low))
            # Under the lock, so that none overtakes another.
            self._report(replace(at, done=done, total=total, what=self._what, fraction=self._most))

    def counted(self, total: int, function: Callable[[_T], _R]) -> Callable[[_T], _R]:
        """``function``, of whose ``total`` calls each is told once it is done."""
        done, lock = 0, Lock()
        self._before = 0

        def call(item: _T) -> _R:
            nonlocal done
            found = function(item)
            with lock:
                done += 1
                self.points(SearchProgress(done, total, 0, 0.0))
            return found

        return call
