"""The files that a simulated scenario reads, laid out in a bundle so that their relative paths hold."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from iowatt.base.document import read_text
from iowatt.base.errors import InputError
from iowatt.evaluate import evaluation
from iowatt.model.scenario import load

INPUTS: Final = "inputs"


def scenario_inputs(scenario: Path) -> tuple[str, dict[str, Path]]:
    """The name of a scenario file in the bundle, and all files that its simulation reads by their names.

    Raises ``InputError``: the scenario is wrong, or names a file by an absolute path or standard input.
    """
    base = scenario.parent.resolve()
    text = read_text(scenario)
    read = files_of_scenario(text, (), base)
    return _laid_out(base, {scenario.name: scenario, **_named(read)})


def run_inputs(text: str, overrides: Sequence[str], base: Path) -> tuple[str, dict[str, Path]]:
    """The same of a scenario's text whose paths are relative to ``base``; its own file is left out."""
    folder = base.resolve()
    name, files = _laid_out(folder, {"": folder, **_named(files_of_scenario(text, overrides, folder))})
    return name, {key: path for key, path in files.items() if path != folder}


def files_of_scenario(text: str, overrides: Sequence[str], base: Path) -> list[Path]:
    """Files that the simulation of a scenario reads, resolved. Raises ``InputError`` where it is wrong."""
    work = evaluation.prepare(load(f"{text}\n", overrides, base_dir=base), base, text)
    found = evaluation.files(work, base)
    if any(name == "-" for name, _ in found):
        text = "the scenario reads a trace from standard input"
        raise InputError("unsupported", "workload.trace.path", text, hint="name a file beside the scenario")
    return [path.resolve() for _, path in found]


def _named(paths: Sequence[Path]) -> dict[str, Path]:
    return {str(path): path for path in paths}


def _laid_out(base: Path, files: dict[str, Path]) -> tuple[str, dict[str, Path]]:
    """Files by names below one folder; the first is the scenario, or the folder that its paths count from."""
    first, *others = files.values()
    top = Path(os.path.commonpath([base, *(path.parent for path in others)]))
    own = base / first.name if first != base else base
    named = {own: first, **{path: path for path in others}}
    listed = {_name(path, top): real for path, real in named.items()}
    return _name(own, top), listed


def _name(path: Path, top: Path) -> str:
    return (Path(INPUTS) / path.relative_to(top)).as_posix()
