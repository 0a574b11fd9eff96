"""The catalogue as data: the state, the points of the chart, the table."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import JSONResponse, Response
from pydantic import StringConstraints

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.web.catalogue import CataloguePoints, CatalogueState, ResultsPage
from iowatt.web.context import ServerContext
from iowatt.web.errors import RESPONSES
from iowatt.web.jobs import JobId
from iowatt.web.jobs.result import UploadDescription
from iowatt.web.results import MOST_RUNS

_Path = Annotated[str, StringConstraints(max_length=1024)]


def results_router(context: ServerContext) -> APIRouter:
    """The routes of the catalogue."""
    router = APIRouter(responses=RESPONSES, tags=["results"])
    catalogue = context.catalogue
    kept: dict[int, bytes] = {}

    @router.get("/api/workspace")
    def state() -> CatalogueState:
        """How many results there are; folders are looked at again where that was some seconds ago."""
        catalogue.look()
        return catalogue.state()

    @router.get("/api/points", response_model=CataloguePoints)
    def points() -> Response:
        """The Runs as columns."""
        found = catalogue.points()
        body = kept.get(id(found))
        if body is None:
            # Columns of plain values: a model would check each of a hundred thousand again.
            columns = {name: getattr(found, name) for name in CataloguePoints.model_fields}
            body = bytes(JSONResponse(columns).body)
            kept.clear()
            kept[id(found)] = body
        return Response(body, media_type="application/json")

    @router.get("/api/described/{identity}")
    def described(identity: Annotated[JobId, Path()]) -> UploadDescription:
        """What an upload is, by the job that described it."""
        job = context.queue.job(identity)
        if job.kind != "describe" or job.result is None:
            raise InputError("not-found", identity, "this job has described no upload")
        return UploadDescription.model_validate(input_file.json_object(context.root / job.result))

    @router.get("/api/results")
    def table(
        *,
        text: Annotated[str, Query(max_length=200)] = "",
        kind: Annotated[str, Query(max_length=40)] = "",
        sort: Annotated[str, Query(max_length=40)] = "at",
        descending: bool = True,
        offset: Annotated[int, Query(ge=0, le=1_000_000_000)] = 0,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
        what_if: bool = True,
        keep: Annotated[list[_Path], Query(max_length=MOST_RUNS, default_factory=list)],
    ) -> ResultsPage:
        """A part of the table: rows whose name, folder, system or source has every word of ``text``.

        Without ``what_if`` Runs of the folder what-if are left out, but for those that ``keep`` names.
        """
        return catalogue.page(
            text=text, kind=kind, sort=sort, descending=descending, offset=offset, limit=limit,
            what_if=what_if, keep=[one.replace("\0", "") for one in keep],
        )  # fmt: skip

    return router
