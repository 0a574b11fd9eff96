"""Whether Runs are of one system and one kind of requests, so that they differ in their load alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from iowatt.base.errors import InputError
from iowatt.lenses.one_array import system_of

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

#: How far mean sizes (as a share) and read shares may lie apart: what short runs of one mix do by chance.
SIZE: Final = 0.1
READS: Final = 0.1


def check(runs: Sequence[Run], names: Sequence[str]) -> None:
    """Raise ``InputError`` where a Run differs from the first one in more than its load."""
    for run, name in zip(runs[1:], names[1:], strict=True):
        system, other = system_of(runs[0]), system_of(run)
        keys = sorted(key for key in {*system, *other} if system.get(key) != other.get(key))
        if keys and system and other:
            raise InputError(
                "not-comparable",
                f"{name}: {keys[0]}",
                f"is another system than {names[0]}: the plans differ in {', '.join(keys)}",
                hint="a budget over loads is about one system; `iowatt compare` compares two",
            )
        said = _mix(runs[0], run)
        if said:
            raise InputError(
                "not-comparable",
                f"{name}: workload",
                f"has other requests than {names[0]}: {said}",
                hint="a budget over loads is about one mix of requests; `iowatt compare` compares two Runs",
            )


def _mix(first: Run, other: Run) -> str | None:
    """How the requests of a workload differ in kind between two Runs, where they do.

    Workload by workload: where the rate of one of several varies, so does the mix of all.
    """
    known = {one["name"]: one["requests"] for one in first.summary["workloads"]}
    for workload in other.summary["workloads"]:
        name, kinds = workload["name"], [known.get(workload["name"]), workload["requests"]]
        if any(not done or not done["count"] or not done["completed"] for done in kinds):
            continue
        sizes = [(done["bytes_read"] + done["bytes_written"]) / done["completed"] / 1024 for done in kinds]
        reads = [done["reads"] / done["count"] for done in kinds]
        if abs(sizes[1] - sizes[0]) > SIZE * sizes[0]:
            return f"{name} has {sizes[1]:.3g} KiB in the mean, not {sizes[0]:.3g}"
        if abs(reads[1] - reads[0]) > READS:
            return f"{name} has {100 * reads[1]:.0f} % reads, not {100 * reads[0]:.0f}"
    return None
