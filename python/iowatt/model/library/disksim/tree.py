"""The syntax tree of a parameter file: blocks of named values with their places."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias


@dataclass(frozen=True)
class Range:
    """``disk0 .. disk31``: all names from the first number to the last."""

    first: str
    last: str


Value: TypeAlias = "int | float | str | Range | Block | list[Value]"


@dataclass(frozen=True)
class Assignment:
    """One ``key = value``; ``line`` is where the value starts."""

    value: Value
    line: int


@dataclass(frozen=True)
class Block:
    """``type NAME { key = value, ... }``; ``name`` is empty where none is given.

    ``path`` is the file that holds it: names of other files in it are relative to that one.
    """

    type: str
    name: str
    entries: dict[str, Assignment]
    path: Path
    line: int

    def where(self, key: str | None = None) -> str:
        """``file:line`` of ``key``, or of the block itself."""
        entry = self.entries.get(key) if key is not None else None
        return f"{self.path}:{entry.line if entry else self.line}"

    def __str__(self) -> str:
        return f"{self.type} {self.name}".strip()


@dataclass(frozen=True)
class Instance:
    """``instantiate [ names ] as specification``, one per name."""

    name: str
    of: str
    where: str


@dataclass(frozen=True)
class Node:
    """A component and those below it, from a ``topology`` statement."""

    type: str
    name: str
    children: tuple[Node, ...]
    where: str


@dataclass
class ParameterFile:
    """All statements of a file and of the files that it sources, in order."""

    path: Path
    blocks: list[Block] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    topology: list[Node] = field(default_factory=list)

    def of_type(self, *types: str) -> list[Block]:
        """The top-level blocks of these types."""
        return [block for block in self.blocks if block.type in types]
