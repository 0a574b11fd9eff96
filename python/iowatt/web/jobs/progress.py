"""Progress of a job, told to the queue a few times a second."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from iowatt.evaluate.search.tasks import SearchProgress
    from iowatt.web.jobs.claims import JobClaims

_EVERY_S: Final = 0.25


class JobGoneError(Exception):
    """The job is no longer this worker's: it was cancelled."""


class JobProgress:
    """Called with the fraction done, from 0 to 1 or None, and what is being done.

    Raises :class:`JobGoneError` where the job was cancelled.
    """

    def __init__(self, claims: JobClaims, identity: str) -> None:
        self._claims = claims
        self._identity = identity
        self._told = 0.0

    def __call__(self, fraction: float | None, text: str) -> None:
        """Tell the queue, unless it was told just now."""
        if time.monotonic() - self._told < _EVERY_S:
            return
        known = None if fraction is None else min(max(float(fraction), 0.0), 1.0)
        if not self._claims.progress(self._identity, known, text):
            raise JobGoneError
        self._told = time.monotonic()

    def requests(self, fraction: float | None, count: int) -> None:
        """As simulations and readers of traces tell it."""
        self(fraction, f"{count:,} requests")

    def points(self, found: SearchProgress) -> None:
        """As searches tell it."""
        fraction = found.fraction
        if fraction is None and found.total:
            fraction = (found.done + found.running) / found.total
        counted = f": {found.done:,} of {found.total:,}" if found.total else ""
        self(fraction, f"{found.what}{counted}")
