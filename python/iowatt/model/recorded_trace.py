"""A recorded trace as input: its file, its format, and how it is read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from iowatt.base.errors import InputError
from iowatt.base.quantity import BlockSize, Capacity, Duration
from iowatt.base.strict import Strict, key

#: A column of a table without a header, from 0.
ColumnNumber = Annotated[int, Field(ge=0, le=9999)]

TraceFormat = Literal[
    "disksim-ascii",
    "disksim-validate",
    "hp-srt",
    "spc",
    "msr",
    "fiu",
    "blkparse",
    "blktrace",
    "perf",
    "strace",
    "fio-iolog",
    "alibaba",
    "tencent",
    "systor",
    "vscsi",
    "oracle-general",
    "lcs",
    "arc",
    "lirs",
    "mqsim",
    "etw",
    "csv",
    "parquet",
    "regex",
]
TraceColumn = Literal["time", "op", "offset", "lba", "size", "sectors", "device", "stream", "response"]


class TraceKeys(Strict):
    """A recorded stream of block requests."""

    path: str = key(
        "The trace file, relative to the scenario's directory; `-` is standard input. Compressed files "
        "(.gz, .zst) are read as they are. Of a blktrace recording, the name without `.blktrace.N` stands "
        "for the files of all CPUs.",
        example="traces/pg_tpcc_paced_excerpt.parquet",
        min_length=1,
    )
    format: TraceFormat | None = key(
        "The trace's format.", unset="detected from the name and the first bytes", example="msr"
    )
    columns: dict[TraceColumn, str | ColumnNumber] | None = key(
        "Columns of a CSV file, by header, or by number from 0 in a file without headers "
        "(`{ time = 0, op = 1, lba = 2, sectors = 3 }`). `lba` and `sectors` in place of "
        "`offset` and `size` count sectors.",
        unset="headers are matched against common names",
        example={"time": "Timestamp", "offset": "LBA"},
    )
    time_unit: Literal["s", "ms", "us", "ns", "ps"] | None = key(
        "Time unit of a CSV file, of a regex's group `time`, or of an mqsim trace (also ps).",
        unset="from the header or group (time_us), an error if it has no unit; ns for mqsim",
        example="ms",
    )
    sector_size: BlockSize | None = key(
        "Sector size, in bytes, of the trace's addresses.",
        unset="the format's default, usually 512 bytes",
        example="4096",
        gt=0,
        le=2**32 - 1,
    )
    event: Literal["Q", "D", "C"] | None = key(
        "Event of blkparse, blktrace, perf, hp-srt and etw taken as the arrival. Q queued, D sent to the "
        "device, C completed.",
        unset="Q; D for perf",
        example="D",
    )
    device: str | None = key(
        "Device of the trace to replay; `*` overlays all devices on one address space.",
        unset="the only device; an error if there are several, unless `devices` or `place` is given",
        example="8,0",
    )
    devices: list[str] | None = key(
        "Devices of the trace to replay, in place of `device`; overlaid on one address space unless `place` "
        "gives them different offsets.",
        unset="see `device`",
        example=["hm.0", "hm.1"],
        min_length=1,
    )
    pattern: str | None = key(
        "For format regex: regular expression of a line, with groups named time_us, op (or read, "
        "write, trim, flush), offset or lba, size or sectors, device, stream, response_us.",
        unset="required by the format regex, refused by the others",
        example=r"(?<time_s>[\d.]+) (?<op>R|W) (?<lba>\d+) (?<sectors>\d+)",
        min_length=1,
    )
    rate_iops: float | None = key(
        "Requests per second of a trace without times (arc, lirs, fio-iolog without waits).",
        unset="required by such a trace, unless its replay is closed",
        unit="requests per second",
        example=500,
        within=(1e-6, 1e9),
    )
    skip_bad: int = key(
        "Maximum number of malformed records to skip; they are counted.", default=0, ge=0, example=100
    )
    order_tolerance: Duration | None = key(
        "How far timestamps may be out of order; requests within it are re-sorted, beyond it the trace is "
        "rejected.",
        unset="the format's default, 1 ms to 60 s",
        example="10ms",
    )
    spread: Duration | None = key(
        "Clock tick of coarse timestamps: requests with equal timestamps are spread uniformly over it, in "
        "order, by the scenario's seed.",
        unset="timestamps are used as they are",
        example="1s",
        gt=0,
    )
    more: list[Annotated[str, Field(min_length=1)]] = key(
        "Additional trace files to combine with `path`, read with the same options.",
        default=[],
        example=["traces/usr_0.csv.gz"],
    )
    combine: Literal["merge", "append"] = key(
        "How files are combined. merge: by time, with the devices of each file kept apart. append: one after "
        "another, equal device names being the same device.",
        default="merge",
        example="append",
    )
    clock: Literal["recorded", "start"] = key(
        "recorded: UTC timestamps keep their offsets between files. start: each file begins "
        "at time 0 (merge), or where the previous one ended (append).",
        default="recorded",
        example="start",
    )
    start: Duration | None = key(
        "Skip requests before this time of the trace; it becomes time 0.",
        unset="the first request",
        example="10min",
    )
    end: Duration | None = key(
        "Skip requests from this time of the trace on.", unset="the last request", example="20min", gt=0
    )
    split: BlockSize | None = key(
        "Split requests at multiples of this size.",
        unset="requests are not split",
        example="4KiB",
        within=(512, 2**32),
    )
    max_transfer: BlockSize | None = key(
        "Split requests into pieces of at most this size.",
        unset="requests are not split",
        example="128KiB",
        within=(512, 2**32),
    )
    place: Literal["end-to-end"] | dict[str, Capacity] | None = key(
        "Placement of the trace's devices in the volume. end-to-end: one after another in order of "
        "appearance, aligned to `place_align`; the trace is read twice. Otherwise, the offset of each "
        "device.",
        unset="devices are not moved; several overlap if `device` or `devices` names them",
        example={"sda": "0B", "sdb": "100GiB"},
    )
    place_align: BlockSize = key(
        "Alignment of devices placed end to end.",
        default=2**20,
        example="1MiB",
        gt=0,
        le=2**50,
    )
    clones: int = key(
        "Number of concurrent tenants that each replay the trace on their own data, from a random start "
        "point set by the scenario's seed (the trace wraps around). Multiplies the requests. The trace is "
        "held in memory.",
        default=1,
        within=(1, 2**20),
        example=20,
    )
    stretch: int = key(
        "Number of address spaces over which the data of the trace, or of each clone, is spread: each visit "
        "to a 1 MiB extent goes to a random one. Runs, sizes and times stay; data is reused less often.",
        default=1,
        within=(1, 2**20),
        example=50,
    )
    span: Capacity | None = key(
        "Part of the volume over which the address spaces of `clones` and `stretch` are evenly spaced.",
        unset="they are contiguous",
        example="100TiB",
        gt=0,
        le=2**63,
    )


def trace_spec(trace: TraceKeys, seed: int, *, order_only: bool) -> dict[str, Any]:
    """The trace spec (`iowatt.trace.open.spec`) of these keys.

    ``order_only``: completions set the pace, stamps only the order.
    """
    return {**decoding_spec(trace), **_options(trace, seed, order_only=order_only)}


def decoding_spec(trace: TraceKeys) -> dict[str, Any]:
    """Of a trace spec what says how the file is decoded."""
    return {
        "path": trace.path,
        "format": trace.format,
        "columns": None if trace.columns is None else dict(trace.columns),
        "time_unit": trace.time_unit,
        "sector_bytes": trace.sector_size,
        "event": trace.event,
        "device": trace.device,
        "skip_bad": trace.skip_bad,
        "order_tolerance_s": trace.order_tolerance,
    }


def _options(trace: TraceKeys, seed: int, *, order_only: bool) -> dict[str, Any]:
    """What is given only where it is wanted."""
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
        "copies": _copies(trace),
    }
    options = {name: value for name, value in given.items() if value is not None}
    if trace.spread is not None or "copies" in options:
        options["seed"] = seed
    if trace.more:
        align = "clock" if trace.clock == "recorded" else "start"
        options |= {"more": list(trace.more), "combine": trace.combine, "align": align}
    if order_only:
        options["order_only"] = True
    return options


def _place(trace: TraceKeys) -> dict[str, Any] | None:
    if trace.place is None:
        return None
    placed = {} if trace.place == "end-to-end" else trace.place
    seats = [{"device": device, "offset": offset} for device, offset in placed.items()]
    return {"seats": seats, "align_bytes": trace.place_align}


def _copies(trace: TraceKeys) -> dict[str, Any] | None:
    if trace.clones == trace.stretch == 1 and trace.span is None:
        return None
    span = {} if trace.span is None else {"span_bytes": trace.span}
    return {"clones": trace.clones, "stretch": trace.stretch, **span}


def recorded(path: Path) -> list[Path]:
    """The files that ``path`` stands for: itself, or those of all CPUs of a blktrace recording."""
    if path.exists() or not path.parent.is_dir():
        return [path]
    of_a_cpu = re.compile(re.escape(path.name) + r"\.blktrace\.(\d+)")
    found = [(match, file) for file in path.parent.iterdir() if (match := of_a_cpu.fullmatch(file.name))]
    return [file for _, file in sorted(found, key=lambda pair: int(pair[0][1]))] or [path]


def existing(path: Path) -> Path:
    """``path``; ``InputError`` where there is no such trace file."""
    if not all(file.is_file() for file in recorded(path)):
        raise InputError("not-found", str(path), "no such trace file")
    return path
