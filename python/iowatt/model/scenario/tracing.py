"""A workload's trace as the reader wants it: the files that it stands for, and what is done to it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from iowatt.model.profile.recorded_trace import Trace


def trace_options(trace: Trace, seed: int, *, order_only: bool) -> dict[str, Any]:
    """The keys of a trace spec (`iowatt.trace.open.spec`) that a scenario gives where it wants them.

    ``order_only``: completions set the pace, stamps only the order.
    """
    given: dict[str, Any] = {
        "devices": trace.devices,
        "pattern": trace.pattern,
        "rate_iops": trace.rate_iops,
        "spread_s": trace.spread,
        "from_s": trace.start,
        "to_s": trace.end,
        "split_bytes": trace.split,
        "max_transfer_bytes": trace.max_transfer,
        "place": _place(trace),
    }
    options = {name: value for name, value in given.items() if value is not None}
    if trace.spread is not None:
        options["seed"] = seed
    if trace.more:
        align = "clock" if trace.clock == "recorded" else "start"
        options |= {"more": list(trace.more), "combine": trace.combine, "align": align}
    if order_only:
        options["order_only"] = True
    return options


def _place(trace: Trace) -> dict[str, Any] | None:
    if trace.place is None:
        return None
    placed = {} if trace.place == "end-to-end" else trace.place
    seats = [{"device": device, "offset": offset} for device, offset in placed.items()]
    return {"seats": seats, "align_bytes": trace.place_align}


def recorded(path: Path) -> list[Path]:
    """The files that ``path`` stands for: itself, or those of all CPUs of a blktrace recording."""
    if path.exists() or not path.parent.is_dir():
        return [path]
    of_a_cpu = re.compile(re.escape(path.name) + r"\.blktrace\.(\d+)")
    found = [(match, file) for file in path.parent.iterdir() if (match := of_a_cpu.fullmatch(file.name))]
    return [file for _, file in sorted(found, key=lambda pair: int(pair[0][1]))] or [path]
