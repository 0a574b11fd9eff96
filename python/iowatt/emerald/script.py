"""Parameter files of vdbench that a lab brings along: what they define, and which run is which stage.

Only what must be known before they are run is read: the names of run definitions and their order, the targets
and the hosts. All else is vdbench's to judge (``vdbench -s``).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from iowatt.base import input_file
from iowatt.base.errors import Argument, InputError
from iowatt.emerald.plan import Plan, PlannedScript, PlanStage
from iowatt.emerald.plan.load import run_name

_DEFINES: Final = re.compile(r"^\s*(rd|fsd|fwd)=([^,\s(]+)", re.ASCII | re.IGNORECASE)
_LUN: Final = re.compile(r"(?:^|,)\s*lun=([^,\s(]+)", re.ASCII | re.IGNORECASE)
_SYSTEM: Final = re.compile(r"^\s*hd=[^,\s]+.*?,\s*system=([^,\s(]+)", re.ASCII | re.IGNORECASE)
_HERE: Final = ("localhost", "127.0.0.1")


@dataclass(frozen=True)
class ScriptContent:
    """What the files define."""

    runs: list[str] = field(default_factory=list)  #: Names of run definitions, in order.
    luns: list[str] = field(default_factory=list)  #: Files and devices, each once.
    systems: list[str] = field(default_factory=list)  #: Hosts other than this one.
    files_under_test: bool = False  #: Whether there are file system workloads.


def planned(files: Sequence[Path], runs: Mapping[str, str], variables: Mapping[str, str]) -> PlannedScript:
    """The script of a plan, with the digest of each file. Raises ``InputError`` where one cannot be read."""
    raws = [input_file.whole(file, "a parameter file of vdbench") for file in files]
    return PlannedScript(
        files=[str(file.absolute()) for file in files],
        sha256=[hashlib.sha256(raw).hexdigest() for raw in raws],
        runs=dict(runs),
        variables=dict(variables),
    )


def content(script: PlannedScript) -> ScriptContent:
    """What the files define.

    Raises ``InputError``: one cannot be read or has changed, or they define file system workloads.
    """
    found = ScriptContent()
    for name, digest in zip(script.files, script.sha256, strict=True):
        raw = input_file.whole(Path(name), "a parameter file of vdbench")
        if hashlib.sha256(raw).hexdigest() != digest:
            raise InputError("changed", name, "the file is not the one that the measurement was begun with")
        for number, line in enumerate(raw.decode("utf-8", "replace").splitlines(), 1):
            _line(line, found, script.variables, f"{name}:{number}")
    if not found.runs:
        raise InputError("empty", script.files[-1], "the files have no run definition (rd=)")
    return found


def _line(line: str, found: ScriptContent, variables: Mapping[str, str], where: str) -> None:
    if line.lstrip().startswith(("*", "#", "/")):
        return
    for name, value in variables.items():
        line = line.replace(f"${name}", value)
    defined = _DEFINES.match(line)
    if defined is not None and defined[1].lower() != "rd":
        text = "defines a file system workload; only raw storage (sd=, wd=) is measured"
        raise InputError("unsupported", where, text)
    if defined is not None and defined[2].lower() != "default":
        found.runs.append(defined[2])
    for lun in _LUN.findall(line):
        if "$" in lun:
            text = f"the value of {lun} is not known; give it with `variable=NAME=VALUE`"
            raise InputError("missing", where, text)
        if lun not in found.luns:
            found.luns.append(lun)
    system = _SYSTEM.match(line)
    if system is not None and system[1].lower() not in _HERE:
        found.systems.append(system[1])


def run_of(plan: Plan, stage: PlanStage, runs: Sequence[str]) -> str | None:
    """The name among ``runs`` that is a stage's: as the plan maps it, else the stage's own in any case."""
    mapped = {} if plan.script is None else plan.script.runs
    for name in runs:
        if mapped.get(name) == stage.id:
            return name
    if stage.id in mapped.values():
        return None
    own = {stage.id.lower(), run_name(stage).lower()}
    return next((name for name in runs if name.lower() in own and name not in mapped), None)


def runs_by_stage(plan: Plan, runs: Sequence[str]) -> dict[str, str]:
    """Names of runs by stage, for every stage with requests.

    Raises ``InputError``: the map has a name that is no stage or no run, a stage has none, or the runs
    come in another order than the stages.
    """
    refuse_unknown(plan)
    mapped = {} if plan.script is None else plan.script.runs
    missing = next((name for name in mapped if name not in runs), None)
    if missing is not None:
        text = f"the script has no run definition {missing!r}; it has {', '.join(runs)}"
        raise InputError("unknown-name", Argument("map"), text)
    found: dict[str, str] = {}
    for stage in plan.stages:
        if stage.workload is None:
            continue
        name = run_of(plan, stage, runs)
        if name is None:
            rest = [one for one in runs if one not in found.values() and one not in mapped]
            text = f"no run definition is that of stage {stage.id}; not used are {', '.join(rest) or 'none'}"
            hint = f"name it: `map=NAME={stage.id}`; or plan without the stage"
            raise InputError("missing", Argument("map"), text, hint=hint)
        found[stage.id] = name
    order = [runs.index(name) for name in found.values()]
    if order != sorted(order):
        listed = ", ".join(found.values())
        text = f"the plan has its stages in the order {listed}, and the script runs {', '.join(runs)}"
        raise InputError("out-of-order", Argument("map"), text)
    return found


def refuse_unknown(plan: Plan) -> None:
    """Raise ``InputError`` where the map names a stage that the plan does not have."""
    known = [stage.id for stage in plan.stages if stage.workload is not None]
    for name, stage in ({} if plan.script is None else plan.script.runs).items():
        if stage not in known:
            text = f"{name} is to be stage {stage!r}, and the plan has {', '.join(known)}"
            raise InputError("unknown-name", Argument("map"), text)
