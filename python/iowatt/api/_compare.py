"""``iowatt.compare``: what ``iowatt compare`` does, as a function."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from iowatt.api._common import Page, PathLike, seconds

if TYPE_CHECKING:
    from iowatt.lenses.compare import BeforeAfter
    from iowatt.run.bundle import Run


def compare(
    before: PathLike | Run | Iterable[PathLike | Run],
    after: PathLike | Run | Iterable[PathLike | Run],
    *,
    spike: str | float | None = None,
    op: str = "all",
    point: str = "host",
    workload: str | None = None,
    every: str | float | None = None,
    expected_interval: str | float | None = None,
    confidence: float = 0.95,
    resamples: int | None = None,
    seed: int = 1,
    output: PathLike | None = None,
    force: bool = False,
) -> BeforeAfter:
    """Compare two Runs, or two groups of repeated ones, before and after a change.

    Parameters
    ----------
    before, after:
        A Run, the folder of one, a folder of Runs, or several of these.
    spike:
        The response time that spikes and slow requests are over: ``"1ms"``, or s. Left out, the
        99th percentile before.
    op:
        ``"all"`` requests, or only each ``"read"`` or ``"write"``.
    point:
        Where response times are taken: ``"host"``, or ``"switch"`` and ``"array"`` of Runs with a path.
    workload:
        One workload; left out, all together.
    every:
        Length of a block of the course over time, at least: ``"1s"``, or s. Left out, as the Runs have it.
    expected_interval:
        Of a closed loop, from one request of an outstanding one to its next: ``"5ms"``, or s. Left out, found
        from the Run.
    confidence:
        Of all intervals and verdicts.
    resamples, seed:
        Of the bootstrap.
    output:
        A page (.html), a workbook (.xlsx) or a PDF to write.
    force:
        Replace a page that exists.

    Returns
    -------
    BeforeAfter
        The document ``iowatt.compare/1`` (docs/reference/verbs/compare.md).

    Raises
    ------
    iowatt.base.errors.InputError
        One is no Run, has no such requests, workload or point, or an option is wrong.
    """
    from iowatt.lenses.compare import CompareRequest, analyse, open_runs
    from iowatt.pages.compare import document

    page = Page(output, force=force)
    found = analyse(
        CompareRequest(
            open_runs(_listed(before)),
            open_runs(_listed(after)),
            op=op,
            point=point,
            workload=workload,
            threshold_s=seconds(spike, "spike"),
            every_s=seconds(every, "every"),
            expected_interval_s=seconds(expected_interval, "expected_interval"),
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        )
    )
    page.write(lambda: document(found))
    return found


def _listed(given: Any) -> list[Any]:
    from iowatt.run.bundle import Run

    return [given] if isinstance(given, str | os.PathLike | Run) else list(given)
