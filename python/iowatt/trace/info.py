"""The statistics of a trace, as `iowatt trace info` prints them: one pass in Rust over any format."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from iowatt import core
from iowatt.base.results import Note
from iowatt.trace import units
from iowatt.trace.info_result import TraceInfo
from iowatt.trace.open import of_all_devices, source

AS_READ: Final = "as-read"
"""Code of notes on how a trace was read: what was assumed, passed over, or done to it."""

LIKELY_MISTAKE: Final = "likely-mistake"
"""Code of warnings that figures of a trace look like a mistake of units or columns."""

NOT_WHOLE_SECTORS: Final = "not-whole-sectors"
"""Code of the warning that sizes look like counts of sectors."""

Progress = Callable[[float | None, int], None]


def info(trace: Mapping[str, Any], *, progress: Progress | None = None) -> TraceInfo:
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

    found = json.loads(core.trace_info(decoded, spec_json, report if progress else None))
    del found["schema"]
    doubts = units.doubt(trace, {"format": found["format"], **found["requests"]})
    found["notes"] = [Note(code=AS_READ, text=text) for text in found["notes"]]
    found["warnings"] = [
        *(Note(code=LIKELY_MISTAKE, text=text, decides=True) for text in found["warnings"]),
        *(Note(code=NOT_WHOLE_SECTORS, text=text, decides=True) for text in doubts),
    ]
    return TraceInfo(**found)
