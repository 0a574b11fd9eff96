"""ACT, Aerospike's certification tool: open reads of records beside reads and writes of large blocks.

Read are the output of a run (its last report, which counts from the start) and a table of such counts (CSV).
Times are those at the device, in bins from each power of two on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.evaluate.measured.bins import Bins
from iowatt.evaluate.measured.cell import Cell, Figures, Measured

OUTPUT: Final = re.compile(r"^(?:Aerospike act|ACT version|=> ACT)|^After [0-9]+ sec:\s*$", re.MULTILINE)
_AFTER: Final = re.compile(r"^After ([0-9]{1,12}) sec:\s*$", re.MULTILINE)
_OPTION: Final = re.compile(r"^([a-z-]{3,40}): {0,4}(\S{1,100})\s*$", re.MULTILINE)
_BUCKET: Final = re.compile(r"\(([0-9]{2}): ([0-9]{1,18})\)")
_KINDS: Final = {
    "RAW READS": "raw_read",
    "LARGE BLOCK READS": "large_read",
    "LARGE BLOCK WRITES": "large_write",
}
_FIRST: Final = re.compile(r"^(RAW READS|LARGE BLOCK READS|LARGE BLOCK WRITES) *\(([0-9]{1,18}) total\)\s*$")
_MOST_BYTES: Final = 1 << 28
_SECTOR: Final = 512


@dataclass(frozen=True)
class ActRun:
    """One run: what was asked, and requests by time for each kind of operation."""

    name: str
    source: str
    reads_per_s: float
    record_bytes: int
    large_bytes: int
    duration_s: float
    bins: Mapping[str, Bins]  #: By raw_read, large_read, large_write.

    def measured(self) -> Measured:
        """Its reads of records as a cell, the large blocks beside them.

        Raises ``InputError`` where it has no such reads.
        """
        if not (raw := self.bins.get("raw_read")) or not raw.total:
            raise InputError("empty", self.source, "it has no reads of records (RAW READS)")
        beside = [
            (self._cell(kind, op), self._figures(self.bins[kind], op))
            for kind, op in (("large_read", "read"), ("large_write", "write"))
            if kind in self.bins and self.bins[kind].total
        ]
        figures = self._figures(raw, "read")
        cell = self._cell("raw_read", "read", tuple(cell for cell, _ in beside))
        values = {name: getattr(figures, name) for name in Figures.__dataclass_fields__}
        return Measured(**values, cell=cell, beside=tuple(part for _, part in beside), binned=True)

    def _cell(self, kind: str, op: str, beside: tuple[Cell, ...] = ()) -> Cell:
        records = kind == "raw_read"
        # ACT reads whole sectors.
        size = -(-self.record_bytes // _SECTOR) * _SECTOR if records else self.large_bytes
        return Cell(
            name=self.name if records else f"{self.name} {kind.replace('_', ' ')}s",
            op="read" if op == "read" else "write",
            read_share=float(op == "read"),
            pattern="random",
            size_bytes=size,
            rate_per_s=self.reads_per_s if records else self.bins[kind].total / self.duration_s,
            duration_s=self.duration_s,
            beside=beside,
            source=self.source,
        )

    def _figures(self, bins: Bins, op: str) -> Figures:
        mean, shares, histogram = bins.mean_s, bins.quantiles(), bins.histogram()
        read = op == "read"
        return Figures(
            iops=bins.total / self.duration_s,
            mean_s=mean,
            reads=shares if read else {},
            writes={} if read else shares,
            read_mean_s=mean if read else None,
            write_mean_s=None if read else mean,
            read_histogram=histogram if read else None,
            write_histogram=None if read else histogram,
            samples=bins.total,
        )


def read(path: Path) -> list[Measured]:
    """The cell of ACT's output. Raises ``InputError`` with the file and the place."""
    where = str(path)
    text = input_file.whole(path, "ACT's output", _MOST_BYTES).decode("utf-8", "replace")
    reports = list(_AFTER.finditer(text))
    if not reports:
        raise InputError("empty", where, "ACT's output has no report: it was stopped before the first one")
    options = dict(_OPTION.findall(text[: reports[0].start()]))
    # The last report may have been cut; then the one before it is whole.
    for number in range(len(reports) - 1, -1, -1):
        end = reports[number + 1].start() if number + 1 < len(reports) else len(text)
        body = text[reports[number].end() : end]
        line = text.count("\n", 0, reports[number].start()) + 1
        last = number == len(reports) - 1
        try:
            counts = _counts(body, line, where)
        except InputError:
            if last and number:
                continue
            raise
        return [_run(path, options, int(reports[number][1]), counts).measured()]
    raise AssertionError  # the loop returns or raises


def _run(
    path: Path, options: Mapping[str, str], seconds: int, counts: Mapping[str, Mapping[int, int]]
) -> ActRun:
    unit = 1e-6 if options.get("microsecond-histograms", "no").startswith("y") else 1e-3
    if seconds <= 0:
        raise InputError("out-of-range", f"{path}: After {seconds} sec", "the report is of no time")
    return ActRun(
        name=path.stem,
        source=str(path),
        reads_per_s=_option(options, "read-reqs-per-sec", path),
        record_bytes=int(_option(options, "record-bytes", path)),
        large_bytes=int(_option(options, "large-block-op-kbytes", path)) * 1024,
        duration_s=float(seconds),
        bins={kind: _power_bins(of, unit) for kind, of in counts.items()},
    )


def _option(options: Mapping[str, str], name: str, path: Path) -> float:
    text = options.get(name)
    if text is None:
        hint = "ACT prints its configuration before the first report; keep it in the file"
        raise InputError("missing", f"{path}: {name}", "ACT's configuration lacks it", hint=hint)
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and int(text) > 0):
        raise InputError("bad-syntax", f"{path}: {name}", f"{text[:40]!r} is not a number above 0")
    return float(text)


def _counts(body: str, line: int, where: str) -> dict[str, dict[int, int]]:
    """Counts by bucket for each kind; refuses one whose buckets do not add up to its total."""
    found: dict[str, dict[int, int]] = {}
    totals: dict[str, tuple[int, int]] = {}
    kind = None
    for number, text in enumerate(body.splitlines(), line):
        if (first := _FIRST.match(text)) is not None:
            kind = _KINDS[first[1]]
            found[kind], totals[kind] = {}, (int(first[2]), number)
        elif kind is not None and (buckets := _BUCKET.findall(text)) and text.startswith(" "):
            found[kind].update({int(bucket): int(count) for bucket, count in buckets})
        else:
            kind = None
    for kind, (total, number) in totals.items():
        counted = sum(found[kind].values())
        if counted != total or max(found[kind], default=0) > 64:
            message = f"the buckets add up to {counted:,}, not to the {total:,} of their head: it was cut"
            raise InputError("damaged", f"{where}:{number}", message)
    if "raw_read" not in found:
        raise InputError("damaged", f"{where}:{line}", "the report has no RAW READS")
    return found


def _power_bins(counts: Mapping[int, int], unit_s: float) -> Bins:
    """ACT's buckets: 0 up to one unit, then each from a power of two on."""
    most = max(counts, default=0)
    edges = [0.0, *(unit_s * 2.0**power for power in range(most + 1))]
    return Bins(edges, [counts.get(bucket, 0) for bucket in range(most + 1)])


COLUMNS: Final = (
    "kind",
    "total",
    "reads_per_s",
    "record_bytes",
    "large_block_kib",
    "duration_s",
    "under_1us",
)
_FROM: Final = re.compile(r"from_([0-9]{1,9})us")


def read_table(rows: Sequence[tuple[int, Mapping[str, str]]], path: Path) -> list[Measured]:
    """The cells of a table with a row for each run and kind, its columns counts from each power of two on.

    Raises ``InputError`` with the row and column.
    """
    runs: dict[tuple[str, str], list[tuple[int, Mapping[str, str]]]] = {}
    for line, row in rows:
        runs.setdefault((row.get("test", ""), row["reads_per_s"]), []).append((line, row))
    return [_table_run(listed, path).measured() for listed in runs.values()]


def _table_run(rows: Sequence[tuple[int, Mapping[str, str]]], path: Path) -> ActRun:
    line, first = rows[0]
    bins = {}
    for at, row in rows:
        if row["kind"] not in _KINDS.values():
            accepted = ", ".join(_KINDS.values())
            raise InputError(
                "not-accepted", f"{path}:{at}: kind", f"{row['kind'][:40]!r}; expected {accepted}"
            )
        starts = sorted((int(found[1]), name) for name in row if (found := _FROM.fullmatch(name)))
        counts = [_whole(row["under_1us"], f"{path}:{at}: under_1us")]
        counts += [_whole(row[name], f"{path}:{at}: {name}") for _, name in starts]
        edges = [0.0, *(start / 1e6 for start, _ in starts), 2 * starts[-1][0] / 1e6]
        total = _whole(row["total"], f"{path}:{at}: total")
        if sum(counts) != total:
            message = f"the counts add up to {sum(counts):,}, not to {total:,}"
            raise InputError("damaged", f"{path}:{at}: total", message)
        bins[row["kind"]] = Bins(edges, counts)
    where = f"{path}:{line}"
    rate, size, large, duration = (
        _whole(first[name], f"{where}: {name}", least=1)
        for name in ("reads_per_s", "record_bytes", "large_block_kib", "duration_s")
    )
    return ActRun(f"ACT at {rate:,} reads/s", where, float(rate), size, large * 1024, float(duration), bins)


def _whole(text: str, where: str, least: int = 0) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdecimal() and len(text) <= 18 and int(text) >= least):
        raise InputError("bad-syntax", where, f"{text[:40]!r} is not a whole number from {least} on")
    return int(text)
