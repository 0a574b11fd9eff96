"""Checks of the spares and failures of a pool, as far as they can be made before the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from iowatt.base.problems import Reporter
from iowatt.model.raid import EC, Level, level_name, parity_units
from iowatt.model.scenario.keys.array import Failure, Pool

DISTRIBUTED_LEVELS: Final = (5, 6, 10, EC)


def check(pool: Pool, report: Reporter) -> None:
    """Report what is wrong with ``spares``, ``sparing`` and ``failure`` of a pool."""
    level = 0 if pool.raid is None else pool.raid.level
    if level == 0:
        _without_redundancy(pool, report)
        return
    if pool.sparing == "adaptive":
        message = "adaptive sparing needs chunklets, and the pool has none"
        report("not-applicable", "sparing", message, 'give chunklet = "256MiB", or sparing = "distributed"')
    if pool.sparing == "distributed":
        if level not in DISTRIBUTED_LEVELS:
            reason = "keeps parity on one drive" if level == 4 else "has no stripes"
            message = f"RAID-{level} {reason} and cannot rotate spare space"
            report(
                "not-applicable",
                "sparing",
                message,
                'use sparing = "dedicated", or RAID-5, 6 or 10, or an erasure code',
            )
        elif pool.spares != 1:
            message = f"distributed sparing is one drive's worth of space, not {pool.spares}"
            report("out-of-range", "spares", message, "set spares to 1")
    if _drives(pool, report):
        _losses(pool, level, report)


def check_chunklets(pool: Pool, report: Reporter) -> None:
    """The same of a pool of chunklets. Which failures it survives depends on where sets lie: the run says."""
    _drives(pool, report)
    level = 5 if pool.raid is None else pool.raid.level
    if level == 0:
        _without_redundancy(pool, report)


def _without_redundancy(pool: Pool, report: Reporter) -> None:
    fix = "use a level with redundancy, or leave it out"
    if pool.spares:
        report("not-applicable", "spares", "without redundancy nothing can be rebuilt on a spare", fix)
    if pool.failure:
        report("not-applicable", "failure.0", "without redundancy a failure loses data", fix)


def _drives(pool: Pool, report: Reporter) -> bool:
    """Whether every failure is of another drive of the pool."""
    before = len(report.problems)
    failed: set[int] = set()
    for index, failure in enumerate(pool.failure):
        place = f"failure.{index}.drive"
        if failure.drive >= pool.drives:
            drives = f"pool {pool.name!r} has the drives 0 to {pool.drives - 1}"
            report("unknown-name", place, f"there is no drive {failure.drive}: {drives}")
        elif failure.drive in failed:
            report("duplicate", place, f"drive {failure.drive} fails twice", "a failed drive stays failed")
        failed.add(failure.drive)
    return len(report.problems) == before


def _losses(pool: Pool, level: Level, report: Reporter) -> None:
    """Report the first failure that must lose data, however fast a rebuild might be.

    Spare space ``k`` can have restored ``k`` drives at best, and none that failed within the delay.
    """
    order = sorted(range(len(pool.failure)), key=lambda i: pool.failure[i].at)
    members = pool.count if pool.sparing == "dedicated" else pool.drives
    gone: list[Failure] = []
    for index in order:
        failure = pool.failure[index]
        if failure.drive >= members:
            continue  # a spare: what it had taken over was safe without it
        gone.append(failure)
        restored = sum(failure.at > f.at + pool.rebuild.delay for f in gone)
        if _lost(pool, level, [f.drive for f in gone], min(pool.spares, restored)):
            names = ", ".join(f"{pool.name}.{f.drive} at {f.at:g} s" for f in gone)
            code = None if pool.raid is None else pool.raid.code
            message = (
                f"{level_name(level, code)} loses data with these drives failed and not rebuilt: {names}"
            )
            hint = "leave time and spares for a rebuild, or fail fewer drives"
            report("data-loss", f"failure.{index}", message, hint)
            return


def _lost(pool: Pool, level: Level, gone: Sequence[int], restored: int) -> bool:
    # Beyond its least, a code with groups survives by which units are lost together: the run says.
    if parity := parity_units(level, None if pool.raid is None else pool.raid.code):
        return len(gone) - restored > parity
    if level == 1:
        return len(gone) - restored >= pool.count
    # Mirrored pairs: what was restored could be any drive, so only no restoration at all is certain.
    if restored:
        return False
    if pool.sparing == "distributed":
        apart = (pool.count // 2, pool.drives - pool.count // 2)
        return any((a - b) % pool.drives in apart for a in gone for b in gone if a != b)
    pairs = [drive % (pool.count // 2) for drive in gone]
    return len(set(pairs)) < len(pairs)
