"""``iowatt.fleet``: classes of arrays or clusters over years."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from iowatt.api._common import Changes, PathLike

if TYPE_CHECKING:
    from iowatt.evaluate.fleet import FleetFound
    from iowatt.evaluate.search.tasks import Executor, SearchProgress


def fleet(
    plan: PathLike,
    *,
    what_if: Iterable[str | Sequence[str]] = (),
    set: Changes = (),  # noqa: A002 - the word of the command line
    preset: str = "default",
    assume: Iterable[str] = (),
    tariff: str | None = None,
    output: PathLike | None = None,
    force: bool = False,
    resume: bool = False,
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
    command: str | None = None,
) -> FleetFound:
    """Follow a fleet over the years of its plan: purchases, dollars, watts, carbon, failures, racks.

    Parameters
    ----------
    plan:
        The file of the fleet (``iowatt.fleet-plan/1``), or its text.
    what_if:
        Alternatives to it: a change ``"class.old.refresh_after=4"`` each, or several with ``;`` between.
    set:
        Changes of the plan itself, ``PATH=VALUE``.
    preset, assume, tariff:
        Assumptions in dollars, as for :func:`cost`.
    output:
        Directory for the document, the page, the workbook and the members simulated.
    force, resume, jobs, executor, progress:
        As for :func:`sweep`; any plan may go on with the members of another.
    command:
        The command line, kept in ``output``.

    Returns
    -------
    iowatt.evaluate.fleet.FleetFound
        ``document`` is ``iowatt.fleet/1``; its ``broken`` lists the limits that the plan breaks.

    Raises
    ------
    iowatt.base.errors.InputError
        What is wrong with the plan, a scenario or an assumption, a demand that no number of members can
        serve, or ``output`` holds something else.
    """
    from iowatt.evaluate.fleet import fleet_request, run_fleet
    from iowatt.pages.fleet import files

    request = fleet_request(
        plan, changes=set, what_if=what_if, preset=preset, assume=assume, tariff=tariff, command=command
    )
    return run_fleet(
        request, output=None if output is None else Path(output), force=force, resume=resume, jobs=jobs,
        executor=executor, progress=progress, pages=files,
    )  # fmt: skip
