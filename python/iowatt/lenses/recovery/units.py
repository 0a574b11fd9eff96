"""What failed, as one failure for each node, rack or drive: drives of a node fail and recover together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

Rebuild = Mapping[str, Any]


@dataclass(frozen=True)
class FailedUnit:
    """A node, a rack or drives that failed at one time, and the recovery of what they held.

    Times are seconds from the start of the Run. ``lost_bytes`` is None where the Run does not say (those
    written before it did, and nothing was recovered). ``log_first``: recovery has not begun, and spare drives
    are left: it waits until the pool's logs of parity updates are reintegrated.
    """

    what: str
    pools: Sequence[str]
    drives: int
    failed_s: float
    started_s: float | None
    finished_s: float | None
    end_s: float
    recovered_bytes: int
    lost_bytes: int | None
    delay_s: float
    has_room: bool
    spare: str | None
    log_first: bool = False

    @property
    def share(self) -> float | None:
        """Recovered share of what was lost."""
        if self.finished_s is not None:
            return 1.0
        return self.recovered_bytes / self.lost_bytes if self.lost_bytes else None

    @property
    def bytes_per_s(self) -> float | None:
        """Mean rate of recovery; None where it did not begin."""
        if self.started_s is None:
            return None
        took = (self.end_s if self.finished_s is None else self.finished_s) - self.started_s
        return self.recovered_bytes / took if took > 0 else None

    @property
    def left_s(self) -> float | None:
        """Time that the rest takes at the mean rate so far; None where finished or without a rate."""
        if self.finished_s is not None or not self.bytes_per_s or self.lost_bytes is None:
            return None
        return (self.lost_bytes - self.recovered_bytes) / self.bytes_per_s


def failures(run: Run) -> list[FailedUnit]:
    """What failed within the Run, in order of time."""
    rows = run.summary.get("rebuilds") or []
    if not rows:
        return []
    pools = _pools(run.plan)
    end_s = float(run.summary["window"]["end_s"])
    groups: dict[tuple[float, str], list[Rebuild]] = {}
    units = list(_units(run))
    begun = Counter(row["pool"] for row in rows if row["started_s"] is not None)
    for row in rows:
        at = row["failed_s"]
        named = (name for when, name, drives in units if when == at and row["drive"].startswith(drives))
        groups.setdefault((at, next(named, f"pool {row['pool']}")), []).append(row)
    found = [
        _failure(at, unit, members, pools, begun=begun, end_s=end_s) for (at, unit), members in groups.items()
    ]
    return sorted(found, key=lambda one: one.failed_s)


def _failure(
    at: float,
    unit: str,
    rows: Sequence[Rebuild],
    pools: Mapping[str, Mapping[str, Any]],
    *,
    begun: Mapping[str, int],
    end_s: float,
) -> FailedUnit:
    """One failure from the rebuilds of its drives; ``begun`` are rebuilds that each pool began."""
    started = [row["started_s"] for row in rows if row["started_s"] is not None]
    finished = [row["finished_s"] for row in rows if row["finished_s"] is not None]
    lost = [_lost(row) for row in rows]
    known = [one for one in lost if one is not None]
    names = list(dict.fromkeys(row["pool"] for row in rows))
    plans = [pools.get(name, {}) for name in names]
    what = unit
    if unit.startswith("pool "):
        what = f"drive {rows[0]['drive']}" if len(rows) == 1 else f"{len(rows):,} drives of {unit}"
    elif len(rows) > 1:
        what = f"{unit} ({len(rows):,} drives)"
    return FailedUnit(
        what=what,
        pools=names,
        drives=len(rows),
        failed_s=at,
        started_s=min(started, default=None),
        finished_s=max(finished) if len(finished) == len(rows) else None,
        end_s=end_s,
        recovered_bytes=sum(row["rebuilt_bytes"] for row in rows),
        lost_bytes=sum(known) if len(known) == len(rows) else None,
        delay_s=max((_delay(plan) for plan in plans), default=0.0),
        has_room=any(map(_has_room, plans)),
        spare=rows[0]["spare"] if len(rows) == 1 else None,
        log_first=not started
        and any(_logs_parity(pools.get(name, {}), begun.get(name, 0)) for name in names),
    )


def _lost(row: Rebuild) -> int | None:
    """Bytes that a failed drive held; of Runs that do not have it, by the share that was rebuilt."""
    if (lost := row.get("lost_bytes")) is not None:
        return int(lost)
    return round(row["rebuilt_bytes"] / row["fraction"]) if row["fraction"] else None


def _pools(plan: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    names = plan.get("names", {}).get("pools", ())
    return dict(zip(names, plan.get("simulation", {}).get("pools", ()), strict=False))


def _delay(pool: Mapping[str, Any]) -> float:
    """Time from the failure to the begin of recovery."""
    return float(((pool.get("recovery") or {}).get("rebuild") or {}).get("delay_s") or 0.0)


def _has_room(pool: Mapping[str, Any]) -> bool:
    """Whether there is a spare drive or spare space to recover onto."""
    spares = (pool.get("recovery") or {}).get("spares", 0)
    return bool(spares or (pool.get("chunklets") or {}).get("spare"))


def _logs_parity(pool: Mapping[str, Any], begun: int) -> bool:
    """Whether a pool logs parity updates and has spare drives left after so many rebuilds."""
    logs = (pool.get("raid") or {}).get("log") is not None
    return logs and begun < (pool.get("recovery") or {}).get("spares", 0)


def _units(run: Run) -> Iterator[tuple[float, str, str]]:
    """Nodes that fail by the plan: when, the name of what fails (the node or its rack), and how the names of
    its drives begin."""
    plans = run.plan.get("simulation", {}).get("clusters") or ()
    for plan, cluster in zip(plans, run.summary.get("clusters") or (), strict=False):
        for failure in plan.get("failures") or ():
            at, index = failure["at_s"], failure["index"]
            for number, node in enumerate(cluster["nodes"]):
                drives = f"{cluster['name']}.{node['name']}."
                if failure["unit"] == "node" and number == index:
                    yield at, f"node {node['name']}", drives
                elif failure["unit"] == "rack" and node["rack"] == index:
                    yield at, f"rack {index}", drives
