"""``iowatt.compare``: what ``iowatt compare`` does, as a function."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from iowatt.api._common import Page, PathLike, seconds, service_level

if TYPE_CHECKING:
    from iowatt.lenses.compare import BeforeAfter
    from iowatt.lenses.compare.systems import SystemsCompared
    from iowatt.run.bundle import Run

    Runs = PathLike | Run | Iterable[PathLike | Run]


def compare(
    before: Runs,
    after: Runs,
    *others: Runs,
    within: str | float | None = None,
    of: str = "p95",
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
) -> BeforeAfter | SystemsCompared:
    """Compare two Runs, or two groups of repeated ones, before and after a change; or more systems.

    Parameters
    ----------
    before, after:
        A Run, the folder of one, a folder of Runs, or several of these.
    others:
        More systems: then each is compared with the first that kept up with its load, and they are ranked at
        equal work and capacity.
    within, of:
        The service level (``"20ms"``, or s) of the mean or a percentile that a system must meet to be ranked.
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
    BeforeAfter | SystemsCompared
        The document ``iowatt.compare/1`` of two; ``iowatt.compare-systems/1`` of more, and of two with a
        service level (docs/reference/verbs/compare.md).

    Raises
    ------
    iowatt.base.errors.InputError
        One is no Run, has no such requests, workload or point, or an option is wrong.
    """
    from iowatt.lenses.compare import CompareRequest, analyse, open_runs
    from iowatt.lenses.compare.systems import analyse_systems, open_systems
    from iowatt.pages.compare import document

    page = Page(output, force=force)
    level = service_level(within, of)
    groups = [_listed(one) for one in (before, after, *others)]
    plain = level is None and not others
    systems = [open_runs(one) for one in groups] if plain else open_systems(groups)
    request = CompareRequest(
        systems[0],
        systems[1],
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
    found = analyse(request) if plain else analyse_systems(systems, request, level)
    page.write(lambda: document(found))
    return found


def _listed(given: Any) -> list[Any]:
    from iowatt.run.bundle import Run

    return [given] if isinstance(given, str | os.PathLike | Run) else list(given)
