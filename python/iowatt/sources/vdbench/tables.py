"""vdbench's tables of intervals: ``flatfile.html``, ``summary.html`` and those of workloads and devices."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.sources.vdbench import text
from iowatt.sources.vdbench.text import ReportLine, ReportRow, RunRows, RunStart, is_label

#: Names of columns, in lower case, to those of :class:`ReportRow`.
_FLAT_COLUMNS: Final = {
    "reqrate": "asked", "rate": "rate", "mb/sec": "mb", "bytes/io": "size", "read%": "reads", "resp": "resp",
    "read_resp": "read_resp", "write_resp": "write_resp", "resp_max": "max", "read_max": "read_max",
    "write_max": "write_max", "resp_std": "std", "read_std": "read_std", "write_std": "write_std",
    "cpu_user": "cpu_user", "cpu_kernel": "cpu_kernel", "threads": "threads", "queue_depth": "queue",
}  # fmt: skip
_NEEDED: Final = ("run", "interval", "rate", "read%")
_STAMP: Final = re.compile(
    r"([0-9]{2})/([0-9]{2})/([0-9]{4})-([0-9]{2}:[0-9]{2}:[0-9]{2})(?:-(\S{1,24}))?", re.ASCII
)


def read_flatfile(path: Path) -> list[ReportRow]:
    """All rows, in the file's order.

    Raises ``InputError`` where it is no flat file of block workloads, or a row does not fit the header.
    """
    columns: list[str] = []
    rows = []
    for line in text.read_lines(path):
        words = line.text.split()
        if not words or line.text.startswith("*"):
            continue
        if not columns:
            # The header is the first line that begins with a blank.
            if line.text[0].isspace() and "interval" in (word.lower() for word in words):
                columns = _flat_header([word.lower() for word in words], line)
            continue
        rows.append(_flat_row(words, columns, line))
    if not columns:
        message = "not a flat file of vdbench: no line begins with a blank and names the columns"
        raise InputError("wrong-format", str(path), message)
    if not rows:
        raise InputError("empty", str(path), "there is no interval: vdbench ended before its first")
    return rows


def _flat_header(columns: list[str], line: ReportLine) -> list[str]:
    if "read_rate" in columns and "read%" not in columns:
        raise line.error(
            "unsupported",
            "a report of file system workloads (FWD), whose operations are not requests; block workloads "
            "(WD) are accepted",
        )
    missing = [name for name in _NEEDED if name not in columns]
    if missing or not {"mb/sec", "bytes/io"} & set(columns):
        raise line.error("missing", f"the header lacks {', '.join(missing) or 'MB/sec'}")
    return columns


def _flat_row(words: list[str], columns: list[str], line: ReportLine) -> ReportRow:
    at = columns.index("run")
    extra = len(words) - len(columns)
    if extra > 0:
        # The one column in which vdbench may print blanks.
        words = [*words[:at], " ".join(words[at : at + extra + 1]), *words[at + extra + 1 :]]
    if extra < 0:
        raise line.error(
            "damaged",
            f"the row has {len(words)} figures, and the header names {len(columns)}: the file was cut short",
        )
    by = dict(zip(reversed(columns), reversed(words), strict=True))  # of two of a name, the first
    if not is_label(by["interval"]):
        raise line.error(
            "damaged", f"{by['interval'][:40]!r} is neither the number of an interval nor an average"
        )
    time_s = text.time_of_day(by.get("tod", ""))
    day, zone, stamped = _stamp(by.get("timestamp", ""))
    if time_s is None:
        time_s = stamped
    if time_s is None:
        raise line.error("damaged", "the row has no time: neither tod nor timestamp can be read")
    values = {
        ours: text.parse_number(by[theirs], line) for theirs, ours in _FLAT_COLUMNS.items() if theirs in by
    }
    for key in ("rate", "mb", "size"):
        if (values.get(key) or 0.0) < 0:
            raise line.error("out-of-range", f"{key} is below 0")
    if not 0 <= (values.get("reads") or 0.0) <= 100:
        raise line.error("out-of-range", "read% is outside 0..100")
    version = by.get("version", "n/a")
    return ReportRow(
        run=by["run"],
        label=by["interval"],
        time_s=time_s,
        day=day,
        zone=zone,
        values=values,
        version=None if version.lower() == "n/a" else version,
        place=line.place,
        dated=day is not None,
    )


def _stamp(stamp: str) -> tuple[date | None, str | None, float | None]:
    match = _STAMP.fullmatch(stamp)
    if match is None:
        return None, None, None
    try:
        day = date(int(match[3]), int(match[1]), int(match[2]))
    except ValueError:
        return None, None, None
    return day, match[5], text.time_of_day(match[4])


_COLUMNS: Final = {
    "i/o rate": "rate", "mb/sec 1024**2": "mb", "mb/sec 1000**2": "mb", "bytes i/o": "size",
    "read pct": "reads", "resp time": "resp", "read resp": "read_resp", "write resp": "write_resp", "resp "
    "max": "max",
    "read max": "read_max", "write max": "write_max", "resp stddev": "std", "queue depth": "queue",
    "cpu% sys": "cpu_kernel", "cpu% sys+u": "cpu", "cpu% sys+usr": "cpu",
}  # fmt: skip
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE: Final = re.compile(r"^\s*(\S{3,12}?)\.? ([0-9]{1,2}), ([0-9]{4})\b")
_CREATED: Final = re.compile(r"created ([0-9:]{8}) (\S{3,12}?)\.? ([0-9]{1,2}) ([0-9]{4})(?: (\S{1,24}))?")
_DISTRIBUTION: Final = re.compile(r"distribution: vdbench\s?([0-9]{3,6}[a-z0-9]{0,6})")


@dataclass
class VdbenchReport:
    """A report: its runs in order, and what its head says."""

    runs: list[RunRows] = field(default_factory=list)
    starts: list[RunStart] = field(default_factory=list)
    created: date | None = None
    zone: str | None = None
    decimal: bool = False  #: Whether MB are 10^6 bytes, an option of vdbench.
    completed: bool = False
    version: str | None = None


def read_report(path: Path) -> VdbenchReport:
    """Read a report. Other lines are passed over.

    Raises ``InputError`` where a row does not fit its header.
    """
    report = VdbenchReport()
    columns: list[str] = []
    day: date | None = None
    first: ReportLine | None = None
    for line in text.read_lines(path):
        begun = text.parse_start(line)
        if begun is not None:
            report.starts.append(begun)
            report.runs.append(RunRows(begun.run, start=begun))
            continue
        words = line.text.split()
        if "interval" in words:
            first, day = line, _day(line.text) or day
            continue
        if first is not None:
            columns, first = _header(first, words, report), None
            continue
        if len(words) > 2 and text.time_of_day(words[0]) is not None and is_label(words[1]):
            if report.runs and columns:
                day = day or report.created
                _add(report.runs[-1], _row(words, columns, day, report, line))
            continue
        _head(line, report)
        _said(words, report)
    return report


def _header(first: ReportLine, second: list[str], report: VdbenchReport) -> list[str]:
    words = first.text.split()
    upper = words[words.index("interval") + 1 :]
    if "1000**2" in second:
        report.decimal = True
    return [f"{a} {b}".lower() for a, b in zip(upper, second, strict=False)]


def _row(
    words: list[str], columns: list[str], day: date | None, report: VdbenchReport, line: ReportLine
) -> ReportRow:
    values: dict[str, float | None] = {}
    if len(words) - 2 < min(len(columns), 4):
        raise line.error(
            "damaged", f"the row has {len(words) - 2} figures, and the header names {len(columns)}"
        )
    for name, word in zip(columns, words[2:], strict=False):
        ours = _COLUMNS.get(name)
        if ours is not None and ours not in values:
            values[ours] = text.parse_number(word, line)
    time_s = text.time_of_day(words[0])
    run = report.runs[-1].name
    return ReportRow(run, words[1], time_s or 0.0, day, report.zone, values, None, line.place, dated=False)


def _add(run: RunRows, row: ReportRow) -> None:
    if row.number is None:
        run.average = row
    else:
        run.rows.append(row)


def _head(line: ReportLine, report: VdbenchReport) -> None:
    if "execution completed successfully" in line.text:
        report.completed = True
    distribution = _DISTRIBUTION.search(line.text)
    if distribution:
        report.version = distribution[1]
    created = _CREATED.search(line.text)
    if created and report.created is None:
        report.created = _date(created[2], created[3], created[4])
        report.zone = created[5]


def _said(words: list[str], report: VdbenchReport) -> None:
    """Keep what vdbench warns of while it runs: boxes of asterisks."""
    if not report.runs or not words:
        return
    if text.time_of_day(words[0]) is not None:
        words = words[1:]
    if words and words[0] == "*" and any(word.strip("*") for word in words):
        report.runs[-1].said.append(" ".join(word for word in words if word.strip("*")))
    elif words and words[0].lower().startswith("warning"):
        report.runs[-1].said.append(" ".join(words))


def _day(line: str) -> date | None:
    match = _DATE.search(line)
    return _date(match[1], match[2], match[3]) if match else None


def _date(month: str, day: str, year: str) -> date | None:
    name = month[:3].lower()
    if name not in _MONTHS:
        return None
    try:
        return date(int(year), _MONTHS.index(name) + 1, int(day))
    except ValueError:
        return None
