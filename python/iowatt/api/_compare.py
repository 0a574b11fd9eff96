"""``iowatt.compare``: what ``iowatt compare`` does, as a function."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iowatt.lenses.compare import BeforeAfter
    from iowatt.run.bundle import Run


def compare(
    before: str | os.PathLike[str] | Run | Iterable[str | os.PathLike[str] | Run],
    after: str | os.PathLike[str] | Run | Iterable[str | os.PathLike[str] | Run],
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
    output: str | os.PathLike[str] | None = None,
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
        The document ``iowatt.compare/1`` (docs/reference/cli.md).

    Raises
    ------
    iowatt.base.errors.InputError
        One is no Run, has no such requests, workload or point, or an option is wrong.
    """
    from iowatt.lenses.compare import CompareRequest, analyse, open_runs

    target = None if output is None else Path(output)
    if target is not None:
        from iowatt.render import write

        write.check_target(target, force=force)
    found = analyse(
        CompareRequest(
            open_runs(_listed(before)),
            open_runs(_listed(after)),
            op=op,
            point=point,
            workload=workload,
            threshold_s=_seconds(spike, "spike"),
            every_s=_seconds(every, "every"),
            expected_interval_s=_seconds(expected_interval, "expected_interval"),
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        )
    )
    if target is not None:
        from iowatt.pages.compare.document import document

        write.write(document(found), target, force=force)
    return found


def _listed(given: Any) -> list[Any]:
    from iowatt.run.bundle import Run

    return [given] if isinstance(given, str | os.PathLike | Run) else list(given)


def _seconds(value: str | float | None, where: str) -> float | None:
    from iowatt.base.errors import Argument, InputError
    from iowatt.base.units import parse_duration

    if value is None or isinstance(value, int | float):
        return value
    try:
        return parse_duration(value)
    except ValueError as error:
        raise InputError("bad-syntax", Argument(where), str(error)) from None
