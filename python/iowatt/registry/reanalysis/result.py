"""What a new analysis of a submission found."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from iowatt.base.results import Result, ResultDocument
from iowatt.registry.bundle import Basis


class Discrepancy(Result):
    """A place where what is claimed is not what a new analysis gives."""

    place: str
    claimed: str
    found: str


class FoundFigure(Result):
    """A metric as the registry found it."""

    metric: str
    unit: str
    value: float | None
    shown: str | None


class Reanalysis(ResultDocument):
    """A submission analysed again: the same bytes each time."""

    schema_id: Literal["iowatt.reanalysis/1"] = Field(default="iowatt.reanalysis/1", alias="schema")
    reproduced: bool
    basis: Basis
    metric_family: str  #: Metrics of different families are never ranked together.
    standing: Literal["compliant", "valid", "invalid", "unjudged"]  #: By the rules; a Run is not judged.
    unverified_rules: int  #: Values of the rules that were used and that nobody verified.
    year: int | None  #: Of the measurement; of a simulation, of its making.
    figures: list[FoundFigure]
    differences: list[Discrepancy]  #: The first ones.
    document: dict[str, Any]  #: The result, as `iowatt emerald analyze` or `iowatt run` writes it.
