"""From a TOML file or text to a checked scenario."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from iowatt.base.document import SCENARIO_HINT, TomlDocument, read_text
from iowatt.base.errors import Argument
from iowatt.base.problems import DocumentError
from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.model.scenario.paths import place_overridden
from iowatt.model.scenario.resolved import ResolvedSystem
from iowatt.model.scenario.system import resolve


def load(
    path_or_text: str | Path,
    overrides: Sequence[str] = (),
    *,
    base_dir: str | Path | None = None,
    traces_must_exist: bool = True,
) -> Scenario:
    """Read, override and check a scenario.

    ``path_or_text`` is the path of a TOML file, or TOML itself, recognised by a line break in a ``str``.
    ``overrides`` are ``path=value`` as in ``--set``. Trace and device files are relative to ``base_dir``: by
    default the file's directory, of text the current one.

    Raises ``InputError`` with file, line, key path, what would be accepted and the nearest name.
    ``DocumentError``, its subclass, lists all problems.
    """
    return read(path_or_text, overrides, base_dir=base_dir, traces_must_exist=traces_must_exist)[0]


def read(
    path_or_text: str | Path,
    overrides: Sequence[str] = (),
    *,
    base_dir: str | Path | None = None,
    traces_must_exist: bool = True,
) -> tuple[Scenario, ResolvedSystem, TomlDocument]:
    """The scenario as by :func:`load`, its names resolved, and its text."""
    if isinstance(path_or_text, str) and "\n" in path_or_text:
        text, source, folder = path_or_text, "scenario", Path()
    else:
        path = Path(path_or_text)
        text, source, folder = read_text(path, SCENARIO_HINT), str(path), path.parent
    base = folder if base_dir is None else Path(base_dir)
    document = scenario_document(text, source, overrides, base)
    try:
        scenario = document.validate(Scenario)
        system = resolve(scenario, base, traces_must_exist=traces_must_exist)
        document.fail(system.problems)
    except DocumentError as error:
        raise _with_overrides(error, document) from None
    return scenario, system, document


def scenario_document(text: str, source: str, overrides: Sequence[str], base_dir: Path) -> TomlDocument:
    """The TOML of a scenario with its overrides, not yet checked; file names are relative to ``base_dir``."""
    document = TomlDocument(text, source, overrides, Scenario)
    place_overridden(document, base_dir)
    return document


def idle_system(path: Path) -> tuple[Scenario, ResolvedSystem, TomlDocument]:
    """The system of a scenario file, its workloads and observation left out.

    Raises ``InputError`` as :func:`load` does.
    """
    document = TomlDocument(read_text(path, SCENARIO_HINT), str(path))
    document.raw["workload"] = []
    document.raw["observe"] = {"duration": "1s"}
    scenario = document.validate(Scenario)
    system = resolve(scenario, path.parent)
    document.fail(system.problems)
    return scenario, system, document


def _with_overrides(error: DocumentError, document: TomlDocument) -> DocumentError:
    """The error; where no problem lies in an override, with what was overridden: that may contradict the
    file.
    """
    given = list(document.overridden.values())
    if not given or any(isinstance(problem.place, Argument) for problem in error.problems):
        return error
    *others, last = error.problems
    overridden = f"the scenario is read with {', '.join(f'`set={override}`' for override in given)}"
    hint = f"{last.hint}; {overridden}" if last.hint else overridden
    return DocumentError([*others, replace(last, hint=hint)], document.source)
