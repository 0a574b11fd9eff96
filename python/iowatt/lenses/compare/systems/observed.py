"""Each system observed once, under the name that a reader knows it by: its folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from iowatt.lenses.compare.measurement import Side, observe
from iowatt.lenses.compare.request import CompareRequest
from iowatt.run.bundle import Run

_DEEPEST: Final = 6


def observed(systems: Sequence[Sequence[Run]], request: CompareRequest) -> list[Side]:
    """A side of each system. Raises ``InputError`` as :func:`~iowatt.lenses.compare.measurement.observe`."""
    found = []
    for label, runs in zip(labels(systems), systems, strict=True):
        named = zip(runs, _parts(label, runs), strict=True)
        found.append(Side("after", label, [observe(run, name, request) for run, name in named]))
    return found


def labels(systems: Sequence[Sequence[Run]]) -> list[str]:
    """Distinct names: the last of its path, as much as tells systems apart; of a Run in memory its own."""
    folders = [_folder(runs) for runs in systems]
    for depth in range(1, _DEEPEST):
        found = [
            str(runs[0].summary["name"]) if folder is None else "/".join(folder.parts[-depth:])
            for folder, runs in zip(folders, systems, strict=True)
        ]
        if len(set(found)) == len(found):
            return found
    seen: Counter[str] = Counter()
    for at, name in enumerate(found):
        seen[name] += 1
        found[at] = name if seen[name] == 1 else f"{name} ({seen[name]})"
    return found


def _folder(runs: Sequence[Run]) -> Path | None:
    """The folder of a Run, or that of several; None where one is in memory, or they lie apart."""
    paths = [run.path.absolute() for run in runs if run.path is not None]
    if len(paths) < len(runs):
        return None
    if len(paths) == 1:
        return paths[0]
    parents = {path.parent for path in paths}
    return parents.pop() if len(parents) == 1 else paths[0]


def _parts(label: str, runs: Sequence[Run]) -> list[str]:
    """Names of the Runs of a system."""
    if len(runs) == 1:
        return [label]
    return [
        f"{label}/{run.path.name if run.path is not None else number}" for number, run in enumerate(runs, 1)
    ]
