"""Pages: the systems of the workspace, results, lenses on Runs, jobs, traces."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse, HTMLResponse, Response

from iowatt.base.errors import InputError
from iowatt.render.document import Document
from iowatt.render.numbers import significant
from iowatt.web.context import SITE, ServerContext
from iowatt.web.errors import RESPONSES
from iowatt.web.results import MOST_RUNS, GroupedRun, LensRequest, documents_of, lens_documents, runs_in

_Path = Annotated[str, Query(min_length=1, max_length=1024)]
_KEPT_POLICY = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; frame-ancestors 'self'"
)
"""Of a page that lies in the workspace: it draws, in an origin of its own, and asks nobody."""


def pages_router(context: ServerContext) -> APIRouter:
    """The routes of pages."""
    router = APIRouter(responses=RESPONSES, default_response_class=HTMLResponse, include_in_schema=False)

    @router.get("/")
    def systems() -> HTMLResponse:
        """All Runs on milliseconds against watts, and what-if beside them."""
        context.catalogue.look()
        return context.page(
            "systems.html", here="/", title="Systems", modules=["systems.js"], plotly=True,
            workspace=context.root.name,
        )  # fmt: skip

    @router.get("/jobs")
    def jobs() -> HTMLResponse:
        """What runs, waits and has ended."""
        return context.page("jobs.html", here="/jobs", title="Jobs", modules=["jobs.js"])

    @router.get("/traces")
    def traces() -> HTMLResponse:
        """Drop a trace or a result of a load generator."""
        return context.page("traces.html", here="/traces", title="Traces", modules=["traces.js"])

    @router.get("/result/{path:path}")
    def result(path: str, download: bool = False) -> Response:
        """A result as its page is."""
        folder = context.folder(path)
        runs = runs_in(folder)
        if runs:
            return _group(context, path, runs)
        found = documents_of(folder)
        if isinstance(found, Path):
            if download:
                return FileResponse(found, filename=f"{folder.name}.html", media_type="text/html")
            if found.is_symlink():
                raise InputError("not-found", path, "its page is a link; expected a file")
            address = f"/kept/{quote(path)}"
            return context.page("kept.html", here="", title=folder.name, address=address, path=path)
        return _shown(found, folder.name, download=download)

    @router.get("/kept/{path:path}")
    def kept(path: str) -> Response:
        """The page that was written with a result, for a frame."""
        found = documents_of(context.folder(path))
        if not isinstance(found, Path):
            raise InputError("not-found", path, "no page was written with it")
        return FileResponse(found, media_type="text/html", headers={"content-security-policy": _KEPT_POLICY})

    @router.get("/view/{lens}")
    def view(
        lens: str,
        *,
        run: Annotated[list[_Path], Query(max_length=MOST_RUNS)],
        within: Annotated[str | None, Query(max_length=40)] = None,
        of: Annotated[str, Query(max_length=20)] = "p95",
        tariff: Annotated[str | None, Query(max_length=200)] = None,
        years: Annotated[float | None, Query(gt=0, le=50)] = None,
        download: bool = False,
    ) -> Response:
        """A lens on Runs."""
        folders = [context.folder(one) for one in run]
        found = lens_documents(lens, LensRequest(folders, within or None, of, tariff or None, years))
        return _shown(found, lens, download=download)

    return router


def _group(context: ServerContext, path: str, runs: list[GroupedRun]) -> HTMLResponse:
    """The page of a folder of Runs: the job groups of one measurement."""
    query = urlencode([("run", f"{path}/{one.folder}") for one in runs])
    return context.page(
        "group.html", here="", title=f"{len(runs)} Runs", path=path, runs=runs, significant=significant,
        query=query if len(runs) <= MOST_RUNS else None,
    )  # fmt: skip


def _shown(documents: list[Document], name: str, *, download: bool) -> Response:
    """Documents as a page of this site, or as a file that needs nothing else."""
    from iowatt.render.write import page

    if not download:
        return HTMLResponse(page(documents, site=SITE))
    disposition = f"attachment; filename*=UTF-8''{quote(name)}.html"
    return HTMLResponse(page(documents), headers={"content-disposition": disposition})
