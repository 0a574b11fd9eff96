"""Any trace to CSV or Parquet in the native columns, in one pass and in bounded memory.

Polars pulls batches from a generator and writes them as they come (its streaming engine holds a few of them
at a time), so that neither the input nor the output is ever in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import polars as pl

from iowatt.base import frames
from iowatt.base.atomic_path import file
from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.trace.columns import sector_doubt
from iowatt.trace.decode import NO_RESPONSE, NO_STREAM, OPS
from iowatt.trace.open import TraceRequests, of_all_devices, requests
from iowatt.trace.result import AS_READ, LIKELY_MISTAKE, NOT_WHOLE_SECTORS, ConvertedTrace

if TYPE_CHECKING:
    from iowatt.core import Batch

Progress = Callable[[float | None, int], None]
Compression = Literal["uncompressed", "gzip", "zstd"]

# Row groups of this many requests keep the reader's memory small at 2 % of the file's size.
ROW_GROUP_ROWS: Final = 262_144

# A plain dict cannot say that the categories grow; Categorical can, and is a Parquet dictionary string.
SCHEMA: Final[dict[str, pl.DataType]] = {
    "time_ns": pl.Int64(),
    "device": pl.Categorical(),
    "op": pl.Enum(OPS),
    "offset": pl.UInt64(),
    "size": pl.UInt32(),
    "response_ns": pl.Int64(),
    "stream": pl.Categorical(),
}

_CSV: Final[dict[str, Compression]] = {".csv": "uncompressed", ".csv.gz": "gzip", ".csv.zst": "zstd"}


def convert(
    trace: Mapping[str, Any], target: Path, *, force: bool = False, progress: Progress | None = None
) -> ConvertedTrace:
    """Read ``trace`` (a spec, see `iowatt.trace.open.spec`) and write ``target``; its suffix says as what.

    All devices are kept unless the spec names some; trims and flushes are kept. What the spec says is to be
    done to the trace (``more``, ``spread_s``, ``split_bytes``, ``place``, ...) is done.

    Raises ``InputError``: the input is wrong, the target exists and ``force`` is not given, or cannot be
    written. Nothing is left behind.
    """
    _kind(target)
    with staging(target, force) as partial:
        reader = requests({"include_other": True, **of_all_devices(trace)})
        sink(lambda: _frames(reader, progress), partial, target)
    counts = reader.summary()
    likely = [Note(code=LIKELY_MISTAKE, text=text, decides=True) for text in counts["warnings"]]
    doubts = [Note(code=NOT_WHOLE_SECTORS, text=text, decides=True) for text in sector_doubt(trace, counts)]
    counts |= {
        "notes": [Note(code=AS_READ, text=text) for text in counts["notes"]],
        "warnings": [*likely, *doubts],
        "path": str(target),
        "bytes": target.stat().st_size,
    }
    return ConvertedTrace(**counts)


def sink(batches: Callable[[], Iterator[pl.DataFrame]], partial: Path, target: Path) -> None:
    """Write the frames of ``batches()``, of ``SCHEMA``, to ``partial`` as the suffix of ``target`` says.

    Raises ``InputError`` where it cannot be written, and what ``batches`` raises.
    """
    compression = _kind(target)
    failures: list[BaseException] = []

    def kept() -> Iterator[pl.DataFrame]:
        try:
            yield from batches()
        except BaseException as error:
            failures.append(error)
            raise

    frame = frames.lazy(kept, SCHEMA)
    try:
        if compression is None:
            frame.sink_parquet(partial, compression="zstd", row_group_size=ROW_GROUP_ROWS)
        else:
            frame.sink_csv(partial, compression=compression, check_extension=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        # Polars wraps what the generator raised; the original says what is wrong with the input.
        if failures:
            raise failures[0] from None
        raise InputError("unwritable", str(target), f"the file cannot be written ({error})") from None


def _kind(target: Path) -> Compression | None:
    """How to compress CSV, None for Parquet."""
    name = target.name.lower()
    if name.endswith((".parquet", ".pq")):
        return None
    for suffix, compression in _CSV.items():
        if name.endswith(suffix):
            return compression
    message = f"not a supported file type; expected {', '.join(_CSV)} or .parquet"
    raise InputError("not-accepted", str(target), message)


@contextmanager
def staging(target: Path, force: bool) -> Iterator[Path]:
    """A file beside ``target`` to write to: it becomes ``target`` when all went well, else vanishes."""
    if target.is_dir():
        raise InputError("wrong-kind", str(target), "this is a directory; expected the name of a file")
    if not target.parent.is_dir():
        raise InputError("not-found", str(target), f"there is no directory {target.parent} to write to")
    if target.exists() and not force:
        raise InputError(
            "exists", str(target), "the file already exists", hint="use `force=True` to overwrite it"
        )
    with file(target) as partial:
        yield partial


def _frames(reader: TraceRequests, progress: Progress | None) -> Iterator[pl.DataFrame]:
    done = 0
    for batch in reader:
        yield _frame(batch, reader.devices, reader.streams)
        done += len(batch["time_ns"])
        if progress is not None:
            progress(reader.progress, done)


def _frame(batch: Batch, devices: list[str], streams: list[str]) -> pl.DataFrame:
    response = pl.Series(batch["response_ns"])
    return pl.DataFrame(
        {
            "time_ns": batch["time_ns"],
            "device": _named(batch["device"], devices),
            "op": pl.Series(OPS, dtype=SCHEMA["op"]).gather(batch["op"].astype(np.uint32)),
            "offset": batch["offset"],
            "size": batch["size"],
            "response_ns": response.set(response == NO_RESPONSE, None),
            "stream": _named(batch["stream"], streams),
        },
        schema=SCHEMA,
    )


def _named(codes: np.ndarray, names: list[str]) -> pl.Series:
    """The names behind the codes, null for `NO_STREAM`."""
    indices = pl.Series(codes, dtype=pl.UInt32)
    return pl.Series(names, dtype=pl.Categorical()).gather(indices.set(indices == NO_STREAM, None))
