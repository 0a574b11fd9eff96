"""vdbench's smaller reports: where they are, status, skew, parameters and histograms."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.run.histogram import Histogram
from iowatt.sources.observation import ObservedShare
from iowatt.sources.vdbench import text
from iowatt.sources.vdbench.text import ReportLine, RunStart

_MAIN: Final = ("flatfile.html", "summary.html")


@dataclass(frozen=True)
class ReportFiles:
    """Where the reports are. ``main`` is read for the figures; the others where they are there."""

    main: Path
    folder: Path
    prefix: str

    def other(self, name: str) -> Path | None:
        """A report by its name (``skew.html``); None where it is not there."""
        path = self.folder / f"{self.prefix}{name}"
        return path if path.is_file() else None


def find_reports(path: Path) -> ReportFiles:
    """The reports that belong to ``path``: an output folder of vdbench, or one of its files.

    Raises ``InputError`` where there are none, or several sets.
    """
    if path.is_dir():
        return _in_folder(path)
    if not path.exists():
        raise InputError("not-found", str(path), "no such file or directory")
    for name in _MAIN:
        if path.name.endswith(name):
            return ReportFiles(path, path.parent, path.name.removesuffix(name))
    # A workload's or a device's report: its siblings begin as the flat file beside it does.
    for main in sorted(path.parent.glob("*flatfile.html")) + sorted(path.parent.glob("*summary.html")):
        prefix = main.name.removesuffix("flatfile.html").removesuffix("summary.html")
        if path.name.startswith(prefix):
            return ReportFiles(path, path.parent, prefix)
    return ReportFiles(path, path.parent, "")


def _in_folder(folder: Path) -> ReportFiles:
    for name in _MAIN:
        found = sorted(folder.glob(f"*{name}"))
        if len(found) > 1:
            listed = ", ".join(path.name for path in found)
            message = f"there are several outputs of vdbench: {listed}"
            raise InputError("ambiguous", str(folder), message, hint="name one of them")
        if found:
            return ReportFiles(found[0], folder, found[0].name.removesuffix(name))
    message = "there is no output of vdbench: neither flatfile.html nor summary.html"
    raise InputError("empty", str(folder), message, hint="name the directory that vdbench -o names")


def read_status(path: Path) -> tuple[list[RunStart], bool]:
    """Starts of runs (in whole seconds), and whether vdbench came to its end."""
    starts, complete = [], False
    for line in text.read_lines(path):
        stamp, _, rest = line.text.partition("\t")
        state, _, more = rest.partition("\t")
        complete = complete or "Vdbench complete" in rest
        run, _, loops = more.partition("\t")
        parts = stamp.strip().split("-")
        time_s = text.time_of_day(parts[1]) if len(parts) > 1 else None
        if state.strip() == "Starting" and run.startswith("rd=") and time_s is not None:
            starts.append(RunStart(time_s, run[3:].strip(), loops.strip(), line.place))
    return starts, complete


# Where a workload's line has its rate and its mean response time: WD, i/o rate, MB/sec, bytes i/o, read pct.
_RATE, _RESPONSE, _LEAST_WORDS = 1, 5, 9


@dataclass
class RunSkew:
    """The shares of one run; none where it had one workload."""

    start: RunStart
    shares: list[ObservedShare] = field(default_factory=list)
    uncontrolled: bool = False  #: Whether it ran as fast as it could, so that shares mean nothing.


def read_skew(path: Path) -> list[RunSkew]:
    """The shares of all runs, in the file's order.

    Raises ``InputError`` where a workload's line has no shares.
    """
    found: list[RunSkew] = []
    inside = False
    for line in text.read_lines(path):
        begun = text.parse_start(line)
        if begun is not None:
            found.append(RunSkew(begun))
            inside = False
            continue
        words = line.text.split()
        if words and text.time_of_day(words[0]) is not None:
            words = words[1:]
        if not words:
            inside = False
        elif words[0] == "WD:":
            inside = "requested" in words
        elif "This was an Uncontrolled MAX run" in line.text and found:
            found[-1].uncontrolled = True
        elif inside and words[0] == "Total":
            inside = False
        elif inside and found:
            shares = [word for word in words[1:] if word.endswith("%")]
            if len(shares) < 2:
                raise line.error("damaged", "the row has no two shares in percent")
            asked, observed = (text.parse_number(share.rstrip("%"), line) for share in shares[:2])
            if asked is not None and observed is not None:
                iops, response_ms = _rate_and_response(words, line)
                response_s = None if response_ms is None else response_ms / 1e3
                found[-1].shares.append(ObservedShare(words[0], asked, observed, iops, response_s))
    return found


def _rate_and_response(words: list[str], line: text.ReportLine) -> tuple[float | None, float | None]:
    """Requests per second and mean response time in ms of a workload's line, where it has all columns."""
    if len(words) < _LEAST_WORDS:
        return None, None
    return text.parse_number(words[_RATE], line), text.parse_number(words[_RESPONSE], line)


_PART: Final = re.compile(r"([A-Za-z_]{1,40})=(\([^()]{0,4000}\)|[^,\s]{0,4000})")


@dataclass(frozen=True)
class Parameters:
    """Run and workload definitions by name, each a table of keywords; defaults are filled in."""

    runs: Mapping[str, Mapping[str, str]]
    workloads: Mapping[str, Mapping[str, str]]

    def interval_s(self, run: str) -> float | None:
        """The interval of a run in s, where one is given."""
        said = self._of(run).get("interval", "")
        return float(said) if said.isascii() and said.isdecimal() and int(said[:9]) > 0 else None

    def skews(self, run: str) -> dict[str, float] | None:
        """Shares of a run's workloads in percent; None where a workload has none."""
        patterns = self._of(run).get("wd", "").strip("()").split(",")
        found = {}
        for name, keys in self.workloads.items():
            if not any(pattern and fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
                continue
            try:
                found[name] = float(keys["skew"])
            except (KeyError, ValueError):
                return None
        return found or None

    def _of(self, run: str) -> Mapping[str, str]:
        # A point of a curve is called rd1_(50%).
        return self.runs.get(run) or self.runs.get(run.rpartition("_(")[0]) or {}


def read_parmfile(path: Path) -> Parameters:
    """Read the definitions; what is none is passed over."""
    kinds: dict[str, dict[str, dict[str, str]]] = {"rd": {}, "wd": {}}
    defaults: dict[str, dict[str, str]] = {"rd": {}, "wd": {}}
    for line in text.read_lines(path):
        parts: Sequence[tuple[str, str]] = _PART.findall(line.text.strip())
        if not parts or line.text.startswith(("*", "#", "/")) or parts[0][0] not in kinds:
            continue
        (kind, name), keys = parts[0], dict(parts[1:])
        if name == "default":
            defaults[kind] |= keys
        else:
            kinds[kind][name] = {**defaults[kind], **keys}
    return Parameters(kinds["rd"], kinds["wd"])


_BIN: Final = re.compile(
    r"\s*([0-9]{1,12}(?:[.,][0-9]{0,6})?)\s*<\s*(max|[0-9]{1,12}(?:[.,][0-9]{0,6})?)\s+([0-9][0-9.,'\s]{0,30}?)"
    r"\s+[0-9]{1,3}[.,][0-9]{1,4}\s+[0-9]{1,3}[.,][0-9]{1,4}(?:\s.*)?",
)


@dataclass
class RunHistogram:
    """The bins of one run, in ns; both directions in one where vdbench does not tell them apart."""

    start: RunStart
    read: Histogram | None = None
    write: Histogram | None = None
    both: Histogram | None = None


_Bin = tuple[int, int | None, int]


def read_histograms(path: Path, longest_ns: int) -> list[RunHistogram]:
    """The histograms of all runs, in the file's order.

    ``longest_ns``: the longest response that is known, as the end of the last bin, which has none.

    Raises ``InputError`` where a row is not a bin.
    """
    found: list[RunHistogram] = []
    title = ""
    rows: list[_Bin] = []
    for line in text.read_lines(path):
        begun = text.parse_start(line)
        if begun is not None:
            _close(found, title, rows, longest_ns)
            found.append(RunHistogram(begun))
            title, rows = "", []
            continue
        lowered = line.text.strip().lower()
        if lowered.endswith(":") and ("read" in lowered or "write" in lowered):
            _close(found, title, rows, longest_ns)
            title, rows = lowered, []
        elif "<" in line.text and "min(ms)" not in lowered:
            rows.append(_bin(line))
    _close(found, title, rows, longest_ns)
    return found


def _bin(line: ReportLine) -> _Bin:
    match = _BIN.fullmatch(line.text[:200])
    if match is None:
        raise line.error("damaged", "not a bin of a histogram: least ms < most ms, count, percent, percent")
    low = _ns(match[1])
    high = None if match[2] == "max" else _ns(match[2]) - 1
    if high is not None and high < low:
        raise line.error("damaged", "the bin ends before it begins")
    count = int(re.sub(r"[^0-9]", "", match[3]))
    if count >= 1 << 62:
        raise line.error("out-of-range", "the count of a bin is below 2^62")
    return low, high, count


def _ns(milliseconds: str) -> int:
    return round(float(milliseconds.replace(",", ".")) * 1e6)


def _close(found: list[RunHistogram], title: str, rows: list[_Bin], longest_ns: int) -> None:
    if not rows or not found:
        return
    low = [row[0] for row in rows]
    high = [row[1] if row[1] is not None else max(row[0], longest_ns) for row in rows]
    bins = Histogram.of(low, high, [row[2] for row in rows])
    reads, writes = "read" in title, "write" in title
    if reads and writes:
        found[-1].both = bins
    elif reads:
        found[-1].read = bins
    elif writes:
        found[-1].write = bins
