"""A design: the scenario of a Run, of an example or of a file, with changes."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.document import TomlDocument, read_text
from iowatt.base.errors import Argument, InputError
from iowatt.base.overrides import apply, without_overrides
from iowatt.base.toml_writer import toml_document
from iowatt.model.scenario import EXAMPLES, Scenario
from iowatt.web.jobs import EXAMPLE, base_of, file_of, refuse_outside

if TYPE_CHECKING:
    from iowatt.evaluate.evaluation import Prepared

RUN: Final = "run:"
SCENARIO: Final = "scenario:"
SHIPPED: Final = {
    "oltp-raid5": "OLTP on 7 disks, RAID-5, 30 TB",
    "oltp-ssd-cache": "OLTP on 7 disks with an SSD cache, 30 TB",
    "ssd": "OLTP on 4 SATA SSDs, RAID-5, 5.8 TB",
    "durability": "OLTP on 17 NVMe SSDs, RAID-5, 123 TB",
    "one-big-pool": "Skewed load on 40 disks, RAID-10, 100 TB",
    "ceph-cluster": "Ceph on 6 servers with NVMe SSDs, three copies, 27 TB",
    "ec-cluster": "Ceph on 8 servers with disks, erasure code 4+2, 870 TB",
}
"""Examples to begin with, the first one first: each has a price for what it holds."""


@dataclass(frozen=True)
class Change:
    """What is changed of a design.

    Parameters
    ----------
    sets:
        ``path=value`` as in ``--set``.
    trace:
        Keys of a ``trace`` table that replaces the workload, its path relative to the workspace.
    """

    sets: tuple[str, ...] = ()
    trace: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class WhatIfDesign:
    """A scenario and the folder that its paths are relative to.

    Parameters
    ----------
    of:
        What it was made of: ``run:PATH``, ``scenario:PATH``, ``example:NAME.toml``.
    raw:
        Its tables, changes of earlier commands included.
    base:
        Its folder as jobs have it: relative to the workspace, or ``example:...``.
    folder:
        The same, on the disk.
    workspace:
        The root of the workspace.
    """

    of: str
    title: str
    raw: dict[str, Any]
    base: str
    folder: Path
    workspace: Path

    def changed(self, change: Change) -> dict[str, Any]:
        """The tables with the changes. Raises ``InputError`` for a change that makes no sense."""
        raw = TomlDocument(self.text(), "scenario").raw
        if change.trace is not None:
            workload = dict(raw["workload"][0])
            kept = {key: workload[key] for key in ("name", "volume") if key in workload}
            raw["workload"] = [{**kept, "trace": {**change.trace, "path": self._trace(change.trace)}}]
        apply(raw, change.sets, Scenario)
        return raw

    def _trace(self, trace: Mapping[str, Any]) -> str:
        """The path of a trace of the workspace as the scenario has it."""
        file = file_of(self.workspace, str(trace.get("path", "")))
        return str(file) if self.base.startswith(EXAMPLE) else os.path.relpath(file, self.folder.resolve())

    def text(self, change: Change | None = None) -> str:
        """The scenario as TOML, with the changes written into it."""
        return toml_document(self.raw if change is None else self.changed(change), [])

    def prepared(self, change: Change) -> Prepared:
        """The changed scenario, resolved. Raises ``InputError`` where it cannot be built."""
        from iowatt.evaluate.evaluation import prepare
        from iowatt.model.scenario import load

        raw = self.changed(change)
        refuse_outside(raw, base_of(self.workspace, self.base))
        text = toml_document(raw, [])
        return prepare(load(text, base_dir=self.folder), self.folder, text)

    def command(self, change: Change) -> str:
        """The command line that simulates it; of another trace, once the TOML is saved."""
        kind, _, place = self.of.partition(":")
        scenario = {"run": f"{place}/scenario.toml", "example": f"examples/{place}"}.get(kind, place)
        if change.trace is not None:
            return "iowatt run what-if.toml"
        return shlex.join(
            ["iowatt", "run", scenario, *(word for one in change.sets for word in ("--set", one))]
        )


def design_of(of: str, workspace: Path) -> WhatIfDesign:
    """The design ``run:PATH``, ``scenario:PATH`` or ``example:NAME.toml``.

    Raises ``InputError`` where there is none, or its files lie outside of the workspace.
    """
    if of.startswith(EXAMPLE):
        name = of.removeprefix(EXAMPLE)
        if name not in _examples():
            raise InputError("unknown-name", Argument("of"), f"{name!r} is not a shipped example")
        raw = TomlDocument(read_text(EXAMPLES / name), name).raw
        return WhatIfDesign(of, str(raw.get("name", name)), raw, EXAMPLE, EXAMPLES, workspace)
    if of.startswith(RUN):
        file = file_of(workspace, f"{of.removeprefix(RUN)}/scenario.toml")
        raw = _as_run(read_text(file))
        return _placed(of, raw, file.parent, workspace)
    if of.startswith(SCENARIO):
        file = file_of(workspace, of.removeprefix(SCENARIO))
        return _placed(of, TomlDocument(read_text(file), file.name).raw, file.parent, workspace)
    raise InputError("not-accepted", Argument("of"), f"expected {RUN}PATH, {SCENARIO}PATH or {EXAMPLE}NAME")


def examples() -> list[tuple[str, str]]:
    """What to begin with: the design and its title."""
    return [(f"{EXAMPLE}{name}.toml", title) for name, title in SHIPPED.items()]


@lru_cache
def _examples() -> frozenset[str]:
    return frozenset(file.name for file in EXAMPLES.glob("*.toml"))


def _as_run(text: str) -> dict[str, Any]:
    """The tables of a bundle's scenario, the changes that it was run with applied."""
    given, changes = without_overrides(text)
    raw = TomlDocument(given, "scenario.toml").raw
    apply(raw, changes, Scenario)
    return raw


def _placed(of: str, raw: dict[str, Any], folder: Path, workspace: Path) -> WhatIfDesign:
    """The design with the first folder from which all its files are found."""
    from iowatt.model.scenario import load

    title = str(raw.get("name", of.partition(":")[2]))
    text = toml_document(raw, [])
    refused: InputError | None = None
    for base in dict.fromkeys(_bases(folder, workspace)):
        try:
            place = base_of(workspace, base)
            load(text, base_dir=place.folder)
            refuse_outside(raw, place)
        except InputError as error:
            refused = refused or error
            continue
        return WhatIfDesign(of, title, raw, base, place.folder, workspace)
    assert refused is not None
    hint = "start `iowatt serve` in a folder that contains the Run and its traces"
    raise InputError(refused.code, refused.place, refused.message, hint=refused.hint or hint)


def _bases(folder: Path, workspace: Path) -> Iterator[str]:
    """Folders that a scenario's paths may be relative to: its own and those above it, then the examples."""
    root = workspace.resolve()
    for one in (folder.resolve(), *folder.resolve().parents):
        if one.is_relative_to(root):
            yield "" if one == root else one.relative_to(root).as_posix()
    yield from _shipped(folder)


def _shipped(folder: Path) -> Sequence[str]:
    """The examples, and a folder of them that the Run's provenance names."""
    from iowatt.base import input_file

    try:
        inputs = input_file.json_object(folder / "run.json")["provenance"]["inputs"]
        first = Path(inputs[0]["path"]).resolve().parent
        inside = first.relative_to(EXAMPLES.resolve()).as_posix()
    except (InputError, KeyError, IndexError, TypeError, ValueError):
        return [EXAMPLE]
    return [EXAMPLE + ("" if inside == "." else inside), EXAMPLE]
