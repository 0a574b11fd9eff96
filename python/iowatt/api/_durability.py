"""``iowatt.durability``: how likely a system loses data, how much, and by what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from iowatt.api._common import Changes, Page, PathLike, rebuild_time, seconds

if TYPE_CHECKING:
    from iowatt.lenses.durability import Durability
    from iowatt.run.bundle import Run


def durability(
    system: PathLike | Run,
    *,
    years: float | None = None,
    rebuild: str | float = "simulated",
    rebuild_window: str | float | None = None,
    solver: str = "auto",
    preset: str = "default",
    assume: Changes = (),
    set: Changes = (),  # noqa: A002 - the word of the command line
    seed: int = 1,
    output: PathLike | None = None,
    force: bool = False,
    progress: Callable[[float | None, int], None] | None = None,
) -> Durability:
    """How likely a system loses data in a year and over a horizon, how much, and by what.

    Parameters
    ----------
    system:
        A Run or its folder, or a scenario as for :func:`run`.
    years:
        The horizon; 5 where it is left out.
    rebuild:
        Time to rebuild a drive: ``"simulated"`` under the load, where the Run has no rebuild of its own;
        ``"stated"``, at the book's rate; or a time, ``"12h"`` or s.
    rebuild_window:
        Most simulated time of a rebuild, from which the rest is scaled: ``"10min"``, or s; left out, a
        minute of disks and 2 s of SSDs.
    solver:
        ``"markov"``, ``"monte-carlo"``, or ``"auto"``: the chain where it holds the system.
    preset, assume:
        Assumptions (``failures.*``, ``durability.*``), as for :func:`cost`.
    set:
        Overrides of a scenario, as for :func:`run`.
    seed:
        Of the trials of Monte Carlo.
    output:
        A page (.html, .pdf) or workbook (.xlsx) to write.
    progress:
        Called a few times a second with the fraction simulated and the requests so far.

    Returns
    -------
    Durability
        ``iowatt.durability/1`` (docs/reference/verbs/durability.md).

    Raises
    ------
    iowatt.base.errors.InputError
        What is wrong with the system, an assumption or a request.
    """
    from iowatt.base.overrides import as_overrides
    from iowatt.evaluate.durability import DurabilityRequest, assess_durability
    from iowatt.lenses.book import find_book
    from iowatt.lenses.durability import YEARS, Precision
    from iowatt.pages.durability import document

    page = Page(output, force=force)
    if isinstance(assume, Mapping):
        assume = [f"{key}={value}" for key, value in assume.items()]
    found = assess_durability(
        system,
        as_overrides(set, None),
        find_book(preset, list(assume)),
        DurabilityRequest(
            years=YEARS if years is None else years,
            precision=Precision(method=solver, seed=seed),  # type: ignore[arg-type]  # checked there
            rebuild=rebuild_time(rebuild),
            window_s=seconds(rebuild_window, "rebuild_window"),
        ),
        progress,
    )
    page.write(lambda: document(found))
    return found
