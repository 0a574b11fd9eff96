"""Stamps of file operations as an Observation, and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from iowatt import core
from iowatt.base.errors import InputError, IowattError
from iowatt.model.library.files import NOT_SPEC, FileWorkload, operations
from iowatt.sources.lateness import LATE_MS, NEVER, Lateness, RequestStamps
from iowatt.sources.observation import Observation, ObservedOperation, ObservedShare
from iowatt.sources.trace import RequestCounter, TraceSource, to_observation

CLASSES: Final = ("metadata", "read", "write")
_ROWS: Final = 262_144
#: Share of late operations from which the rate was not kept.
_NOT_KEPT: Final = 0.01


@dataclass(frozen=True)
class MadeOperations:
    """Operations and their stamps; times in ns from the beginning."""

    code: npt.NDArray[np.uint8]
    stamps: core.FileStamps

    @cached_property
    def times(self) -> RequestStamps:
        """When each was due, begun and completed."""
        found = self.stamps
        return RequestStamps(
            found["due_ns"],
            found["sent_ns"],
            found["done_ns"],
            found["error"],
            "threads",
            found["began_unix_ns"],
        )

    @property
    def response_ns(self) -> npt.NDArray[np.int64]:
        """From the intended time to completion; meaningless where it did not complete."""
        return self.stamps["done_ns"].astype(np.int64) - self.stamps["due_ns"].astype(np.int64)

    def since(self, start_ns: int) -> MadeOperations:
        """Those that were due from ``start_ns`` on, which becomes time 0."""
        first = int(np.searchsorted(self.stamps["due_ns"], start_ns))
        if not first and not start_ns:
            return self
        whole, zero = self.stamps, np.uint64(start_ns)

        def later(column: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
            return np.where(column[first:] == NEVER, NEVER, column[first:] - zero)

        cut: core.FileStamps = {
            "due_ns": later(whole["due_ns"]),
            "sent_ns": later(whole["sent_ns"]),
            "done_ns": later(whole["done_ns"]),
            "error": whole["error"][first:],
            "bytes": whole["bytes"][first:],
            "substituted": whole["substituted"][first:],
            "began_unix_ns": whole["began_unix_ns"] + start_ns,
            "complete": whole["complete"],
            "full": whole["full"],
        }
        return MadeOperations(self.code[first:], cut)


def observed(
    made: MadeOperations,
    workload: FileWorkload,
    *,
    name: str,
    rate: float,
    threads: int,
    seconds: float = 0.0,
    interval_s: float = 1.0,
    files: Sequence[Path] = (),
) -> Observation:
    """What was observed of the operations that succeeded; each class of them is a workload.

    Response times are from the intended time: an operation that was held back has waited. ``seconds``: how
    long operations were made, where the last one may have completed before the end.

    Raises ``IowattError`` where every operation failed.
    """
    times = made.times
    good = np.flatnonzero(~times.failed)
    if not good.size:
        raise IowattError("tool-failed", name, str(times.error_note))
    class_of = _columns()[0]
    whole = _counted(made, good, name, (interval_s, seconds))
    classes = {}
    for number, one in enumerate(CLASSES):
        own = good[class_of[made.code[good]] == number]
        if own.size:
            classes[one] = _counted(made, own, name, (interval_s, seconds))
    warnings = [f"{workload.name}: {NOT_SPEC}"]
    if times.error_note is not None:
        warnings.append(times.error_note)
    late = late_warning(times.lateness, threads)
    warnings += [] if late is None else [late]
    return replace(
        whole,
        tool="files",
        asked_iops=rate,
        outstanding=threads,
        errors=int(times.failed.sum()),
        histogram_note="response times of each operation, from its intended time on, in bins 0.1 % wide",
        series_note="response times over time are counted when operations completed",
        classes=classes,
        operations=_by_operation(made),
        shares=_shares(made, workload, good),
        warnings=warnings,
        files=list(files),
    )


def late_warning(found: Lateness, threads: int) -> str | None:
    """That the intended times were not kept, in a sentence; None where they were."""
    if found.late <= _NOT_KEPT:
        return None
    return (
        f"{100 * found.late:.1f} % of the operations were begun more than {LATE_MS:g} ms late, because all "
        f"{threads} threads were busy: their wait is in the response times"
    )


def _columns() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """By code: number of the class, direction."""
    known = operations().values()
    classes = np.array([CLASSES.index(kind) for _code, kind, _way in known])
    return classes, np.array([int(way == "write") for _code, _kind, way in known], dtype=np.uint8)


def _counted(
    made: MadeOperations,
    rows: npt.NDArray[np.int64],
    name: str,
    times_s: tuple[float, float],
) -> Observation:
    response, way_of = made.response_ns, _columns()[1]
    interval_s, seconds = times_s
    count = RequestCounter(round(interval_s * 1e9))
    count.zero_ns = 0  # All classes share the grid.
    rows = rows[np.argsort(made.stamps["done_ns"][rows], kind="stable")]
    for begin in range(0, rows.size, _ROWS):
        at = rows[begin : begin + _ROWS]
        due = made.stamps["due_ns"][at].astype(np.int64)
        count.add(due, way_of[made.code[at]], made.stamps["bytes"][at].astype(np.int64), response[at])
    if seconds:
        count.cover(round(seconds * 1e9))
    source = TraceSource(
        path=Path(name),
        name=name,
        format=f"iowatt-{core.__version__}",
        origin_unix_ns=made.stamps["began_unix_ns"],
        devices=["target"],
        notes=[],
    )
    return to_observation(source, count)


def _by_operation(made: MadeOperations) -> list[ObservedOperation]:
    """Each kind of operation that was made, in the order of the codes."""
    failed, stamps, response = made.times.failed, made.stamps, made.response_ns
    found = []
    for name, (code, kind, _way) in operations().items():
        own = made.code == code
        if not own.any():
            continue
        good = own & ~failed
        figures: dict[str, float] = {}
        if good.any():
            times = response[good] / 1e9
            p50, p95, p99, most = np.quantile(times, (0.5, 0.95, 0.99, 1.0)).tolist()
            figures = {"mean_s": float(times.mean()), "p50_s": p50, "p95_s": p95, "p99_s": p99, "max_s": most}
        found.append(
            ObservedOperation(
                name=name,
                kind=kind,
                completed=int(good.sum()),
                errors=int((own & failed).sum()),
                substituted=int(stamps["substituted"][good].sum()),
                bytes=int(stamps["bytes"][good].sum()),
                **figures,
            )
        )
    return found


def _shares(made: MadeOperations, workload: FileWorkload, good: npt.NDArray[np.int64]) -> list[ObservedShare]:
    counts = np.bincount(made.code[good], minlength=len(operations()))
    return [
        ObservedShare(name, asked, 100 * int(counts[operations()[name][0]]) / good.size)
        for name, asked in workload.operations.items()
    ]


def read_operations(path: Path, began_unix_ns: int) -> MadeOperations:
    """What :func:`save_operations` wrote. Raises ``InputError`` where it cannot be read."""
    try:
        table = pl.read_parquet(path)
        known = operations()
        codes = {name: code for name, (code, _kind, _way) in known.items()}
        code = table["operation"].cast(pl.String).replace_strict(codes, return_dtype=pl.UInt8).to_numpy()

        def moments(name: str) -> npt.NDArray[np.uint64]:
            return table[name].cast(pl.UInt64).fill_null(pl.lit(NEVER, pl.UInt64)).to_numpy()

        stamps: core.FileStamps = {
            "due_ns": moments("due_ns"),
            "sent_ns": moments("sent_ns"),
            "done_ns": moments("done_ns"),
            "error": table["error"].cast(pl.Int32).to_numpy(),
            "bytes": table["bytes"].cast(pl.UInt64).to_numpy(),
            "substituted": table["substituted"].cast(pl.Boolean).to_numpy(),
            "began_unix_ns": began_unix_ns,
            "complete": True,
            "full": 0,
        }
    except OSError as error:
        raise InputError("unreadable", str(path), error.strerror or "cannot be read") from None
    except pl.exceptions.PolarsError as error:
        raise InputError("damaged", str(path), str(error).splitlines()[0]) from None
    return MadeOperations(code, stamps)


def save_operations(made: MadeOperations, path: Path) -> None:
    """A row for each operation: what it was, when it was due, begun and completed, bytes and error number."""
    names = list(operations())

    def moments(column: npt.NDArray[np.uint64]) -> pl.Series:
        return pl.Series(column).replace(NEVER, None).cast(pl.Int64)

    pl.DataFrame(
        {
            "operation": pl.Series(names, dtype=pl.Enum(names)).gather(made.code.astype(np.uint32)),
            "due_ns": moments(made.stamps["due_ns"]),
            "sent_ns": moments(made.stamps["sent_ns"]),
            "done_ns": moments(made.stamps["done_ns"]),
            "bytes": made.stamps["bytes"],
            "substituted": made.stamps["substituted"],
            "error": made.stamps["error"],
        }
    ).with_columns(late_ns=pl.col("sent_ns") - pl.col("due_ns")).write_parquet(path, compression="zstd")
