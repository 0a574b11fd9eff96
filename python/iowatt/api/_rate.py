"""``iowatt.rate``: the highest rate within a response limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from iowatt.api._common import Changes, Page, PathLike, seconds

if TYPE_CHECKING:
    from iowatt.evaluate.search.rate import HighestRate


def rate(
    scenario: PathLike,
    within: str | float,
    *,
    loop: str = "open",
    of: str = "mean",
    tolerance: float = 0.02,
    replications: int = 1,
    workload: str | None = None,
    read_limit: str | float | None = None,
    write_limit: str | float | None = None,
    start: float | None = None,
    requests: int | None = None,
    warmup_requests: int | None = None,
    most_runs: int = 24,
    set: Changes = (),  # noqa: A002 - the word of the command line
    output: PathLike | None = None,
    force: bool = False,
    progress: Callable[[float | None, int], None] | None = None,
    command: str | None = None,
) -> HighestRate:
    """The highest rate of a workload at which the response time stays within a limit.

    Parameters
    ----------
    scenario, set:
        As for :func:`run`.
    within, read_limit, write_limit:
        Limits of the response times of all requests, of reads, of writes: ``"20ms"``, or s.
    loop:
        ``"open"``: requests come whether or not the array keeps up; ``"closed"``: as others complete, and the
        number of outstanding ones is found that takes the limit in the mean.
    of:
        The statistic that is limited: ``"mean"``, ``"p95"``, ``"p99"``, ``"p99.9"`` ...
    tolerance:
        How near the highest rate within the limit and the lowest one over it come, as a share.
    replications:
        Independent seeds, the same at every rate, for the 95 % interval of the rate.
    workload:
        Whose rate is raised; needed where there are several. ``"*"``: all, in the proportion of their rates.
    start:
        The first rate, requests per second; left out, a closed loop says it.
    requests:
        Counted in each run; left out, as long as the scenario says, and longer where that tells too little.
    warmup_requests:
        Cut before these, of a closed loop; left out, as the scenario says, else a third of them.
    most_runs:
        Rates after which a search ends unsettled.
    output:
        A page to write (.html, .pdf) or a workbook (.xlsx).
    progress:
        Called a few times a second with about how far it is, from 0 to 1, and the rates tried so far.
    command:
        The command line, for the provenance.

    Returns
    -------
    HighestRate
        The document ``iowatt.rate/1`` (docs/reference/verbs/rate.md): ``rate_iops``, ``beyond_iops``,
        ``crossing_iops`` with ``crossing_ci95_iops``, ``response_ms``, ``points``, and ``at_rate``, a row as
        of :func:`sweep` at the rate found.

    Raises
    ------
    iowatt.base.errors.InputError
        What is wrong with the scenario or what is asked for; no rate keeps to the limit, or none exceeds it.
    """
    from iowatt.evaluate.search import ScenarioInput
    from iowatt.evaluate.search.rate import RateRequest, find_rate
    from iowatt.pages.rate import document

    page = Page(output, force=force)
    request = RateRequest(
        limit_s=seconds(within, "within") or 0.0,
        loop=loop,  # type: ignore[arg-type]  # checked there
        statistic=of,
        tolerance=tolerance,
        workload=workload,
        start=start,
        most_runs=most_runs,
        replications=replications,
        requests=requests,
        warmup_requests=warmup_requests,
        read_limit_s=seconds(read_limit, "read_limit"),
        write_limit_s=seconds(write_limit, "write_limit"),
    )
    tried: list[object] = []
    found = find_rate(
        ScenarioInput.read(scenario, set),
        request,
        command=command,
        report=None if progress is None else (lambda fraction: progress(fraction, len(tried))),
        on_run=tried.append,
    )
    page.write(lambda: document(found))
    return found
