"""Keys of redundancy that have no effect, or contradict the power policy."""

from __future__ import annotations

from typing import Final

from iowatt.base.problems import Reporter
from iowatt.model.raid import EC
from iowatt.model.scenario.keys.array import Pool
from iowatt.model.scenario.keys.power import NeverPolicy, OracleEnergyPolicy, OracleLatencyPolicy
from iowatt.model.scenario.resolved import ResolvedSystem

_PARITY: Final = (4, 5, 6, EC)
_MIRRORS: Final = (1, 10)


def check_raid_keys(pool: Pool, report: Reporter, system: ResolvedSystem) -> None:
    """Report a steering of reads that an oracle cannot foresee; note keys that change nothing.

    Keys without effect are no error, so that a sweep may vary the level beside them.
    """
    keys = pool.raid
    if keys is None:
        return
    steered = keys.mirror_reads != "shorter-queue"
    if steered and isinstance(pool.power, OracleEnergyPolicy | OracleLatencyPolicy):
        message = "an oracle's idle periods are those of drives that spin, which mirror_reads would change"
        report("conflict", "power", message, 'leave out raid.mirror_reads, or use "two-competitive"')
    whole = pool.chunklet is None
    if keys.parity_check_on_read and whole and keys.level not in _PARITY:
        _note(pool, system, f"parity_check_on_read has no effect: level {keys.level} has no parity")
    if steered and whole and keys.level not in _MIRRORS:
        _note(pool, system, f"mirror_reads has no effect: level {keys.level} has no copies")
    elif keys.mirror_reads == "spinning" and isinstance(pool.power, NeverPolicy):
        _note(pool, system, "mirror_reads = 'spinning' has no effect: all drives always spin")


def _note(pool: Pool, system: ResolvedSystem, text: str) -> None:
    system.note("raid-key-unused", f"pool {pool.name!r}: {text}", decides=True)
