"""A scenario file into a Run, in memory or as a bundle: what `iowatt run` does."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iowatt.base.overrides import with_overrides
from iowatt.evaluate import evaluation
from iowatt.model.scenario import load
from iowatt.run import bundle, index, provenance
from iowatt.run.bundle import Run

if TYPE_CHECKING:
    from iowatt.sources.simulator import Progress
    from iowatt.trace.back_end import BackEndSpool


def run_scenario(
    scenario: str | os.PathLike[str],
    overrides: Sequence[str] = (),
    *,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    save_back_end: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    command: str | None = None,
) -> Run:
    """Simulate a scenario; parameters and errors as of :func:`iowatt.run`."""
    started_at = provenance.now()
    given, base, text = located(scenario)
    work = evaluation.prepare(load(given, overrides), base, with_overrides(text, overrides))
    inputs = evaluation.files(work, base)
    if isinstance(given, Path):
        inputs.insert(0, (str(given), given))

    place = bundle.reserve(output, force=force) if output is not None else nullcontext()
    with place as reservation, _back_end(save_back_end, work.plan, force=force) as back_end:
        digest = provenance.Digest(inputs)
        digest.start()
        try:
            result = evaluation.simulate(
                work,
                inputs=digest.inputs,
                scratch=None if reservation is None else reservation.staging,
                back_end=back_end,
                lens_tables=True,
                started_at=started_at,
                command=command,
                progress=progress,
                other_cpu_s=lambda: digest.cpu_s,
            )
        except BaseException:
            digest.cancel()
            raise
        if reservation is None:
            return result
        result.write_into(reservation.staging)
    index.register(reservation.target, result.summary)
    return bundle.Run.open(reservation.target)


@contextmanager
def _back_end(
    target: str | os.PathLike[str] | None, plan: Mapping[str, Any], *, force: bool
) -> Iterator[BackEndSpool | None]:
    """What takes the back-end stream; it is written to ``target`` when all went well."""
    if target is None:
        yield None
        return
    from iowatt.sources.simulation.counts import space_names
    from iowatt.trace.back_end import BackEndSpool

    file = Path(target)
    with BackEndSpool(file, space_names(plan["names"]), force=force) as spool:
        yield spool


def located(scenario: str | os.PathLike[str]) -> tuple[Path | str, Path, str]:
    """What to load, the directory that its paths are relative to, and its text."""
    from iowatt.base.document import read_text

    if isinstance(scenario, str) and "\n" in scenario:
        return scenario, Path(), scenario
    path = Path(scenario)
    return path, path.parent, read_text(path)
