"""Reports with a table for each run: ``summary.html``, ``totals.html``, those of workloads and devices."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Final

from iowatt.sources.vdbench import text
from iowatt.sources.vdbench.rows import Row, RunRows, is_label
from iowatt.sources.vdbench.text import Line, Start

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
class Report:
    """A report: its runs in order, and what its head says."""

    runs: list[RunRows] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    created: date | None = None
    zone: str | None = None
    decimal: bool = False  #: MB are 10^6 bytes where vdbench was told so.
    completed: bool = False
    version: str | None = None


def read(path: Path) -> Report:
    """Read a report. What is no table of figures is passed over.

    Raises ``InputError`` where a row does not fit its header.
    """
    report = Report()
    columns: list[str] = []
    day: date | None = None
    first: Line | None = None
    for line in text.lines(path):
        begun = text.start(line)
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


def _header(first: Line, second: list[str], report: Report) -> list[str]:
    words = first.text.split()
    upper = words[words.index("interval") + 1 :]
    if "1000**2" in second:
        report.decimal = True
    return [f"{a} {b}".lower() for a, b in zip(upper, second, strict=False)]


def _row(words: list[str], columns: list[str], day: date | None, report: Report, line: Line) -> Row:
    values: dict[str, float | None] = {}
    if len(words) - 2 < min(len(columns), 4):
        raise line.error(
            "damaged", f"the row has {len(words) - 2} figures, and the header names {len(columns)}"
        )
    for name, word in zip(columns, words[2:], strict=False):
        ours = _COLUMNS.get(name)
        if ours is not None and ours not in values:
            values[ours] = text.number(word, line)
    time_s = text.time_of_day(words[0])
    run = report.runs[-1].name
    return Row(run, words[1], time_s or 0.0, day, report.zone, values, None, line.place, dated=False)


def _add(run: RunRows, row: Row) -> None:
    if row.number is None:
        run.average = row
    else:
        run.rows.append(row)


def _head(line: Line, report: Report) -> None:
    if "execution completed successfully" in line.text:
        report.completed = True
    distribution = _DISTRIBUTION.search(line.text)
    if distribution:
        report.version = distribution[1]
    created = _CREATED.search(line.text)
    if created and report.created is None:
        report.created = _date(created[2], created[3], created[4])
        report.zone = created[5]


def _said(words: list[str], report: Report) -> None:
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
