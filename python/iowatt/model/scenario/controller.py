"""The array controller of a scenario: contradictions between its keys, notes, and its part of the plan."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from math import lcm
from typing import Any, Final

from iowatt.base.digits import apart
from iowatt.base.problems import KeyPath, Problem
from iowatt.base.results import Note
from iowatt.base.units import format_bytes
from iowatt.model import cache_policies
from iowatt.model.scenario.keys.controller import (
    BackEndKeys,
    CacheKeys,
    ControllerKeys,
    LossKeys,
    NodesKeys,
    Processing,
)

#: Most parts of a cache line whose state, valid or dirty, the simulator tracks one by one.
MOST_PARTS: Final = 64
#: How much of a line is read and written, by ``adaptive``.
TRANSFERS: Final = {None: "mixed", False: "whole", True: "needed"}

PATH: Final[KeyPath] = ("array", "controller")


def part_bytes(line: int, sectors: Sequence[int]) -> int | None:
    """Bytes of the parts of a line: sectors, or a 64th where it has more; None where it has no such parts."""
    sector = lcm(*sectors)
    if line % sector:
        return None
    if line <= MOST_PARTS * sector:
        return sector
    return line // MOST_PARTS if line % (MOST_PARTS * sector) == 0 else None


def problems(controller: ControllerKeys | None, sectors: Sequence[int]) -> Iterator[Problem]:
    """Contradictions between the keys of a controller; ``sectors`` are those of the pools, bytes."""
    if controller is None:
        return
    cache = controller.cache if controller.cache and controller.cache.size else None
    part = (lcm(*sectors) if cache is None else part_bytes(cache.line, sectors)) if sectors else None
    if controller.split is not None and part is not None and controller.split % part:
        unit = "sectors" if cache is None else "parts of cache lines"
        message = f"{controller.split} bytes are not a whole number of {unit}, {part} bytes each"
        yield Problem("not-accepted", (*PATH, "split"), message, f"use a multiple of {part}")
    if cache is not None:
        yield from _of_cache(cache, sectors)
        yield from _of_read_ahead(cache)
        yield from _of_losses(controller.loss, cache, controller.nodes)
    yield from _of_nodes(controller)


def _of_cache(cache: CacheKeys, sectors: Sequence[int]) -> Iterator[Problem]:
    path: KeyPath = (*PATH, "cache")
    if sectors and part_bytes(cache.line, sectors) is None:
        sector = lcm(*sectors)
        if cache.line % sector:
            message = f"{cache.line} bytes are not a multiple of the drives' sector, {sector} bytes"
            hint = f"use a multiple of {sector}"
        else:
            message = f"{cache.line} bytes do not divide into {MOST_PARTS} parts of whole sectors"
            hint = f"use a multiple of {MOST_PARTS * sector}, or {MOST_PARTS * sector} or less"
        yield Problem("not-accepted", (*path, "line"), message, hint)
    if cache.size < cache.line:
        message = f"{cache.size} bytes are less than one line of {cache.line} bytes"
        yield Problem("out-of-range", (*path, "size"), message, "0B is no cache")
    elif cache.size // cache.line >= 2**32 - 1:
        message = f"{cache.size // cache.line} lines are more than the simulator can number"
        yield Problem("out-of-range", (*path, "size"), message, "use longer lines")
    yield from cache_policies.replacement_problems(
        cache.replacement, cache.replacement_parameters, (*path, "replacement_parameters")
    )
    if cache.low_watermark > cache.high_watermark:
        low = apart(cache.low_watermark, cache.high_watermark, 1)
        message = f"{low} is above high_watermark, {cache.high_watermark:g}"
        yield Problem("conflict", (*path, "low_watermark"), message)
    if cache.destage_bytes % cache.line:
        message = f"{cache.destage_bytes} bytes are not a multiple of the line, {cache.line} bytes"
        yield Problem("not-accepted", (*path, "destage_size"), message, f"use a multiple of {cache.line}")


def _of_read_ahead(cache: CacheKeys) -> Iterator[Problem]:
    path: KeyPath = (*PATH, "cache")
    ahead = cache.read_ahead
    if ahead is not None and not cache.read:
        yield Problem(
            "conflict", (*path, "read_ahead"), "needs a cache that keeps what is read", "set read = true"
        )
    if ahead is not None and ahead.start > ahead.most:
        message = f"{ahead.start} bytes are more than most, {ahead.most} bytes"
        yield Problem("conflict", (*path, "read_ahead", "start"), message)


def _of_nodes(controller: ControllerKeys) -> Iterator[Problem]:
    nodes, processing, cache = controller.nodes, controller.processing, controller.cache
    if nodes is None:
        return
    if processing is not None and processing.processors % nodes.count:
        message = f"{processing.processors} processors do not share out over {nodes.count} nodes"
        where: KeyPath = (*PATH, "processing", "processors")
        yield Problem("conflict", where, message, f"use a multiple of {nodes.count}")
    if cache is not None and cache.mirror is not None:
        message = "nodes copy what is written over their mesh"
        yield Problem("conflict", (*PATH, "cache", "mirror"), message, "leave it out")


def _of_losses(losses: Sequence[LossKeys], cache: CacheKeys, nodes: NodesKeys | None) -> Iterator[Problem]:
    for number, loss in enumerate(losses):
        path: KeyPath = (*PATH, "loss", number)
        if loss.back is not None and loss.back <= loss.at:
            yield Problem(
                "conflict", (*path, "back"), f"{loss.back:g} s is not after the loss, {loss.at:g} s"
            )
        alone = cache.mirror is None and nodes is None
        if loss.of == "controller" and cache.write == "back" and alone:
            message = "without a mirror the only copy of dirty data would be lost with the controller"
            yield Problem("data-loss", (*path, "of"), message, "give array.controller.cache.mirror")
        for other in losses[:number]:
            ends = [math.inf if one.back is None else one.back for one in (loss, other)]
            if other.of == loss.of and loss.at < ends[1] and other.at < ends[0]:
                message = f"the {loss.of} that fails at {other.at:g} s is not back by then"
                yield Problem("conflict", (*path, "at"), message, "let one return before the other fails")


def notes(controller: ControllerKeys | None, sectors: Sequence[int]) -> Iterator[Note]:
    """What a reader must know about a controller without problems."""
    cache = None if controller is None else controller.cache
    if cache is None or cache.size == 0 or not sectors:
        return
    part = part_bytes(cache.line, sectors)
    if part is not None and part > min(sectors):
        size = format_bytes(part, binary=True)
        text = f"cache: requests are rounded out to {size}, the parts of its lines"
        yield Note(code="cache-line-parts", text=text)


def plan(controller: ControllerKeys | None) -> dict[str, Any] | None:
    """The controller's part of a plan; None where it would do nothing."""
    if controller is None:
        return None
    cache, processing = controller.cache, controller.processing
    if cache is not None and cache.size == 0:
        cache = None
    services = controller.split is not None or controller.zero_detect
    back_end = _back_end(controller.back_end)
    parts = (cache, processing, back_end, controller.host_bandwidth, controller.nodes)
    if all(part is None for part in parts) and not services:
        return None
    return {
        "processing": None if processing is None else _processing(processing),
        **({} if back_end is None else {"back_end": back_end}),
        "host_bandwidth_bytes_per_s": controller.host_bandwidth,
        "cache": None if cache is None else _cache(cache),
        "split": None
        if controller.split is None
        else {"bytes": controller.split, "outstanding": controller.split_outstanding},
        "zero_detect": controller.zero_detect,
        **({} if controller.nodes is None else {"nodes": _nodes(controller.nodes)}),
        "losses": []
        if cache is None
        else [{"of": loss.of, "at_s": loss.at, "back_s": loss.back} for loss in controller.loss],
    }


def _processing(processing: Processing) -> dict[str, Any]:
    held = processing.moderation
    return {
        "read_s": processing.read,
        "write_s": processing.write,
        "processors": processing.processors,
        **({"ready_s": processing.ready} if processing.ready else {}),
        **({"interrupt_s": processing.interrupt} if processing.interrupt else {}),
        **({} if held is None else {"moderation_s": held.delay, "moderation_count": held.count}),
    }


def _nodes(nodes: NodesKeys) -> dict[str, Any]:
    by_extent = {"by": "extent", "bytes": nodes.extent}
    return {
        "count": nodes.count,
        "mesh_bytes_per_s": nodes.mesh.bandwidth,
        "mesh_latency_s": nodes.mesh.latency,
        "ownership": by_extent if nodes.ownership == "extent" else {"by": "volume"},
    }


def _back_end(back_end: BackEndKeys | None) -> dict[str, Any] | None:
    """None where no command takes time."""
    if back_end is None or back_end.command == back_end.write_command == 0:
        return None
    return {
        "command_s": back_end.command,
        "processors": back_end.processors,
        "write_command_s": back_end.write_command,
        "write_processors": back_end.write_processors,
    }


def _cache(cache: CacheKeys) -> dict[str, Any]:
    return {
        "capacity_bytes": cache.size,
        "line_bytes": cache.line,
        "replacement": cache_policies.replacement_plan(cache.replacement, cache.replacement_parameters),
        "read": cache.read,
        "write": cache.write,
        "high_watermark": cache.high_watermark,
        "low_watermark": cache.low_watermark,
        "destage_bytes": cache.destage_bytes,
        "destage_outstanding": cache.destage_outstanding,
        "destage": cache.destage,
        "transfers": TRANSFERS[cache.adaptive],
        "read_ahead": None
        if cache.read_ahead is None
        else {
            "streams": cache.read_ahead.streams,
            "after": cache.read_ahead.after,
            "least_bytes": cache.read_ahead.start,
            "most_bytes": cache.read_ahead.most,
            "share": cache.read_ahead.share,
        },
        "mirror": None
        if cache.mirror is None or cache.write != "back"
        else {"bandwidth_bytes_per_s": cache.mirror.bandwidth, "latency_s": cache.mirror.latency},
    }
