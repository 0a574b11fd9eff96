"""The result of a report: its mark, what is missing, and the ENERGY STAR fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from pydantic import Field

from iowatt.base.results import Result, ResultDocument
from iowatt.emerald.analyze import Analysis

OURS: Final = (
    "Test data report made by iowatt. It is not SNIA's template, and nothing in it was submitted to or "
    "accepted "
    "by SNIA or ENERGY STAR."
)
NOT_THE_TEMPLATE: Final = "not SNIA's template"
"""Stands at the foot of every page and sheet."""

State = Literal["there", "missing", "refused", "not applicable"]


class Item(Result):
    """A required item of the report."""

    page: str
    what: str
    state: State
    how: str = ""  #: How to supply it; of what is refused, why.

    @property
    def lacking(self) -> bool:
        """Whether the report is incomplete without it."""
        return self.state in ("missing", "refused")


class Mark(Result):
    """The line on every page."""

    kind: str  #: "MEASURED" or "MODELLED, not measured".
    against: tuple[str, ...]  #: Why the figures are not Emerald results; empty where nothing was found.
    judged: str

    @property
    def compliant(self) -> bool:
        """Whether nothing was found against it."""
        return not self.against

    @property
    def standing(self) -> str:
        """Compliance in words."""
        return f"NON-COMPLIANT ({'; '.join(self.against)})" if self.against else "no deviation found"

    @property
    def line(self) -> str:
        """The mark in a line, short enough for a header."""
        return f"{self.kind} · {self.standing} · {self.judged}"


class MissingField(Result):
    """A field that is empty although a submission would have it."""

    field: str
    how: str


class Export(ResultDocument):
    """A row of ENERGY STAR's data set."""

    schema_id: Literal["iowatt.energystar-export/1"] = Field(
        default="iowatt.energystar-export/1", alias="schema"
    )
    title: str
    note: str = OURS
    analysis: str
    kind: str
    compliant: bool
    against: tuple[str, ...]
    judged: str
    fields: dict[str, str | float | int]  #: Values by name, of those that are known.
    notes: dict[str, str]  #: Of a figure, whether it is measured or modelled, by name.
    missing: list[MissingField]
    remarks: list[str]  #: Problems of the row other than missing fields.
    unverified: list[str]  #: Fields that nobody compared with the programme's own list.


class ReportResult(ResultDocument):
    """A report for programs: its mark and the state of each required item."""

    schema_id: Literal["iowatt.emerald-report/1"] = Field(default="iowatt.emerald-report/1", alias="schema")
    title: str
    kind: str
    compliant: bool
    against: tuple[str, ...]
    judged: str
    complete: bool  #: Whether nothing is missing.
    items: list[Item]
    energystar: Export | None = Field(default=None, exclude_if=lambda value: value is None)


def mark(found: Analysis) -> Mark:
    """The mark of an analysis."""
    kind = {"measured": "MEASURED", "modelled": "MODELLED, not measured"}.get(found.kind, found.kind.upper())
    against = tuple(_against(found)) or (() if found.compliant else ("see Findings",))
    return Mark(kind=kind, against=against, judged=found.judged)


def driver(found: Analysis) -> str:
    """The load generator, as a report must name it."""
    if found.source == "simulation":
        return "simulation"
    if found.source == "files":
        return "Emerald-like (file operations by iowatt)"
    other = any(one.code == "driver-other" for one in found.findings)
    return f"Emerald-like ({found.source})" if other or found.source == "fio" else str(found.source)


def _against(found: Analysis) -> Iterator[str]:
    if found.time_scale < 1:
        yield f"time scale {found.time_scale:g}, a dry run"
    name = driver(found)
    if name.startswith("Emerald-like"):
        yield name
    if found.source == "simulation":
        yield "simulated"
    invalid = [part.phase for part in found.parts if part.status != "valid"]
    if invalid:
        yield f"{', '.join(invalid)} invalid"
    elif found.status != "valid":
        yield "the measurement is invalid"
    stated = ("time-scaled", "driver-other", "modelled", "plan-deviation")
    findings = [one for one in found.findings if one.code not in stated]
    findings += [one for part in found.parts for one in part.findings]
    others = sum(one.weight == "non-compliant" for one in findings)
    if others:
        yield f"{others} further deviation{'' if others == 1 else 's'}, see Findings"
