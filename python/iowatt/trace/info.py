"""The statistics of a trace, as `iowatt trace info` prints them: one pass in Rust over any format."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from iowatt import core
from iowatt.trace import units
from iowatt.trace.open import of_all_devices, source

Progress = Callable[[float | None, int], None]


def info(trace: Mapping[str, Any], *, progress: Progress | None = None) -> dict[str, Any]:
    """Read a whole trace (a spec, see `iowatt.trace.open.spec`) and count.

    All devices are read unless the spec names one.

    Raises
    ------
    InputError
        The trace cannot be read, or a record in it is wrong.
    """
    spec_json, decoded = source(of_all_devices(trace))

    def report(fraction: float | None, requests: int) -> None:
        if progress is not None:
            progress(fraction if decoded is None else decoded.progress, requests)

    found = dict(json.loads(core.trace_info(decoded, spec_json, report if progress else None)))
    found["warnings"].extend(units.doubt(trace, {"format": found["format"], **found["requests"]}))
    return found
