"""The answer in words: sentences that are computed from the figures of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from iowatt.lenses.evidence import grades, run_doubt
from iowatt.model.raid import name_of
from iowatt.pages.system import pacing
from iowatt.render import numbers, palette
from iowatt.render.numbers import with_unit
from iowatt.render.phrases import between, listed
from iowatt.run.record import MODELLED
from iowatt.run.tables import ARRAY_STATES
from iowatt.sources.simulation import source_name

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


WORK = ("active", "positioning")
"""States in which a drive serves requests."""


def answer(run: Run) -> list[str]:
    """What the work costs, where the energy goes, and what was evaluated: one sentence or more for each."""
    summary = run.summary
    if summary["power_basis"] == "wall" and summary["source"] not in MODELLED:
        return [*_cost(summary), _measured(summary)]
    doubts = {purpose: run_doubt(run, purpose) for purpose in ("tail", "energy")}
    asked = [*_cost(summary, doubts), *_mounts(summary), *_behind(summary), *_where(summary)]
    return [*asked, _evaluated(summary, run.plan, grades(run))]


def _evaluated(summary: Mapping[str, Any], plan: Mapping[str, Any], evidence: Mapping[str, str]) -> str:
    parts = _library_parts(plan)
    kinds: Counter[tuple[str, str]] = Counter()
    for device in summary["devices"]:
        if device["name"] not in parts:
            kinds[device["pool"], device["model"]] += device.get("drives", 1)
    levels = _raid_levels(plan)
    drives = [
        f"{number:,} {model} {'drive' if number == 1 else 'drives'}"
        f"{f' ({evidence[model]})' if model in evidence else ''}"
        f"{f' in {levels[pool]}' if pool in levels else ''}"
        for (pool, model), number in kinds.items()
    ]
    work = _work(summary, plan)
    pools = [f"{pool['name']} ({pool['scheme']})" for pool in summary.get("virtual_pools") or ()]
    system = (listed(drives) or "a system") + (f", combined as {listed(pools)}," if pools else "")
    served = summary["requests"]["count"] > 0
    serving = f" serving {listed(work)}" if work and served else ""
    verbs = {
        "simulation": "This run simulates",
        "emulation": "This run served a live volume on emulated media, with modelled watts:",
    }
    verb = verbs.get(summary["source"], "This run measured")
    return f"{verb} {system}{serving}{_requests(summary)}"


def _mounts(summary: Mapping[str, Any]) -> list[str]:
    """How long cartridges waited for a drive of each library."""
    said = []
    for library in summary.get("libraries") or ():
        wait = library["mount_wait_s"]
        if library["mounts"]:
            mean, longest = (numbers.duration(wait[name]) for name in ("mean", "max"))
            mounts = numbers.counted(library["mounts"], "mount")
            said.append(
                f"Mount wait in {library['name']}: {mean} on average, {longest} at most "
                f"({mounts}, {numbers.counted(library['drives'], 'drive')})."
            )
    return said


def _behind(summary: Mapping[str, Any]) -> list[str]:
    """What would be lost with the array: how far copies on remote arrays were behind."""
    said = []
    for one in summary.get("replications") or ():
        lag = one["lag"]
        if lag["max_s"]:
            mean, longest = (numbers.duration(lag[name]) for name in ("mean_s", "max_s"))
            most = with_unit(lag["max_bytes"], "B")
            said.append(f"Replication {one['name']} lags by {mean} on average, {longest} at most ({most}).")
        else:
            said.append(f"Replication {one['name']} never lags.")
    return said


def _library_parts(plan: Mapping[str, Any]) -> set[str]:
    """Names of the devices that are no drives: robots and frames of libraries."""
    named = plan.get("names", {}).get("devices", ())
    return {one["name"] for one in named if one.get("kind") in ("robot", "library_frame")}


def _measured(summary: Mapping[str, Any]) -> str:
    """What was measured, and with what."""
    volumes, driver = summary["volumes"], summary.get("driver")
    place = volumes[0]["name"] if volumes else "the storage"
    program = f" with {driver['version']}" if driver and summary["requests"]["count"] else ""
    return f"This run measured {place}{program}{_requests(summary)}"


def _requests(summary: Mapping[str, Any]) -> str:
    requests, span = summary["requests"], numbers.duration(summary["window"]["duration_s"])
    if not requests["count"]:
        return f" without requests for {span}."
    reads = numbers.percent(requests["reads"] / requests["count"])
    return (
        f": {numbers.count(requests['count'])} requests ({reads} reads) "
        f"in {span}, {numbers.significant(summary['throughput']['iops'])} completed per second."
    )


def _work(summary: Mapping[str, Any], plan: Mapping[str, Any]) -> list[str]:
    """Workloads by name, with trace and pace where the plan has them."""
    names = [str(workload["name"]) for workload in summary["workloads"]]
    sources, paces = plan.get("sources", []), plan.get("simulation", {}).get("workloads", [])
    if not len(names) == len(sources) == len(paces):
        return names
    return [
        f"{name} ({PurePath(source_name(source)).name}; {pacing(pace['replay'], source)})"
        for name, source, pace in zip(names, sources, paces, strict=True)
    ]


def _cost(summary: Mapping[str, Any], doubts: Mapping[str, str | None] = MappingProxyType({})) -> list[str]:
    power, energy, time = summary["power_w"], summary["energy"], summary["response_time_ms"]["all"]
    sentences = []
    if time["count"]:
        interval = time["mean_ci95"]
        sure = f" (95\u00a0% confidence: {between(interval)})" if interval else ""
        tail = "percentiles not known"
        if time["p50"] is not None:
            tail = (
                f"p50 {with_unit(time['p50'], 'ms')}, "
                f"p99 {with_unit(time['p99'], 'ms')}{_beside(doubts.get('tail'))}"
            )
        sentences.append(f"Response time: mean {with_unit(time['mean'], 'ms')}{sure}; {tail}.")
    if power["mean"] is None:
        if power["wall_mean"] is None:
            unknown = energy.get("unknown")
            why = "no meter recorded all of the window" if unknown is None else unknown
            return [*sentences, f"Power is not known: {why}."]
        drawn = f"The system draws {with_unit(power['wall_mean'], 'W')} at the wall on average"
    else:
        drawn = f"The drives draw {with_unit(power['mean'], 'W')} on average"
        if summary.get("libraries"):
            drawn = f"Drives, robots and frame draw {with_unit(power['mean'], 'W')} on average"
        elif power["wall_mean"] is not None:
            whole = "cluster" if summary.get("clusters") else "array"
            drawn += f" and the {whole} {with_unit(power['wall_mean'], 'W')} at the wall"
    if energy["per_request_j"] is not None:
        drawn += f", or {with_unit(energy['per_request_j'], 'J')} per request"
    return [*sentences, f"{drawn}{_beside(doubts.get('energy'))}."]


def _beside(doubt: str | None) -> str:
    return f" – {doubt}" if doubt else ""


def _where(summary: Mapping[str, Any]) -> list[str]:
    energy = summary["energy"]
    total = energy["total_j"]
    if total is None or total <= 0:
        return []
    by_state = energy["by_state_j"]
    of_drives = {state: joules for state, joules in by_state.items() if state not in ARRAY_STATES}
    state, joules = max(of_drives.items(), key=lambda item: item[1])
    share = numbers.percent(joules / total)
    if state == "idle":
        what = "Idle frame, robots and drives" if summary.get("libraries") else "Idle drives"
        first = f"{what} take {share} of the energy"
    elif state == "standby":
        first = f"Stopped drives take {share} of the energy"
    else:
        doing = palette.STATE_IN_WORDS.get(state, f"in state {state.replace('_', ' ')}")
        first = f"Drives {doing} take {share} of the energy"
    work = sum(by_state.get(name, 0.0) for name in WORK)
    stopped = by_state.get("standby", 0.0)
    others = []
    if work > 0 and state not in WORK:
        moving = "positioning and transfer take" if by_state.get("positioning") else "transfer takes"
        others.append(f"{moving} {numbers.percent(work / total)}")
    if stopped > 0 and state != "standby":
        others.append(f"stopped drives take {numbers.percent(stopped / total)}")
    parts = by_state.get("parts_idle", 0.0) + by_state.get("parts_active", 0.0)
    if parts > 0:
        which = "servers and switches" if summary.get("clusters") else "other parts of the array"
        others.append(f"{which} take {numbers.percent(parts / total)}")
    if lost := by_state.get("supply_loss", 0.0):
        others.append(f"the power supplies lose {numbers.percent(lost / total)}")
    rest = f"; {listed(others)}" if others else ""
    above = energy["above_idle_j"]
    sentences = [f"{first}{rest}."]
    if above > 0 and summary["throughput"]["completions"]:
        each = above / summary["throughput"]["completions"]
        same = "cluster" if summary.get("clusters") else "array" if parts else "drives"
        sentences.append(
            f"Compared with the same {same} at idle, the work adds {with_unit(each, 'J')} per request, "
            f"{numbers.percent(above / total)} of the energy."
        )
    elif above < 0 and not summary.get("rebuilds"):  # a failed server is off, which saves nothing
        saved = numbers.percent(-above / (total - above))
        whole = "the cluster" if summary.get("clusters") else "the array"
        whose = f"{whole} uses" if parts else "the drives use"
        drives = "its drives" if parts else "they"
        sentences.append(f"In total, {whose} {saved} less energy than if {drives} had idled throughout.")
    return sentences


def _raid_levels(plan: Mapping[str, Any]) -> dict[str, str]:
    """RAID level by pool name, where the plan has it; of a cluster's pool its copies or code."""
    names = plan.get("names", {}).get("pools", [])
    pools = plan.get("simulation", {}).get("pools", [])
    levels = {
        name: name_of(pool["raid"])
        for name, pool in zip(names, pools, strict=False)
        if "level" in pool.get("raid", {})
    }
    return levels | {
        pool["name"]: pool["redundancy"]
        for cluster in plan.get("names", {}).get("clusters", ())
        for pool in cluster["pools"]
    }
