"""The tests on real storage, one function each: free space before and after, and data read back.

Each begins on an empty store; the caller clears it afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.base.units import format_bytes
from iowatt.emerald.com.dataset import DataSet, Kind
from iowatt.emerald.com.result import ComTest, Step, judged, size_text
from iowatt.emerald.com.storage import Store
from iowatt.emerald.rules import Rules

LEAST_COST: Final = 0.9
"""Share of its size that an irreducible set must cost; else free space does not show what is written."""

PART: Final = 16
"""Share of a set that is rewritten after a snapshot, as 1/PART."""

Test = Callable[[Store, Rules, int, int], ComTest]


class _TestRun:
    """The steps of one test so far."""

    def __init__(self, store: Store, com: str) -> None:
        self.store = store
        self.com = com
        self.steps: list[Step] = []
        self.step("empty")

    def step(self, what: str) -> int:
        """Free space after an action; the bytes that it cost."""
        free, waited = self.store.free()
        cost = self.steps[-1].free_bytes - free if self.steps else 0
        self.steps.append(Step(what, free, waited))
        return cost

    def result(self, percent: float, rules: Rules, key: str, why: str) -> ComTest:
        """Yes where the figure is within the rule's limit."""
        return judged(self.com, rules, key, percent=percent, why=why, steps=self.steps)

    def no(self, why: str) -> ComTest:
        """No: the method does not work, whatever the space."""
        return ComTest(self.com, "no", why, self.steps)

    def untested(self, why: str) -> ComTest:
        """No verdict is possible."""
        return ComTest(self.com, "not tested", why, self.steps)


def _reduces(kind: Kind, com: str) -> Test:
    """A set that can be reduced must cost clearly less than one that cannot."""

    def test(store: Store, rules: Rules, size: int, seed: int) -> ComTest:
        run = _TestRun(store, com)
        plain, other = DataSet("irreducible", size, seed), DataSet(kind, size, seed)
        store.write(store.place / "irreducible", plain)
        set_cost = run.step(f"{size_text(size)} written, irreducible")
        if set_cost < LEAST_COST * size:
            return run.untested(_too_cheap(set_cost, size))
        store.write(store.place / kind, other)
        cost = run.step(f"{size_text(size)} written, {kind}")
        if not store.holds(store.place / kind, other):
            return run.no(f"the {kind} set does not read back as it was written")
        percent = 100 * max(0, cost) / set_cost
        why = f"the {kind} set costs {percent:.1f} % of the space of the irreducible one"
        return run.result(percent, rules, f"com.{com}.cost_percent_most", why)

    return test


def thin_provisioning(store: Store, rules: Rules, size: int, seed: int) -> ComTest:
    """A volume costs next to nothing until it is written, and then about what was written."""
    run = _TestRun(store, "thin-provisioning")
    capacity = 2 * size
    path = store.volume("volume", capacity)
    creation = run.step(f"a volume of {size_text(capacity)} created")
    written = size // 4
    data = DataSet("irreducible", written, seed)
    store.write(path, data, at=size)
    growth = run.step(f"{size_text(written)} written to it")
    if not store.holds(path, data, at=size):
        return run.no("what was written does not read back")
    percent = 100 * max(0, creation) / capacity
    why = (
        f"creation costs {percent:.2f} % of the volume's size; writing {size_text(written)} takes "
        f"{size_text(growth)} of free space"
    )
    if percent <= rules.number("com.thin-provisioning.creation_percent_most") and growth > 2 * written:
        return run.no(why + ": twice what was written and more")
    if growth < LEAST_COST * written and percent <= 50:
        return run.untested(_too_cheap(growth, written))
    return run.result(percent, rules, "com.thin-provisioning.creation_percent_most", why)


@dataclass(frozen=True)
class _Snapshot:
    """A folder with a set, and its snapshot."""

    run: _TestRun
    source: Path
    copy: Path
    old: DataSet
    new: DataSet
    set_cost: int  #: Bytes that the set took.
    cost: int  #: Bytes that the snapshot took.


def _snapshot(run: _TestRun, command: str, kind: str, size: int, seed: int) -> _Snapshot | ComTest:
    """A set in a folder, and a snapshot of it; the result where the set does not show in free space."""
    store = run.store
    old, new = DataSet("irreducible", size, seed), DataSet("irreducible", size, seed + 1)
    source = store.folder("source")
    store.write(source / "data", old)
    set_cost = run.step(f"{size_text(size)} written, irreducible")
    if set_cost < LEAST_COST * size:
        return run.untested(_too_cheap(set_cost, size))
    copy = store.copy(command, source, "snapshot")
    return _Snapshot(run, source, copy, old, new, set_cost, run.step(f"{kind} snapshot taken"))


def read_only_snapshots(store: Store, rules: Rules, size: int, seed: int) -> ComTest:
    """A snapshot costs next to nothing, and keeps its data when its source is written."""
    com, command = "read-only-delta-snapshots", store.commands.snapshot
    if command is None:
        return ComTest(com, "not tested", "no command for a read-only snapshot was given")
    run = _TestRun(store, com)
    taken = _snapshot(run, command, "read-only", size, seed)
    if isinstance(taken, ComTest):
        return taken
    source, copy, old, new = taken.source, taken.copy, taken.old, taken.new
    store.write(source / "data", new, count=size // PART)
    delta = run.step(f"{size_text(size // PART)} written to the source")
    if not store.holds(copy / "data", old):
        return run.no("the snapshot changed when its source was written to")
    if not store.holds(source / "data", new, until=size // PART):
        return run.no("the source does not hold what was written to it")
    if _can_write(copy / "data"):
        return run.no("the snapshot can be written to, so it is not a read-only one")
    percent = 100 * max(0, taken.cost) / taken.set_cost
    changed = f"{size_text(size // PART)} changed cost {size_text(delta)}"
    why = f"the snapshot costs {percent:.2f} % of its set's space, {changed}"
    return run.result(percent, rules, f"com.{com}.space_percent_most", why)


def writeable_snapshots(store: Store, rules: Rules, size: int, seed: int) -> ComTest:
    """A writeable snapshot costs what is written to it; both views stay right."""
    com, command = "writeable-delta-snapshots", store.commands.clone
    if command is None:
        return ComTest(com, "not tested", "no command for a writeable snapshot was given")
    run = _TestRun(store, com)
    taken = _snapshot(run, command, "writeable", size, seed)
    if isinstance(taken, ComTest):
        return taken
    source, copy, old, new = taken.source, taken.copy, taken.old, taken.new
    part = size // PART
    if not _can_write(copy / "data"):
        return run.no("the snapshot cannot be written to")
    store.write(copy / "data", new, count=part)
    cost = taken.cost + run.step(f"{size_text(part)} written to the snapshot")
    if not store.holds(source / "data", old):
        return run.no("the source changed when its snapshot was written to")
    kept = store.holds(copy / "data", new, until=part) and store.holds(copy / "data", old, start=part)
    if not kept:
        return run.no("the snapshot does not hold its source with what was written to it")
    percent = 100 * max(0, cost - part) / taken.set_cost
    why = f"beyond the {size_text(part)} written to it the snapshot costs {percent:.2f} % of its set's space"
    return run.result(percent, rules, f"com.{com}.space_percent_most", why)


def parity_raid(rules: Rules, raw: int | None, protected: int | None) -> ComTest:
    """Protected capacity must be more of the raw one than mirroring leaves; nothing is written."""
    com = "parity-raid"
    if raw is None or protected is None:
        return ComTest(com, "not tested", "raw and protected capacity were not given")
    percent = 100 * protected / raw
    why = f"{format_bytes(protected)} of {format_bytes(raw)} raw are protected capacity, {percent:.1f} %"
    return judged(com, rules, f"com.{com}.capacity_percent_over", percent=percent, why=why, over=True)


TESTS: Final[Mapping[str, Test]] = {
    "read-only-delta-snapshots": read_only_snapshots,
    "writeable-delta-snapshots": writeable_snapshots,
    "thin-provisioning": thin_provisioning,
    "data-deduplication": _reduces("duplicable", "data-deduplication"),
    "compression": _reduces("compressible", "compression"),
}


def _too_cheap(cost: int, size: int) -> str:
    return (
        f"{size_text(size)} of irreducible data took {size_text(cost)} of free space: it does not "
        "show what is written, or something else freed space"
    )


def _can_write(path: object) -> bool:
    """Whether a file opens for writing."""
    try:
        with open(path, "r+b"):  # type: ignore[call-overload]  # noqa: PTH123
            return True
    except OSError:
        return False
