"""A sweep or a curve as a document, ``iowatt.sweep/1``: its table in rows, and where its files are."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from iowatt.base.results import Result, ResultDocument
from iowatt.evaluate.search import basis
from iowatt.evaluate.search.axes import Cell
from iowatt.evaluate.search.sweep import SweepResult


class SweepWarning(Result):
    """A doubtful design, and the points that have it."""

    points: list[int]
    message: str


class SweepDocument(ResultDocument):
    """What a search found."""

    schema_id: Literal["iowatt.sweep/1"] = Field(default="iowatt.sweep/1", alias="schema")
    kind: str
    #: The folder, and files in it.
    path: str
    table: str
    csv: str
    report: str
    #: Columns of each axis.
    axes: list[list[str]]
    #: Points without figures.
    failed: int
    resumed: int
    warnings: list[SweepWarning]
    #: Whose watts the figures are, and which models are stand-ins.
    basis: str | None
    #: The rows of the table (docs/reference/sweep.md).
    points: list[dict[str, Cell | None]]


def sweep_document(found: SweepResult, target: Path) -> SweepDocument:
    """The document of a search whose folder is ``target``."""
    rows = found.frame.to_dicts()
    return SweepDocument(
        kind=found.request.kind,
        path=str(target),
        table=str(target / "table.parquet"),
        csv=str(target / "table.csv"),
        report=str(target / "report.html"),
        axes=[list(axis.columns) for axis in found.request.axes],
        failed=found.failed,
        resumed=found.resumed,
        warnings=[SweepWarning(points=list(one.points), message=one.text) for one in found.warned],
        basis=basis.basis_line(rows) or None,
        points=rows,
    )
