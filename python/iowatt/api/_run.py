"""``iowatt.open_run`` and ``iowatt.run``: a Run from disk, or simulated."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from iowatt.api._common import Changes, PathLike

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


def open_run(path: PathLike) -> Run:
    """Open the Run bundle at ``path``.

    Raises :class:`iowatt.base.errors.InputError` where there is none, or none that this version can read.
    """
    from iowatt.run.bundle import Run

    return Run.open(path)


def run(
    scenario: PathLike,
    *,
    set: Changes = (),  # noqa: A002 - the word of the command line
    seed: int | None = None,
    output: PathLike | None = None,
    force: bool = False,
    save_back_end: PathLike | None = None,
    threads: int | None = None,
    progress: Callable[[float | None, int], None] | None = None,
    command: str | None = None,
) -> Run:
    """Simulate a scenario.

    Parameters
    ----------
    scenario:
        A scenario file, or the text of one (a string with a line break in it); paths in a text are
        relative to the current directory.
    set:
        Overrides, ``"array.pool.disks.count=24"`` or a mapping of such paths to values. Files that they
        name are looked for in the current directory first, then beside the scenario.
    seed:
        Overrides the scenario's seed.
    output:
        Directory of the bundle. Without it nothing is written and the Run lives in memory.
    force:
        Replace a bundle that exists at ``output``, and a file at ``save_back_end``.
    save_back_end:
        Parquet file for the requests that the pools were handed, as a trace in native columns whose devices
        are the pools.
    threads:
        Threads that simulate parts of the run at once, where it lets them (``simulation.serial`` in the
        summary says what prevents it); ``None`` or more than there are processors: one for each. The figures
        are the same for any number.
    progress:
        Called a few times a second with the fraction done (or ``None``) and the requests so far.
    command:
        The command line, for the provenance.

    Raises
    ------
    iowatt.base.errors.InputError
        Whatever is wrong with the scenario, its traces or the output; no bundle is left then.
    """
    from iowatt.base.overrides import as_overrides
    from iowatt.evaluate.evaluation import run_scenario

    return run_scenario(
        scenario,
        as_overrides(set, seed),
        output=output,
        force=force,
        save_back_end=save_back_end,
        threads=threads,
        progress=progress,
        command=command,
    )
