"""Results of COM tests, ``iowatt.emerald-com/1``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.base.units import format_bytes

COM_SCHEMA: Final = "iowatt.emerald-com/1"


def shown(count: int) -> str:
    """Bytes for people, in powers of 1024 as the sets have them."""
    text = format_bytes(abs(count), binary=True)
    return f"-{text}" if count < 0 else text


Verdict = Literal["yes", "no", "not tested"]


@dataclass(frozen=True)
class Step:
    """One action, and the space that was free after it."""

    what: str
    free_bytes: int
    #: Seconds until the free space no longer changed, in whole ms.
    settled_s: float = 0.0

    def __post_init__(self) -> None:
        """Drop what is below a ms."""
        object.__setattr__(self, "settled_s", round(self.settled_s, 3))


@dataclass(frozen=True)
class ComTest:
    """One test."""

    com: str
    verdict: Verdict
    why: str
    steps: Sequence[Step] = ()
    #: The figure that was compared, percent, and its limit.
    percent: float | None = None
    limit_percent: float | None = None
    #: Rules without a verified value that the verdict rests on.
    unverified: Sequence[str] = ()


class RulesOf(Result):
    """The rules, to the byte."""

    profile: str
    version: str
    sha256: str


class DataSets(Result):
    """The data written: bytes of a set, and its kinds of blocks."""

    bytes: int
    seed: int
    block_bytes: int
    distinct: int
    zeros: float


class ComTests(ResultDocument):
    """Which capacity optimisation methods a target has."""

    schema_id: Literal["iowatt.emerald-com/1"] = Field(default="iowatt.emerald-com/1", alias="schema")
    target: str
    source: Literal["simulation", "storage"]
    started_at: str
    rules: RulesOf
    sets: DataSets
    coms: list[ComTest]
    notes: list[Note]
