"""Opening a trace, whatever its format: text goes to Rust as a path, Parquet as batches that Polars decodes.

What to read and how is a *trace spec*, a dict of plain values (`spec` makes one): the same that a plan file
holds for each workload. In place of a recorded trace it may hold a workload to be made,
``{"synthetic": plan}`` (see `model.profile.compile`). To hand a trace to Rust, call `source`; to get the
requests in Python, iterate over `requests`. Both go through the same checks in Rust.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt import core
from iowatt.base.errors import InputError
from iowatt.trace.parquet import ParquetBatches, batches, is_parquet

if TYPE_CHECKING:
    from iowatt.core import Batch


def spec(path: str | Path, **options: Any) -> dict[str, Any]:
    """The trace spec for ``path``; options that are None keep their default.

    Decoding: ``format``, ``columns``, ``time_unit``, ``sector_bytes``, ``event``, ``pattern``, ``rate_iops``,
    ``order_only``, ``device``, ``devices`` (a list), ``skip_bad``, ``order_tolerance_s``, ``include_other``.
    What is done to the trace, in this order: ``spread_s`` (with ``seed``), ``more`` (further files) with
    ``combine`` (merge, append) and ``align`` (clock, start), ``from_s``, ``to_s``, ``speed``,
    ``split_bytes``, ``max_transfer_bytes``, ``place`` ({seats: [{device, volume, offset}], align_bytes}),
    ``copies`` ({clones, stretch, span_bytes}, with ``seed``), ``limit_bytes`` with ``limit_name``.
    """
    return {"path": str(path)} | {name: value for name, value in options.items() if value is not None}


def of_all_devices(trace: Mapping[str, Any]) -> dict[str, Any]:
    """The spec with all devices, unless it names some."""
    return dict(trace) if trace.get("devices") else {"device": "*", **trace}


def source(trace: Mapping[str, Any]) -> tuple[str, ParquetBatches | TraceParts | None]:
    """What the core needs for one trace: its spec as JSON, and the batches of what is Parquet in it.

    Raises ``InputError``: a Parquet file cannot be opened. Text files are opened, and refused, by Rust.
    """
    if "synthetic" in trace:
        return _synthetic(trace["synthetic"])
    for name, value in trace.items():
        if isinstance(value, float) and not math.isfinite(value):  # JSON has no word for it
            raise InputError(
                "out-of-range", str(trace["path"]), f"{name} is {value}; expected a finite number"
            )
    alone: dict[str, Any] = {name: value for name, value in trace.items() if name != "more"}
    if not trace.get("more"):
        return _one(alone)
    paths = [str(trace["path"]), *map(str, trace["more"])]
    of_each: dict[str, Any] = {
        name: value for name, value in alone.items() if name in _OF_EACH and value is not None
    }
    if trace.get("place") is not None and not {"device", "devices"} & of_each.keys():
        of_each["device"] = "*"  # placing says what several devices mean
    of_all = {name: value for name, value in alone.items() if name not in _OF_EACH or name == "seed"}
    chosen = {name: value for name, value in of_each.items() if name in ("device", "devices")}
    if chosen:
        # A device may be in some of the traces only: which are wanted is seen when they are together.
        of_each = {name: value for name, value in of_each.items() if name not in chosen} | {"device": "*"}
    opened = [_one({**of_each, "path": path}) for path in paths]
    whole: dict[str, Any] = {
        **of_all,
        **chosen,
        "path": f"{paths[0]} and {len(paths) - 1} more",
        "parts": [json.loads(spec_json) for spec_json, _ in opened],
    }
    batches_of = TraceParts(decoded for _, decoded in opened)
    return json.dumps(whole), batches_of if any(part is not None for part in batches_of) else None


# What says how a trace is decoded, so that each of several traces needs it.
_OF_EACH: Final = frozenset((
    "format", "columns", "time_unit", "sector_bytes", "event", "pattern", "rate_iops", "order_only", "device",
    "devices", "skip_bad", "order_tolerance_s", "include_other", "spread_s", "seed",
))  # fmt: skip


class TraceParts(list["ParquetBatches | None"]):
    """The batches of several traces, ``None`` for those that Rust reads itself."""

    @property
    def progress(self) -> float:
        """Fraction of the rows of those that are Parquet."""
        known = [part.progress for part in self if part is not None]
        return sum(known) / len(known)


def _one(trace: Mapping[str, Any]) -> tuple[str, ParquetBatches | None]:
    path, format_ = str(trace["path"]), trace.get("format")
    if format_ != "parquet" and (format_ is not None or path == "-" or not is_parquet(Path(path))):
        return json.dumps(dict(trace)), None
    for option in ("event", "pattern", "rate_iops"):
        if trace.get(option) is not None:
            raise InputError("not-applicable", path, f"{option} does not apply to the format parquet")
    decoded = batches(
        path,
        columns=trace.get("columns"),
        time_unit=trace.get("time_unit"),
        sector_bytes=trace.get("sector_bytes"),
    )
    return json.dumps({**trace, "format": "parquet"}), decoded


def _synthetic(plan: Mapping[str, Any]) -> tuple[str, ParquetBatches | TraceParts | None]:
    """A workload to be made; the batches are those of the trace whose stamps it takes, where there is one."""
    decoded: ParquetBatches | TraceParts | None = None
    processes = []
    for process in plan["processes"]:
        law = process["law"]
        if law["law"] == "recorded":
            recorded, decoded = source(law["trace"])
            law = {**law, "trace": json.loads(recorded)}
        processes.append({**process, "law": law})
    return json.dumps({"synthetic": {**plan, "processes": processes}}), decoded


def requests(trace: Mapping[str, Any], *, rows: int = 65_536) -> TraceRequests:
    """Open any trace for reading by batches of at most ``rows`` requests.

    Raises ``InputError``: the trace cannot be opened; later, on iteration, what is wrong with a record.
    """
    return TraceRequests(trace, rows)


class TraceRequests(Iterator["Batch"]):
    """The requests of a trace in time order, as dicts of arrays (names and units: see `ParquetBatches`)."""

    def __init__(self, trace: Mapping[str, Any], rows: int) -> None:
        spec_json, self._decoded = source(trace)
        self._rows = rows
        self._reader = core.open_trace(spec_json, self._decoded)

    def __iter__(self) -> TraceRequests:
        return self

    def __next__(self) -> Batch:
        batch = self._reader.read(self._rows)
        if batch is None:
            raise StopIteration
        return batch

    @property
    def devices(self) -> list[str]:
        """Names of the devices seen so far."""
        return self._reader.devices()

    @property
    def streams(self) -> list[str]:
        """Names of the streams seen so far."""
        return self._reader.streams()

    @property
    def progress(self) -> float | None:
        """Fraction of the input consumed so far, where it can be known."""
        if self._decoded is not None:
            return self._decoded.progress
        return self._reader.progress()

    def summary(self) -> dict[str, Any]:
        """What was read, skipped and put in order so far."""
        return dict(json.loads(self._reader.summary()))
