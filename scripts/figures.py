"""Read a document as figures by key path: what scripts/corpus.py records and compares.

JSON, TOML and Parquet are read by their keys, anything else as its numbers in order. A figure is a number, a
boolean, a null or a string without white space (a name, a code, an enumerated value); the rest is text.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import re
import tomllib
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

#: Lists longer than this are recorded as count, sum and moment of each key: the recording stays small.
LONG: Final = 8
#: Strings longer than this are text.
IDENTIFIER: Final = 80
#: Absolute and climbing paths: they depend on where the corpus runs.
PLACES: Final = re.compile(r"(?:\.\.)?(?:/[\w.+-]+){2,}")

Figure = str | int | float | bool | None


@dataclass
class Document:
    """Figures by key path (``energy.total_j``, ``devices.0.name``), and a digest of the text beside them."""

    figures: dict[str, Figure] = field(default_factory=dict)
    text: str = ""


def leaves(value: object, path: str = "") -> Iterator[tuple[str, Figure]]:
    """Yield each leaf of a JSON value with its key path; long lists as count, sum and moment by key."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and len(value) > LONG:
        columns: dict[str, list[Figure]] = defaultdict(list)
        for item in value:
            for key, leaf in leaves(item):
                if not is_text(leaf):
                    columns[key].append(leaf)
        for key, column in columns.items():
            yield from leaves(fold(column), ".".join(filter(None, (path, "*", key))))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, f"{path}.{index}" if path else str(index))
    else:
        assert value is None or isinstance(value, str | int | float), value
        yield path, value


def fold(column: Iterable[Figure]) -> dict[str, Figure]:
    """Return the count, the sum and the first moment of figures; a moment tells one order from another."""
    numbers = [number(figure) for figure in column]
    finite = [one if math.isfinite(one) else 0.0 for one in numbers]
    moment = math.fsum(one * (index + 1) for index, one in enumerate(finite))
    return {"count": len(numbers), "sum": math.fsum(finite), "moment": moment}


def number(figure: Figure) -> float:
    """Return a number for any figure: of a string its checksum."""
    if isinstance(figure, str):
        return float(zlib.crc32(figure.encode()))
    return -1.0 if figure is None else float(figure)


def is_text(leaf: Figure) -> bool:
    """Tell whether a leaf is free text rather than a figure; paths of this machine count as text."""
    return isinstance(leaf, str) and (
        not leaf
        or len(leaf) > IDENTIFIER
        or bool(re.search(r"\s", leaf))
        or leaf.startswith(("/", "../", "file:"))
    )


def read(path: Path, rules: Iterable[str]) -> Document:
    """Read a document: JSON, TOML and Parquet by keys, anything else as its numbers in order."""
    found, texts = Document(), []
    for key, leaf in leaves(content(path)):
        if any(fnmatch(f".{key}", rule) for rule in rules):
            continue
        if is_text(leaf):
            texts.append(PLACES.sub("PATH", f"{key}={leaf}"))
        else:
            found.figures[key] = leaf
    found.text = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]
    return found


def content(path: Path) -> object:
    """Return what a file holds as a JSON value."""
    if path.suffix == ".parquet":
        import polars

        return {column.name: fold(_plain(column.to_list())) for column in polars.read_parquet(path)}
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".toml":
        return json.loads(json.dumps(tomllib.loads(text), default=str))
    with contextlib.suppress(json.JSONDecodeError):
        return json.loads(text)
    return {"numbers": [float(one) for one in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", text)]}


def _plain(values: list[Any]) -> list[Figure]:
    return [one if isinstance(one, int | float | None) else str(one) for one in values]
