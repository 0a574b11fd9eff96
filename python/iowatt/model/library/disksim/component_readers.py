"""One reader for each component around the disks: from a block to its dataclass. All raise InputError."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from iowatt.base.errors import InputError
from iowatt.model.library.disksim import system_parameters as tables
from iowatt.model.library.disksim.components import (
    Array,
    Bus,
    CacheDevice,
    CacheMemory,
    Controller,
    Driver,
    Trace,
    TraceDevice,
)
from iowatt.model.library.disksim.grammar import names
from iowatt.model.library.disksim.kinds import numbers
from iowatt.model.library.disksim.parameter import convert, read_fields, sub_block
from iowatt.model.library.disksim.scheduler import Scheduler, read_scheduler
from iowatt.model.library.disksim.tree import Block

Read = TypeVar("Read")
Reader: TypeAlias = Callable[[Block, list[str]], Read]


def read_driver(block: Block, warnings: list[str]) -> Driver:
    """A ``disksim_iodriver``."""
    return Driver(**read_fields(block, tables.DRIVER, warnings), scheduler=_scheduler(block, warnings))


def read_bus(block: Block, warnings: list[str]) -> Bus:
    """A ``disksim_bus``."""
    return Bus(**read_fields(block, tables.BUS, warnings))


def read_controller(block: Block, warnings: list[str]) -> Controller:
    """A ``disksim_ctlr``."""
    fields = read_fields(block, tables.CONTROLLER, warnings)
    scheduler = _scheduler(block, warnings) if "Scheduler" in block.entries else None
    return Controller(**fields, scheduler=scheduler, cache=_cache(block, warnings))


def read_array(block: Block, warnings: list[str]) -> Array:
    """A ``disksim_logorg``."""
    fields = read_fields(block, tables.ARRAY, warnings)
    return Array(name=block.name, drives=_devices(block), **fields)


def read_syncset(block: Block, warnings: list[str]) -> tuple[str, ...]:
    """The drives of a ``disksim_syncset``."""
    read_fields(block, tables.SYNCSET, warnings)
    return _devices(block)


def read_trace(block: Block, warnings: list[str]) -> Trace:
    """A ``disksim_iosim``."""
    fields = read_fields(block, tables.TRACE, warnings)
    entry = block.entries.get("I/O Mappings")
    listed = entry.value if entry else []
    if not isinstance(listed, list):
        raise InputError(
            "wrong-type",
            block.where("I/O Mappings"),
            "'I/O Mappings' must be a list of disksim_iomap { ... }",
        )
    devices = []
    for item in listed:
        if not isinstance(item, Block) or item.type != "disksim_iomap":
            raise InputError(
                "wrong-type", block.where("I/O Mappings"), "a mapping must be a disksim_iomap { ... }"
            )
        devices.append(TraceDevice(**read_fields(item, tables.TRACE_DEVICE, warnings)))
    return Trace(**fields, devices=tuple(devices))


def _scheduler(block: Block, warnings: list[str]) -> Scheduler:
    return read_scheduler(sub_block(block, "Scheduler", "disksim_ioqueue"), warnings)


def _cache(block: Block, warnings: list[str]) -> CacheMemory | CacheDevice | None:
    if "Cache" not in block.entries:
        return None
    cache = sub_block(block, "Cache", "disksim_cachemem", "disksim_cachedev")
    if cache.type == "disksim_cachedev":
        return CacheDevice(**read_fields(cache, tables.CACHE_DEVICE, warnings))
    fields = read_fields(cache, tables.CACHE_MEMORY, warnings)
    shares = convert(cache, "SLRU segments", numbers) if "SLRU segments" in cache.entries else (1.0,)
    return CacheMemory(**fields, lru_shares=shares)


def _devices(block: Block) -> tuple[str, ...]:
    return names(block.entries["devices"].value, block.where("devices"))
