"""Simulates a submitted Run again, and compares its figures and tables."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.base.overrides import without_overrides
from iowatt.evaluate import evaluation
from iowatt.registry.bundle import files_of_scenario
from iowatt.registry.reanalysis import guard
from iowatt.registry.reanalysis.compare import differences
from iowatt.registry.reanalysis.result import Discrepancy
from iowatt.run.bundle import OPTIONAL, TABLES, Run

NOT_FIGURES: Final = ("provenance", "simulation")
"""Parts of a summary that say when, where and how fast it was made."""


def simulated_again(claimed: Run, base: Path, root: Path) -> Run:
    """The Run of the same scenario; its paths count from ``base``, and lead to files below ``root``.

    Raises ``InputError`` where the scenario is wrong or names other files.
    """
    text, overrides = without_overrides(claimed.scenario_text)
    guard.check_scenario(text, overrides, base, root)
    for path in files_of_scenario(text, overrides, base):
        if not path.is_relative_to(root.resolve()):
            raise InputError("not-accepted", path.name, "this file is not one of the submission")
    with _in(base):  # paths of a text count from the current directory
        return evaluation.run_scenario(f"{text.rstrip()}\n", overrides)


def run_differences(claimed: Run, found: Run, place: str = "") -> Iterator[Discrepancy]:
    """Where two Runs differ in their figures, plans or tables."""
    yield from differences(claimed.summary, found.summary, leave_out=NOT_FIGURES, place=f"{place}run.json")
    yield from differences(claimed.plan, found.plan, place=f"{place}plan.json")
    for name in (*TABLES, *OPTIONAL):
        if claimed.has(name) and not found.has(name):
            yield Discrepancy(place=f"{place}{name}.parquet", claimed="a table", found="absent")
        elif claimed.has(name):
            one, other = claimed.table(name), found.table(name)
            if one.schema != other.schema or not one.equals(other):
                yield Discrepancy(
                    place=f"{place}{name}.parquet", claimed="other rows", found=f"{other.height}"
                )


def work_of(run: Run) -> Mapping[str, Any]:
    """The work that a simulated Run did, for its metric family: workloads, and digests of traces.

    Seeds are left out: the same law of requests is the same work.
    """
    inputs = (run.summary.get("provenance") or {}).get("inputs") or []
    traces = sorted(one["sha256"] or "" for one in inputs if not str(one["path"]).endswith(".toml"))
    simulation = run.plan["simulation"]
    return {
        "sources": _without_seeds(run.plan["sources"]),
        "workloads": simulation["workloads"],
        "traces": traces,
    }


def _without_seeds(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_seeds(part) for key, part in value.items() if key != "seed"}
    return [_without_seeds(part) for part in value] if isinstance(value, list) else value


@contextlib.contextmanager
def _in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
