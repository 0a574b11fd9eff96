"""The Python API: the words of the command line as functions; heavy imports wait until one is called."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iowatt.run.bundle import Run
    from iowatt.scenario import Scenario

Progress = Callable[[float | None, int], None]


def open_run(path: str | os.PathLike[str]) -> Run:
    """Open the Run bundle at ``path``.

    Raises :class:`iowatt.errors.InputError` where there is none, or none that this version can read.
    """
    from iowatt.run.bundle import Run

    return Run.open(path)


def run(
    scenario: str | os.PathLike[str],
    *,
    set: Iterable[str] | Mapping[str, object] = (),  # noqa: A002 - the word of the command line
    seed: int | None = None,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Progress | None = None,
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
        Replace a bundle that exists at ``output``.
    progress:
        Called a few times a second with the fraction done (or ``None``) and the requests so far.
    command:
        The command line, for the provenance.

    Raises
    ------
    iowatt.errors.InputError
        Whatever is wrong with the scenario, its traces or the output; no bundle is left then.
    """
    from iowatt.run import bundle, index, provenance
    from iowatt.run.summary import summarise
    from iowatt.scenario import compile_plan, load, resolve_sources
    from iowatt.sources import simulator

    overrides = _overrides(set, seed)
    started_at = provenance.now()
    given, base, text = _given(scenario)
    checked = load(given, overrides)
    plan = compile_plan(checked, base)
    traces = resolve_sources(plan, base)
    inputs = _inputs(given, base, checked, plan)
    text = with_overrides(text, overrides)

    place = bundle.reserve(output, force=force) if output is not None else nullcontext()
    with place as reservation:
        digest = provenance.Digest(inputs)
        digest.start()
        try:
            record = simulator.observe(
                plan,
                traces,
                scenario_text=text,
                progress=progress,
                scratch=None if reservation is None else reservation.aside,
                other_cpu_s=lambda: digest.cpu_s,
            )
            origin = provenance.gather(
                seed=record.seed,
                inputs=digest.inputs(),
                scenario_text=text,
                started_at=started_at,
                command=command,
            )
        except BaseException:
            digest.cancel()
            raise
        summary = summarise(record, origin).as_dict()
        result = bundle.Run.of(record, summary)
        if reservation is None:
            return result
        result.write_into(reservation.aside)
    index.register(reservation.target, summary)
    return bundle.Run.open(reservation.target)


def _given(scenario: str | os.PathLike[str]) -> tuple[Path | str, Path, str]:
    """What to load, the directory that its paths are relative to, and its text."""
    from iowatt.scenario.document import read_text

    if isinstance(scenario, str) and "\n" in scenario:
        return scenario, Path(), scenario
    path = Path(scenario)
    return path, path.parent, read_text(path)


def _inputs(
    given: Path | str, base: Path, checked: Scenario, plan: Mapping[str, Any]
) -> list[tuple[str, Path]]:
    """Files that a run reads, each under the name that it has from the current directory."""
    from iowatt.library.find import own_files
    from iowatt.scenario.paths import as_named
    from iowatt.scenario.tracing import recorded
    from iowatt.sources.inputs import traces_of

    names = [str(given)] if isinstance(given, Path) else []
    for workload, source in zip(checked.workload, plan["sources"], strict=True):
        for named in (as_named(base, path) for path in traces_of(source)):
            names += [named] if named == "-" else [str(file) for file in recorded(Path(named))]
        if workload.profile is not None and workload.profile.name.endswith(".toml"):
            names.append(as_named(base, workload.profile.name))
    for pool in checked.array.pool:
        names += [as_named(Path(), str(file)) for file in own_files(pool.device.name, base)]
    return [(name, Path(name)) for name in names]


def _overrides(given: Iterable[str] | Mapping[str, object], seed: int | None) -> list[str]:
    """Overrides as ``path=value`` strings."""
    if isinstance(given, str):
        given = [given]
    listed = (
        [f"{path}={_toml(value)}" for path, value in given.items()]
        if isinstance(given, Mapping)
        else list(given)
    )
    return listed if seed is None else [*listed, f"seed={seed}"]


def _toml(value: object) -> str:
    """A Python value as the right side of an override."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def with_overrides(text: str, overrides: Iterable[str]) -> str:
    """The scenario's text with a comment at its end that lists what was changed on the command line."""
    listed = list(overrides)
    if not listed:
        return text
    # An override that spans lines must not escape from its comment.
    lines = ["# Changed by --set, in this order:", *("#   " + " ".join(item.split()) for item in listed)]
    return text.rstrip("\n") + "\n\n" + "\n".join(lines) + "\n"
