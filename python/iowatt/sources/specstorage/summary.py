"""The load points in a summary of SPECstorage Solution 2020 or SPEC SFS 2014: text, XML or CSV.

The benchmarks are licensed, and neither a summary nor the tables of the user's guides could be read: the
columns are those that public descriptions name, as remembered. So a row or a figure that does not fit is an
error.
"""

from __future__ import annotations

import csv
import io
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.base import input_file
from iowatt.base.errors import InputError

#: Columns of the text in their order, those of numbers; the workload's name and the verdict follow.
COLUMNS: Final = (
    "business metric", "requested op rate", "achieved op rate", "average latency", "overall throughput",
    "read throughput", "write throughput", "run time", "clients", "processes",
)  # fmt: skip
#: Other names of these in XML and CSV, in lower case.
_OTHER: Final = {
    "avg lat": "average latency", "avg lat (ms)": "average latency",
    "average latency (ms)": "average latency", "latency": "average latency",
    "total kbps": "overall throughput", "throughput": "overall throughput",
    "total throughput": "overall throughput", "read kbps": "read throughput",
    "write kbps": "write throughput", "run sec": "run time", "# cl": "clients", "cl proc": "processes",
    "processes per client": "processes", "workload name": "workload", "workload": "workload",
    "benchmark": "workload", "valid run": "valid",
}  # fmt: skip
_NEEDED: Final = ("business metric", "achieved op rate", "average latency", "run time")
_INVALID: Final = re.compile(r"invalid", re.IGNORECASE)
_MOST_POINTS: Final = 1000


@dataclass(frozen=True)
class BenchmarkLoad:
    """One load of a workload; figures by the names of ``COLUMNS``."""

    workload: str
    figures: Mapping[str, float]
    invalid: bool  #: The benchmark says that the run is not valid.
    place: str


def load_points(path: Path) -> list[BenchmarkLoad]:
    """The load points of a summary, in its order. Raises ``InputError`` with file and place."""
    text = input_file.text(path, "a summary of SPECstorage")
    head = text.lstrip("\ufeff \r\n")[:200]
    if head.startswith("<"):
        found = list(_of_xml(text, path))
    elif "," in head.partition("\n")[0]:
        found = list(_of_csv(text, path))
    else:
        found = list(_of_text(text, path))
    if not found:
        raise InputError("empty", str(path), "the summary has no load point")
    if len(found) > _MOST_POINTS:
        raise InputError("too-large", str(path), f"more than {_MOST_POINTS:,} load points")
    return found


def _of_text(text: str, path: Path) -> Iterator[BenchmarkLoad]:
    for number, line in enumerate(text.splitlines(), 1):
        words, place = line.split(), f"{path}:{number}"
        if not words or not _is_number(words[0]):
            continue  # the two lines of the head, rules, remarks
        numbers: list[float] = []
        for word in words:
            if not _is_number(word):
                break
            numbers.append(_number(word, place, COLUMNS[min(len(numbers), len(COLUMNS) - 1)]))
        rest = words[len(numbers) :]
        if len(numbers) < len(COLUMNS) or not rest:
            message = (
                f"a load point has {len(numbers)} numbers and {len(rest)} words; expected at least "
                f"{len(COLUMNS)} numbers ({', '.join(COLUMNS)}), then the workload"
            )
            raise InputError("damaged", place, message)
        figures = dict(zip(COLUMNS, numbers, strict=False))
        yield BenchmarkLoad(rest[0], figures, any(_INVALID.search(word) for word in rest[1:]), place)


def _of_csv(text: str, path: Path) -> Iterator[BenchmarkLoad]:
    rows = csv.reader(io.StringIO(text.removeprefix("\ufeff")))
    try:
        names = [_name(cell) for cell in next(rows)]
        for row in rows:
            place = f"{path}:{rows.line_num}"
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(names):
                raise InputError("damaged", place, f"{len(row)} cells where the head has {len(names)}")
            yield _point(dict(zip(names, (cell.strip() for cell in row), strict=True)), place)
    except csv.Error as error:
        raise InputError("damaged", f"{path}:{rows.line_num}", str(error)) from None


def _of_xml(text: str, path: Path) -> Iterator[BenchmarkLoad]:
    if "<!" in text.replace("<!--", ""):
        raise InputError(
            "wrong-format", str(path), "has a document type or sections of data, and a summary none"
        )
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        line = error.position[0]
        raise InputError("damaged", f"{path}:{line}", f"is not valid XML: {error}") from None
    for number, run in enumerate(root.iter("run"), 1):
        place = f"{path}: run {number}"
        said: dict[str, str] = {}
        for element in run.iter():
            tag, words = element.tag.replace("_", " ").lower(), (element.text or "").strip()
            if tag == "metric" and element.get("name"):
                said[_name(str(element.get("name")))] = words
            elif tag == "business metric":
                said["business metric"] = words
            elif tag == "benchmark":
                said["workload"] = element.get("name") or words
            elif tag.startswith("invalid"):
                said["valid"] = "INVALID"
        yield _point(said, place)


def _point(said: Mapping[str, str], place: str) -> BenchmarkLoad:
    missing = next((name for name in (*_NEEDED, "workload") if not said.get(name)), None)
    if missing is not None:
        raise InputError("damaged", place, f"a load point has no {missing}")
    figures = {name: _number(said[name], place, name) for name in COLUMNS if said.get(name)}
    return BenchmarkLoad(said["workload"], figures, bool(_INVALID.search(said.get("valid", ""))), place)


def _name(text: str) -> str:
    plain = " ".join(text.replace("_", " ").lower().split())
    return _OTHER.get(plain, plain)


def _is_number(word: str) -> bool:
    return re.fullmatch(r"[0-9]{1,18}(?:\.[0-9]{0,18})?", word, re.ASCII) is not None


def _number(word: str, place: str, name: str) -> float:
    if not _is_number(word) or not math.isfinite(float(word)):
        raise InputError("bad-syntax", f"{place}: {name}", f"{word[:40]!r} is not a number")
    return float(word)
