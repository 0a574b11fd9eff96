"""What-if as data: the knobs of a design, an estimate at once, then the Run."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query
from pydantic import Field, StringConstraints

from iowatt.base.results import Result
from iowatt.run.bundle import Run
from iowatt.web.context import ServerContext
from iowatt.web.errors import RESPONSES
from iowatt.web.jobs import JobRecord
from iowatt.web.whatif import (
    Change,
    DriveMenu,
    EstimateAnswer,
    Knob,
    WhatIfFigures,
    delete_runs,
    design_of,
    drive_menu,
    estimate_design,
    examples,
    knobs_of,
    priced,
)

_Name = Annotated[str, StringConstraints(min_length=1, max_length=1024, pattern=r"^[^\x00-\x1f\x7f]*$")]
_Change = Annotated[str, StringConstraints(max_length=400)]
_Tariff = Annotated[str, StringConstraints(max_length=200)]
_Years = Annotated[float, Field(gt=0, le=50)]


class AskedChange(Result):
    """A design with changes."""

    of: _Name  #: run:PATH, scenario:PATH or example:NAME.toml.
    set: Annotated[list[_Change], Field(max_length=100, default_factory=list)]  #: PATH=VALUE
    trace: dict[str, Any] | None = None  #: Keys of `trace` of an uploaded trace.
    tariff: _Tariff | None = None
    years: _Years | None = None

    @property
    def change(self) -> Change:
        """The changes of the design itself."""
        return Change(tuple(self.set), self.trace)


class AskedPrice(Result):
    """A Run to be priced."""

    path: _Name
    tariff: _Tariff | None = None
    years: _Years | None = None


class RunsToKeep(Result):
    """What-if Runs that are not to be deleted with the others: their paths in the workspace."""

    keep: Annotated[list[_Name], Field(max_length=10_000, default_factory=list)]


class DeletedRuns(Result):
    """How many Runs were deleted."""

    deleted: int


class DesignAnswer(Result):
    """A design and what can be turned."""

    of: str
    title: str
    knobs: list[Knob]


class DesignText(Result):
    """A changed design to take away."""

    toml: str
    command: str


class StartingPoint(Result):
    """A design to begin with."""

    of: str
    title: str


class StartingPoints(Result):
    """Shipped designs."""

    examples: list[StartingPoint]


def whatif_router(context: ServerContext) -> APIRouter:
    """The routes of what-if."""
    router = APIRouter(responses=RESPONSES, tags=["what-if"])
    root = context.root

    @router.get("/api/whatif/examples")
    def shipped() -> StartingPoints:
        """Designs to begin with."""
        return StartingPoints(examples=[StartingPoint(of=of, title=title) for of, title in examples()])

    @router.get("/api/whatif/drives")
    def drives() -> DriveMenu:
        """Drives that a design can be changed to, by class, the newest first."""
        return drive_menu()

    @router.get("/api/whatif/design")
    def design(of: Annotated[_Name, Query()]) -> DesignAnswer:
        """The knobs of a design."""
        found = design_of(of, root)
        return DesignAnswer(of=of, title=found.title, knobs=knobs_of(found.raw))

    @router.post("/api/whatif/estimate")
    def estimated(asked: Annotated[AskedChange, Body()]) -> EstimateAnswer:
        """What the estimator says of a changed design."""
        return estimate_design(
            design_of(asked.of, root), asked.change, tariff=asked.tariff, years=asked.years
        )

    @router.post("/api/whatif/text")
    def text(asked: Annotated[AskedChange, Body()]) -> DesignText:
        """The changed design as TOML and as a command."""
        found = design_of(asked.of, root)
        return DesignText(toml=found.text(asked.change), command=found.command(asked.change))

    @router.post("/api/whatif/simulate", status_code=202)
    def simulate(asked: Annotated[AskedChange, Body()]) -> JobRecord:
        """Queue the simulation of a changed design; one that was simulated before is found again."""
        found = design_of(asked.of, root)
        found.prepared(asked.change)  # an impossible design is refused here, where its author waits
        scenario = found.text(asked.change)
        title = ", ".join([found.title, *(one.split(".", 2)[-1] for one in sorted(asked.set))])
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", title)[:64].strip("-._")
        request: dict[str, Any] = {"scenario": scenario, "base": found.base, "set": [], "name": name or None}
        digest = hashlib.sha256(json.dumps(request).encode()).hexdigest()
        job = context.queue.submit("run", name or "what-if", request, key=f"what-if {digest}")
        if job.result is not None and not (root / job.result).is_dir():  # somebody removed the Run
            job = context.queue.submit("run", name or "what-if", request)
        return job

    @router.post("/api/whatif/priced")
    def price(asked: Annotated[AskedPrice, Body()]) -> WhatIfFigures:
        """The figures of a Run under a tariff, over some years."""
        run = Run.open(context.folder(asked.path))
        return priced(run, tariff=asked.tariff, years=asked.years)

    @router.post("/api/whatif/delete")
    def delete(asked: Annotated[RunsToKeep, Body()]) -> DeletedRuns:
        """Delete the what-if Runs of the workspace but for some. The same change simulates one again."""
        deleted = delete_runs(root, frozenset(asked.keep))
        context.catalogue.look(now=True)
        return DeletedRuns(deleted=deleted)

    return router
