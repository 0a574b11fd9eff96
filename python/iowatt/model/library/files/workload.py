"""Mixes of operations on files, by name or file: what operations, on files of which sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from iowatt import core
from iowatt.base.document import TomlDocument, read_text
from iowatt.base.problems import Problem
from iowatt.base.quantity import BlockSize, Capacity
from iowatt.base.strict import Name, Strict, key
from iowatt.model.library.folders import LibraryFolder
from iowatt.model.library.source import FigureSource

FILE_WORKLOADS: Final = LibraryFolder("files", "file workload", "`iowatt files workloads`")

NOT_SPEC: Final = "in the manner of SPECstorage; not SPECstorage, results are not comparable"
"""What is said of every figure of the generator."""

#: Percentages may be off 100 in all by so much.
_SLACK: Final = 0.01
OpClass = Literal["metadata", "read", "write"]


@cache
def operations() -> dict[str, tuple[int, OpClass, Literal["read", "write"]]]:
    """By name: code, class, and the direction in which its requests count."""
    kinds: dict[str, tuple[OpClass, Literal["read", "write"]]] = {
        "read": ("read", "read"),
        "write": ("write", "write"),
        "ask": ("metadata", "read"),
        "change": ("metadata", "write"),
    }
    return {name: (code, *kinds[kind]) for code, (name, kind) in enumerate(core.file_operations())}


class FileSize(Strict):
    """Files of one size."""

    size: Capacity = key("Bytes of a file; `0B` for empty ones.")
    percent: int = key("Their share of the files in percent.", within=(1, 100))


class FileWorkload(Strict):
    """A mix of operations on files."""

    name: Name = key("Name of the workload.")
    title: str = key("What it stands for.", min_length=1)
    in_the_manner_of: str | None = key(
        "The licensed workload that it resembles and is not.", unset="it resembles none"
    )
    operations: dict[str, Annotated[float, Field(gt=0, le=100)]] = key(
        "Percent of each operation; 100 in all.", min_length=1
    )
    sizes: list[FileSize] = key("Sizes of the files; 100 percent in all.", min_length=1)
    transfer: BlockSize = key("Bytes of a read or write within a file.", within=(512, 1 << 26))
    durable: bool = key("Whether a write is on stable storage when it returns (O_DSYNC).", default=False)
    arrivals: Literal["poisson", "constant"] = key(
        "Law of the operations' intended times.", default="poisson"
    )
    assumptions: list[str] = key("What a reader must know.", default=[])
    source: list[FigureSource] = key("Where figures come from.", default=[])

    @property
    def mean_bytes(self) -> float:
        """Mean size of a file."""
        return math.fsum(one.size * one.percent for one in self.sizes) / 100

    @property
    def unverified(self) -> list[str]:
        """Keys whose figures nobody read in a publication."""
        return [key for one in self.source if one.quality == "assumed" for key in one.figures]


def find_file_workload(name: str, overrides: Sequence[str] = ()) -> FileWorkload:
    """The workload of a library name, or of a file that ends in ``.toml``; ``overrides`` are ``path=value``.

    Raises ``InputError`` where there is none, or it is wrong (with file and line).
    """
    if name.endswith(".toml"):
        document = TomlDocument(read_text(Path(name)), name, overrides, FileWorkload)
    elif name in FILE_WORKLOADS.names():
        document = FILE_WORKLOADS.document(name, overrides, FileWorkload)
    else:
        raise FILE_WORKLOADS.unknown(name)
    found = document.validate(FileWorkload)
    document.fail(_problems(found))
    return found


def _problems(workload: FileWorkload) -> Iterator[Problem]:
    known = operations()
    for name in workload.operations:
        if name not in known:
            message = f"no such operation; expected one of {', '.join(known)}"
            yield Problem("unknown-name", ("operations", name), message)
    for path, total in (
        ("operations", math.fsum(workload.operations.values())),
        ("sizes", float(sum(one.percent for one in workload.sizes))),
    ):
        if abs(total - 100) > _SLACK:
            message = f"adds up to {total:g} %, and 100 % are accepted"
            yield Problem("conflict", (path,), message, f"change another of them by {100 - total:+g}")
    if all(one.size == 0 for one in workload.sizes):
        yield Problem("not-accepted", ("sizes",), "no file has a byte")


def file_workload_names() -> tuple[str, ...]:
    """Names of the library's workloads, sorted."""
    return FILE_WORKLOADS.names()
