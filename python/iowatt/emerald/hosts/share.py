"""The part of each load host in a plan.

Hosts have targets of their own, or share those of the plan. Rates and outstanding requests are divided by the
number of targets. Random requests of hosts that share a range go to all of it, as Poisson arrivals add up to
Poisson arrivals; sequential ones, the fill included, keep to a part of it for each host.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.plan import Plan, PlanStage
from iowatt.sources.hosts import HostAddress, parse_host

# Seeds of stages are those of the plan times a thousand and their number; no host repeats one.
_SEED_STEP = 1_000_003


@dataclass(frozen=True)
class HostShare:
    """What one host does."""

    name: str
    address: HostAddress
    plan: Plan  #: The plan for this host alone: its targets, its part of rates and outstanding requests.
    targets: tuple[str, ...]
    part: tuple[int, int]  #: Which part of a shared range, of how many; (0, 1) where its targets are its own.
    fraction: float = 1.0  #: Its part of the requests.

    def stage(self, stage: PlanStage) -> PlanStage:
        """Its part of a stage that is none of the plan's own (a point of a calibration)."""
        return _stage(stage, self.fraction)


def shares(plan: Plan) -> list[HostShare]:
    """The part of each host, in the order of the plan; none where the plan has no hosts.

    Raises ``InputError``: two have one name, some have targets and some have not, or there are none.
    """
    hosts = [(one.name, parse_host(one.address, f"host {one.name}")) for one in plan.hosts]
    double = next((name for name, _ in hosts if sum(name == other for other, _ in hosts) > 1), None)
    if double is not None:
        raise InputError("duplicate", Argument("host"), f"two hosts have the name {double!r}")
    own = [name for name, address in hosts if address.targets]
    if own and len(own) < len(hosts):
        others = ", ".join(name for name, address in hosts if not address.targets)
        text = f"{', '.join(own)} have targets of their own, and {others} have none"
        hint = "give each host its targets, or none, so that all share those of the plan"
        raise InputError("conflict", Argument("host"), text, hint=hint)
    common = tuple(name.strip() for name in (plan.target.path or "").split(",") if name.strip())
    if hosts and not own and not common:
        raise InputError("missing", "plan: target.path", "neither the plan nor its hosts name a target")
    count = sum(len(address.targets) for _, address in hosts) if own else len(hosts)
    found = []
    for number, (name, address) in enumerate(hosts):
        targets = address.targets or common
        fraction = (len(targets) if own else 1) / count
        size = plan.target.size_bytes
        if size is not None and own:
            size = size // count * len(targets)
        target = plan.target.model_copy(update={"path": ",".join(targets), "size_bytes": size})
        changed = {
            "target": target,
            "seed": plan.seed + number * _SEED_STEP,
            "stages": [_stage(stage, fraction) for stage in plan.stages],
        }
        part = (0, 1) if own else (number, len(hosts))
        found.append(HostShare(name, address, plan.model_copy(update=changed), targets, part, fraction))
    return found


def _stage(stage: PlanStage, fraction: float) -> PlanStage:
    if stage.workload is None:
        return stage
    streams = max(1, round(stage.streams * fraction))
    return stage.model_copy(
        update={
            "rate_iops": None if stage.rate_iops is None else stage.rate_iops * fraction,
            "outstanding": max(streams, math.ceil(stage.outstanding * fraction)),
            "streams": streams,
        }
    )
