"""Systems of one's own: a scenario with the question's workloads in place of its own, or a Run."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from iowatt.base.document import TomlDocument, read_text
from iowatt.base.errors import InputError
from iowatt.base.toml_writer import toml_document
from iowatt.evaluate.choose.design import OwnDesign
from iowatt.evaluate.choose.load import ScaledWorkload
from iowatt.evaluate.choose.question import OwnSystem, StorageQuestion
from iowatt.model.scenario import load

#: Tables of a scenario that the question replaces.
_REPLACED: Final = ("workload", "observe", "seed", "duty")


def own_designs(
    question: StorageQuestion,
    workloads: Sequence[ScaledWorkload],
    document: TomlDocument,
    base: Path,
    observe: Mapping[str, Any],
) -> list[OwnDesign]:
    """The systems of a question's ``own`` tables; ``observe`` is that of all simulations.

    Raises ``InputError`` where one cannot be read, or has no pool that the volumes can lie on.
    """
    made = []
    for index, own in enumerate(question.own):
        where = document.place(("own", index, "run" if own.scenario is None else "scenario"))
        if own.scenario is None:
            made.append(_of_run(own, base, where))
        else:
            made.append(_of_scenario(own, question, workloads, base=base, observe=observe, where=where))
    return made


def _of_run(own: OwnSystem, base: Path, where: str) -> OwnDesign:
    from iowatt.run.bundle import Run

    assert own.run is not None
    run = Run.open(base / own.run)
    models = dict.fromkeys(
        one["model"] for one in run.plan.get("names", {}).get("devices", []) if one.get("model")
    )
    return OwnDesign(own.name, "", tuple(models), base, Path(own.run), own.owned)


def _of_scenario(
    own: OwnSystem,
    question: StorageQuestion,
    workloads: Sequence[ScaledWorkload],
    *,
    base: Path,
    observe: Mapping[str, Any],
    where: str,
) -> OwnDesign:
    assert own.scenario is not None
    path = base / own.scenario
    try:
        text = read_text(path)
    except InputError as error:
        raise InputError(error.code, where, error.message, hint=error.hint) from None
    scenario = load(text, base_dir=path.parent)  # so that what is wrong with it is said of its own lines
    raw = {name: value for name, value in tomllib.loads(text).items() if name not in _REPLACED}
    holder = next((raw[name] for name in ("array", "cluster") if name in raw), None)
    holder = holder[0] if isinstance(holder, list) else holder
    pool = None if holder is None else _pool(holder)
    if holder is None or pool is None:
        message = "expected an array or a cluster with a pool"
        raise InputError("missing", where, message)
    holder["volume"] = [
        {"name": one.name, "capacity": f"{one.volume_bytes}B", "pool": pool} for one in workloads
    ]
    tables = {
        **raw,
        "seed": question.seed,
        "workload": [_placed(one.table, base) for one in workloads],
        "observe": dict(observe),
    }
    models = dict.fromkeys(name for one in scenario.array.pool if (name := _model(one.device)))
    return OwnDesign(own.name, toml_document(tables, []), tuple(models), path.parent, None, own.owned)


def _pool(holder: Mapping[str, Any]) -> str | None:
    """The pool of the first volume, else the virtual pool, else the only pool."""
    for volume in holder.get("volume", []):
        if "pool" in volume:
            return str(volume["pool"])
    for name in ("virtual_pool", "pool"):
        pools = holder.get(name, [])
        if pools:
            return str(pools[0]["name"])
    return None


def _placed(table: Mapping[str, Any], base: Path) -> dict[str, Any]:
    """A workload whose files are named by whole paths: the scenario lies elsewhere."""
    placed = dict(table)
    if "trace" in placed:
        placed["trace"] = {**placed["trace"], "path": str((base / placed["trace"]["path"]).resolve())}
    return placed


def _model(device: object) -> str | None:
    name = device if isinstance(device, str) else getattr(device, "name", None)
    return str(name) if name else None
