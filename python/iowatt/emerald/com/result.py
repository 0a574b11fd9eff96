"""Results of COM tests, ``iowatt.emerald-com/1``, and how ``iowatt emerald com`` shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.base.units import format_bytes
from iowatt.emerald.rules import Rules
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, text_columns

COM_SCHEMA: Final = "iowatt.emerald-com/1"


def size_text(count: int) -> str:
    """Bytes in powers of 1024, as the sets have them."""
    text = format_bytes(abs(count), binary=True)
    return f"-{text}" if count < 0 else text


#: undecided: so many tries did not tell, because something else writes there.
Verdict = Literal["yes", "no", "not tested", "undecided"]


@dataclass(frozen=True)
class Step:
    """One action, and the space that was free after it."""

    what: str
    free_bytes: int
    settled_s: float = 0.0  #: Seconds until the free space no longer changed, in whole ms.

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
    percent: float | None = None  #: The figure that was compared, percent, and its limit.
    limit_percent: float | None = None
    #: The figures of all tries, and the 95 % interval that decided or did not; None: tested once.
    tries_percent: Sequence[float] = ()
    interval_percent: tuple[float, float] | None = None
    unverified: Sequence[str] = ()  #: Rules without a verified value that the verdict rests on.


def judged(
    com: str,
    rules: Rules,
    key: str,
    *,
    percent: float,
    why: str,
    steps: Sequence[Step] = (),
    over: bool = False,
) -> ComTest:
    """Yes where ``percent`` is at most the limit of the rule ``key``, or with ``over`` above it."""
    limit, rule = rules.number(key), rules.rule(key)
    verdict: Verdict = "yes" if (percent > limit if over else percent <= limit) else "no"
    unverified = [] if rule.verified else [rule.key]
    return ComTest(com, verdict, why, steps, percent, limit, unverified=unverified)


class RulesVersion(Result):
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
    rules: RulesVersion
    sets: DataSets
    coms: list[ComTest]
    notes: list[Note]


def document(result: ComTests) -> Document:
    """The document of COM tests."""
    kind = "modelled" if result.source == "simulation" else "measured"
    return Document(
        key="com",
        kind="capacity optimisation",
        title=result.target,
        meta=f"{kind} · rules {result.rules.profile}",
        verdict=[_verdict(result)],
        sections=[
            Section("tests", "Tests", [_tests(result)]),
            Section("steps", "Steps", [_steps(result)], folded=True),
        ],
        caveats=[Caveat(note.text, note.decides) for note in result.notes],
    )


def _verdict(result: ComTests) -> str:
    there = [one.com for one in result.coms if one.verdict == "yes"]
    tested = sum(one.verdict in ("yes", "no") for one in result.coms)
    undecided = sum(one.verdict == "undecided" for one in result.coms)
    which = f" ({', '.join(there)})" if there else ""
    return (
        f"{len(there)} of {tested} tested methods are there{which}; "
        + (f"{undecided} undecided; " if undecided else "")
        + f"{len(result.coms) - tested - undecided} not tested."
    )


def _tests(result: ComTests) -> Figure:
    rows: list[list[Cell]] = [
        [one.com, one.verdict + " *" * bool(one.unverified), one.why, one.percent, one.limit_percent]
        for one in result.coms
    ]
    columns = [
        *text_columns("Method", "There"), Column("Why", text=True), Column("Found", "%", rank=2),
        Column("Limit", "%", rank=2),
    ]  # fmt: skip
    caption = "* by an unverified limit."
    return Figure(
        "tests", "Capacity optimisation methods", caption, Table(columns, rows), wide=True, brief=True
    )


def _steps(result: ComTests) -> Figure:
    rows: list[list[Cell]] = [
        [one.com, step.what, step.free_bytes, step.settled_s] for one in result.coms for step in one.steps
    ]
    columns = [*text_columns("Method", "Step"), Column("Free", "bytes"), Column("Settled after", "s")]
    return Figure("steps", "Free space after each step", "", Table(columns, rows), wide=True)
