"""Scenarios of the best systems in the answer's folder, with the commands that make their figures again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.toml_writer import toml_document
from iowatt.evaluate.choose.design import Design, System
from iowatt.evaluate.choose.result import MadeScenario
from iowatt.evaluate.choose.state import SearchedFamily
from iowatt.evaluate.choose.trials import Trials

if TYPE_CHECKING:
    from iowatt.evaluate.search import PricingRequest

FOLDER: Final = "systems"


def made_scenarios(
    found: Sequence[SearchedFamily], trials: Trials, pricing: PricingRequest, folder: Path
) -> tuple[list[MadeScenario], Mapping[str, Callable[[Path], object]]]:
    """The scenario of each family's best, and what writes it, by path in ``folder``."""
    made, files = [], {}
    for family in found:
        chosen = family.best or next(iter(family.confirmed), None)
        if chosen is None or not isinstance(chosen.system.design, Design):
            continue
        path = f"{FOLDER}/{family.name}.toml"
        text = _text(chosen.system, trials, folder)
        files[path] = _writer(text)
        made.append(
            MadeScenario(title=chosen.system.title, path=path, commands=_commands(folder / path, pricing))
        )
    return made, files


def _writer(text: str) -> Callable[[Path], object]:
    return lambda file: file.write_text(text, "utf-8", newline="\n")


def _text(system: System, trials: Trials, folder: Path) -> str:
    """The scenario with paths relative to where it is written."""

    def placed(path: str) -> str:
        whole = (trials.base / path).resolve()
        return os.path.relpath(whole, (folder / FOLDER).resolve())

    tables = trials.document(system, name=system.design.family)
    tables["workload"] = [_placed(one, placed) for one in tables["workload"]]
    return toml_document(tables, [f"{system.title}: made by `iowatt choose` for {trials.question.name}."])


def _placed(table: Mapping[str, Any], placed: Callable[[str], str]) -> dict[str, Any]:
    if "trace" in table:
        return {**table, "trace": {**table["trace"], "path": placed(table["trace"]["path"])}}
    name = str(table["profile"].get("name", "")) if "profile" in table else ""
    if name.endswith(".toml"):
        return {**table, "profile": {**table["profile"], "name": placed(name)}}
    return dict(table)


def _commands(scenario: Path, pricing: PricingRequest) -> list[str]:
    run = f"runs/{scenario.stem}"
    cost = ["iowatt", "cost", run, "--preset", pricing.preset, "--years", f"{pricing.years:g}"]
    if pricing.tariff is not None:
        cost += ["--tariff", pricing.tariff]
    for assumption in pricing.assume:
        cost += ["--assume", assumption]
    return [
        shlex.join(one)
        for one in (
            ["iowatt", "run", str(scenario), "-o", run],
            cost,
            ["iowatt", "durability", run, "--preset", pricing.preset],
        )
    ]
