"""The controllers of several nodes as one: what a scale-out family's nodes do together.

Processors, caches and links of all nodes are pooled, which is what an even load over nodes comes to where
queues are short; the time of a request that another node holds is added to every request by its share
(N - 1)/N.
"""

from __future__ import annotations

from typing import Any

from iowatt.emerald.family.family import Family

_BACK_END = ("processors", "write_processors")


def joined(family: Family, controller: str, work: dict[str, Any], nodes: int) -> dict[str, Any]:
    """The table ``work`` of one node for ``nodes`` of them."""
    scale_out, keys = family.file.scale_out, family.controller(controller).work
    hop = 0.0 if scale_out is None else scale_out.interconnect.hop * (nodes - 1) / nodes
    if "processing" in work or hop > 0:
        processing = dict(work.get("processing", {}))
        known = keys.processing if keys is not None else None
        for name in ("read", "write"):
            own = getattr(known, name) if known is not None else 0.0
            if own + hop > 0:
                processing[name] = f"{(own + hop) * 1e6:.6g}us"
        processing["processors"] = (known.processors if known is not None else 1) * nodes
        work["processing"] = processing
    if "back_end" in work:
        back_end = dict(work["back_end"])
        used = [name for name in _BACK_END if name == "processors" or "write_command" in back_end]
        work["back_end"] = {**back_end, **{name: back_end.get(name, 1) * nodes for name in used}}
    if keys is not None and keys.host_bandwidth is not None:
        work["host_bandwidth"] = f"{keys.host_bandwidth * nodes:.10g}B/s"
    cache = None if keys is None else keys.cache
    if cache is not None:
        table = dict(work["cache"])
        table["size"] = f"{cache.size * nodes}B"
        table["destage_outstanding"] = cache.destage_outstanding * nodes
        if cache.mirror is not None:
            table["mirror"] = {**table["mirror"], "bandwidth": f"{cache.mirror.bandwidth * nodes:.10g}B/s"}
        work["cache"] = table
    return work
