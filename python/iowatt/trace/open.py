"""Opening a trace, whatever its format: text goes to Rust as a path, Parquet as batches that Polars decodes.

What to read and how is a *trace spec*, a dict of plain values (`spec` makes one): the same that a plan file
holds for each workload. In place of a recorded trace it may hold a workload to be made,
``{"synthetic": plan}`` (see `iowatt.workload.compile`). Whoever hands a trace to Rust calls `source`; whoever
wants the requests in Python iterates over `requests`. Both go through the same checks in Rust.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iowatt import _core
from iowatt.errors import InputError
from iowatt.trace.parquet import ParquetBatches, batches, is_parquet

if TYPE_CHECKING:
    from iowatt._core import Batch


def spec(path: str | Path, **options: Any) -> dict[str, Any]:
    """The trace spec for ``path``; options that are None keep their default.

    Options are ``format``, ``columns``, ``time_unit``, ``sector_bytes``, ``event``, ``device``, ``skip_bad``,
    ``order_tolerance_s``, ``include_other``, ``limit_bytes`` and ``limit_name``.
    """
    return {"path": str(path)} | {name: value for name, value in options.items() if value is not None}


def source(trace: Mapping[str, Any]) -> tuple[str, ParquetBatches | None]:
    """What ``_core`` wants for one trace: its spec as JSON, and the batches where the trace is Parquet.

    Raises
    ------
    InputError
        A Parquet file cannot be opened. Text files are opened, and refused, by Rust.
    """
    if "synthetic" in trace:
        return _synthetic(trace["synthetic"])
    path, format_ = str(trace["path"]), trace.get("format")
    if format_ != "parquet" and (format_ is not None or path == "-" or not is_parquet(Path(path))):
        return json.dumps(dict(trace)), None
    if trace.get("event") is not None:
        raise InputError(
            "event does not apply to the format parquet, only to blkparse and hp-srt", where=path
        )
    decoded = batches(
        path,
        columns=trace.get("columns"),
        time_unit=trace.get("time_unit"),
        sector_bytes=trace.get("sector_bytes"),
    )
    return json.dumps({**trace, "format": "parquet"}), decoded


def _synthetic(plan: Mapping[str, Any]) -> tuple[str, ParquetBatches | None]:
    """A workload to be made; the batches are those of the trace whose stamps it takes, where there is one."""
    decoded = None
    processes = []
    for process in plan["processes"]:
        law = process["law"]
        if law["law"] == "recorded":
            recorded, decoded = source(law["trace"])
            law = {**law, "trace": json.loads(recorded)}
        processes.append({**process, "law": law})
    return json.dumps({"synthetic": {**plan, "processes": processes}}), decoded


def requests(trace: Mapping[str, Any], *, rows: int = 65_536) -> Requests:
    """Open any trace for reading by batches of at most ``rows`` requests.

    Raises
    ------
    InputError
        The trace cannot be opened; later, on iteration, what is wrong with a record.
    """
    return Requests(trace, rows)


class Requests(Iterator["Batch"]):
    """The requests of a trace in time order, as dicts of arrays (names and units: see `ParquetBatches`)."""

    def __init__(self, trace: Mapping[str, Any], rows: int) -> None:
        spec_json, self._decoded = source(trace)
        self._rows = rows
        self._reader = _core.open_trace(spec_json, self._decoded)

    def __iter__(self) -> Requests:
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
