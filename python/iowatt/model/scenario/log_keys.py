"""Keys of a log of parity updates: what makes one, where it has no effect, what contradicts it."""

from __future__ import annotations

from typing import Final

from iowatt.base.problems import Reporter
from iowatt.base.units import format_bytes
from iowatt.model import raid
from iowatt.model.parity_log import ParityLog
from iowatt.model.scenario.keys.array import Pool, Raid
from iowatt.model.scenario.resolved import ResolvedSystem

MUCH_MEMORY: Final = 16 << 30
"""Battery-backed bytes for a log of parity updates from which its reader is warned."""

_KEYS = ("log", "log_buffer", "log_run", "log_regions")


def logs_parity(keys: Raid | None) -> bool:
    """Whether small writes of a pool of whole drives are logged."""
    return (
        keys is not None and keys.small_write == "parity-log" and raid.parity_units(keys.level, keys.code) > 0
    )


def check_log_keys(pool: Pool, report: Reporter, system: ResolvedSystem) -> None:
    """Report what contradicts a log; note keys that change nothing."""
    keys = pool.raid
    if keys is None:
        return
    if keys.small_write != "parity-log":
        if unused := [key for key in _KEYS if key in keys.model_fields_set]:
            _note(pool, system, f"{unused[0]} has no effect without small_write = 'parity-log'")
        return
    if pool.chunklet is not None:
        return  # refused where its sets are
    if not logs_parity(keys):
        _note(pool, system, f"small_write = 'parity-log' has no effect: level {keys.level} has no parity")
    elif keys.parity_check_on_read:
        message = "parity whose updates are still in the log cannot be checked against data"
        report("conflict", "raid.parity_check_on_read", message, "leave it out, or small_write")
    elif pool.sparing == "distributed" and pool.spares:
        message = "spare space between the data leaves no parity together that a log could update at once"
        report("unsupported", "sparing", message, "dedicated")


def parity_log(pool: Pool, drive_bytes: int, report: Reporter, system: ResolvedSystem) -> ParityLog | None:
    """The log of a pool of whole drives of so many bytes, with what must be known of it; None without."""
    keys = pool.raid
    if keys is None or not logs_parity(keys) or raid.count_problem(keys.level, pool.count, keys.code):
        return None
    unit = keys.stripe_unit
    log = ParityLog(
        data=raid.data_drives(keys.level, pool.count, keys.code),
        parity=raid.parity_units(keys.level, keys.code),
        stripe_unit=unit,
        drive_bytes=int(keys.log * drive_bytes) // unit * unit,
        regions=keys.log_regions,
        run_bytes=keys.log_run,
        buffer_bytes=keys.log_buffer,
    )
    if (problem := log.problem(drive_bytes)) is not None:
        key, message, hint = problem
        report("out-of-range", f"raid.{key}", message, hint)
        return None
    buffers, half = (format_bytes(size, binary=True) for size in (log.buffer_memory_bytes, log.half_bytes))
    text = (
        f"pool {pool.name!r}: the log of parity updates takes {keys.log:.3g} of each drive, and of the "
        f"controller's battery-backed memory {buffers} for buffers and {half} for a log that is being "
        "reintegrated"
    )
    if log.buffer_memory_bytes + log.half_bytes > MUCH_MEMORY:
        text += (
            f": more than {format_bytes(MUCH_MEMORY, binary=True)}, which few controllers have; a smaller "
            "share (raid.log) or more regions (raid.log_regions) need less"
        )
        system.note("parity-log-memory", text, decides=True)
    else:
        system.note("parity-log", text)
    if pool.failure:
        text = (
            f"pool {pool.name!r}: from the first failure on, small writes update parity in place; those of "
            "stripes with logged updates wait until the logs are reintegrated"
        )
        system.note("parity-log-ends", text)
    return log


def _note(pool: Pool, system: ResolvedSystem, text: str) -> None:
    system.note("raid-key-unused", f"pool {pool.name!r}: {text}", decides=True)
