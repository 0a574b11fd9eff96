"""Reading logs of counters, whose tool is recognised by the content."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from iowatt.base.errors import Argument, InputError
from iowatt.counters import iostat, perfmon, sar, sysstat_json
from iowatt.counters.columns import known
from iowatt.counters.log import CountersLog
from iowatt.counters.text import LogLine, lines

Format = Literal["iostat", "sar", "perfmon"]
FORMATS: Final[tuple[Format, ...]] = ("iostat", "sar", "perfmon")
_HEAD: Final = 400  # lines to look at
_HINT: Final = (
    "expected iostat (text, -o JSON), sar -d or -b (text; sadf -d, sadf -j) or Windows' performance monitor "
    "(CSV, typeperf); a binary sa file first goes through sadf -d FILE -- -d, a .blg file through relog "
    "FILE -f CSV"
)


def read(
    files: Sequence[Path],
    *,
    format_: Format | None = None,
    first: iostat.First = "auto",
    names: Mapping[str, str] | None = None,
    skip_bad: int = 0,
    interval_s: float | None = None,
) -> CountersLog:
    """The log of files of one tool, in the order of time.

    Args:
        format_: The tool; by default recognised by the content.
        first: Whether to leave out iostat's first report; ``auto`` keeps it where iostat ran with ``-y``.
        names: Names of perfmon's counters in another language, by the English ones.
        skip_bad: Malformed records to skip.
        interval_s: Length of intervals in s where the log does not have it.

    Raises ``InputError`` with file and line: no such log, a malformed row, no usable row.
    """
    log: CountersLog | None = None
    for file in files:
        head = list(itertools.islice(lines(file), _HEAD))
        found = _detect(head, file)
        tool = _TOOL[found]
        if format_ is not None and tool != format_:
            raise InputError("wrong-format", str(file), f"expected a log of {format_}; this is one of {tool}")
        if log is None:
            log = CountersLog(tool, skip_bad)
        elif log.format != tool:
            message = f"this is a log of {tool}, after one of {log.format}"
            raise InputError("conflict", str(file), message, hint="read them one tool at a time")
        if names and found != "perfmon":
            raise InputError(
                "not-applicable", Argument("counter_names"), "names of counters are for logs of perfmon only"
            )
        _read(found, log, file, first, names or {})
    if log is None or not log.devices:
        where = ", ".join(str(file) for file in files)
        if log is not None and iostat.DROPPED in log.notes:
            message = "its only report is the mean since the system was started, which is left out"
            hint = "record with iostat -xt 10, which goes on reporting; `first=keep` takes the mean"
            raise InputError("empty", where, message, hint=hint)
        raise InputError("empty", where, "the log has no row of any device", hint=_HINT)
    if interval_s is not None:
        for index, seconds in enumerate(log.seconds):
            log.seconds[index] = interval_s if math.isnan(seconds) else seconds
    return log


_TOOL: Final[dict[str, Format]] = {
    "iostat": "iostat",
    "iostat-json": "iostat",
    "sar": "sar",
    "sadf": "sar",
    "sadf-json": "sar",
    "perfmon": "perfmon",
}


def _read(found: str, log: CountersLog, file: Path, first: iostat.First, names: Mapping[str, str]) -> None:
    if found in ("iostat-json", "sadf-json"):
        sysstat_json.read(log, lines(file), first)
        return
    reader: Any
    if found == "iostat":
        reader = iostat.IostatReader(log, first)
    elif found == "perfmon":
        reader = perfmon.PerfmonReader(log, names)
    else:
        reader = sar.SarReader(log) if found == "sar" else sar.SadfReader(log)
    reader.read(lines(file))


def _detect(head: list[LogLine], file: Path) -> str:
    for line in head:
        text = line.text.strip()
        if text.startswith(('"(PDH-', "(PDH-")):
            return "perfmon"
        if text.startswith("# hostname;"):
            return "sadf"
        if text.startswith("{"):
            start = "\n".join(other.text for other in head)
            return "sadf-json" if '"file-date"' in start or '"disk-device"' in start else "iostat-json"
        words = text.split()
        columns = sum(known(word) for word in words)
        if columns >= 3 or (columns and words[0].rstrip(":") == "Device"):
            return "sar" if sar.split_time(text) else "iostat"
    raise InputError("wrong-format", str(file), "this is not a log of counters that can be read", hint=_HINT)
