"""Who decides when the next request comes: a clock (open), a completion (closed), or a clock that waits.

It matters for response times: a driver that waits for completions asks less of storage that is slow, exactly
while it is slow, and the requests that it did not send are in no histogram (coordinated omission).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

Kind = Literal["open", "closed", "rate-limited", "replayed", "recorded", "mixed", "unknown"]

#: Kinds in which a slow response keeps later requests back.
WAITS: Final = ("closed", "rate-limited", "mixed")


@dataclass(frozen=True)
class Loop:
    """How a Run's requests came; ``said`` is that in words."""

    kind: Kind
    said: str
    #: Requests kept outstanding, where known.
    outstanding: int | None = None
    #: Mean time between a completion and the next request, in s.
    think_s: float = 0.0
    #: Requests per second that the driver was to make, where it was told any.
    asked_iops: float | None = None

    @property
    def waits(self) -> bool:
        """Whether slow responses keep requests back."""
        return self.kind in WAITS


def loop_of(run: Run, workload: str | None) -> Loop:
    """The loop of a Run, or of one of its workloads."""
    source = str(run.summary["source"])
    if source == "simulation":
        return _simulated(run, workload)
    if source == "replay":
        depth = _whole(_measured(run).get("depth"))
        most = "" if depth is None else f", with {depth} outstanding at most"
        return Loop("replayed", f"a trace replayed at its own times{most}", depth)
    if source == "trace":
        return Loop("recorded", "recorded under its own application, whose loop is not known")
    driver: Mapping[str, Any] = run.summary.get("driver") or {}
    tool, asked = str(driver.get("tool", source)), driver.get("asked_iops")
    outstanding = _whole(_measured(run).get("outstanding"))
    slots = "" if outstanding is None else f", {outstanding} outstanding"
    if not driver:
        return Loop("unknown", "nothing says what made the requests")
    if asked is None:
        return Loop(
            "closed",
            f"{tool} as fast as it could{slots}: the next request waits for a completion",
            outstanding,
        )
    return Loop(
        "rate-limited",
        f"{tool} at {asked:g} requests/s{slots}: later where it had to wait for completions",
        outstanding,
        asked_iops=float(asked),
    )


def _measured(run: Run) -> Mapping[str, Any]:
    found = run.plan.get("measured")
    return found if isinstance(found, Mapping) else {}


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _simulated(run: Run, workload: str | None) -> Loop:
    names = run.plan.get("names", {}).get("workloads", [])
    planned = run.plan.get("simulation", {}).get("workloads", [])
    replays = [
        one.get("replay", {})
        for name, one in zip(names, planned, strict=False)
        if workload is None or name == workload
    ]
    if not replays:
        return Loop("unknown", "the plan does not say how its requests come")
    modes = {replay.get("mode") for replay in replays}
    if modes == {"open"}:
        return Loop("open", "open: requests come at their own times, whatever the array does")
    if modes != {"closed"}:
        return Loop("mixed", "some workloads open, some closed")
    per = {replay.get("per", "workload") for replay in replays}
    total = sum(int(replay["outstanding"]) for replay in replays) if per == {"workload"} else None
    thinks = {float(replay.get("think", {}).get("mean_s", 0.0)) for replay in replays}
    think = thinks.pop() if len(thinks) == 1 else 0.0
    slots = "" if total is None else f", {total} outstanding"
    pause = f", {think * 1e3:g} ms between" if think else ""
    return Loop("closed", f"closed{slots}{pause}: the next request waits for a completion", total, think)
