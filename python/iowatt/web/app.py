"""The application: routes, assets and the guard before them, and what runs beside."""

from __future__ import annotations

import secrets
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fastapi import FastAPI
from fastapi.responses import FileResponse, JSONResponse, Response

from iowatt.render.html import assets
from iowatt.web.catalogue import STATE_FILE, ResultsCatalogue
from iowatt.web.context import STATIC, ServerContext
from iowatt.web.errors import add_handlers
from iowatt.web.jobs import JobEvents, JobLimits, JobQueue, Workers
from iowatt.web.routes import (
    access_router,
    choose_router,
    jobs_router,
    pages_router,
    power_router,
    results_router,
    uploads_router,
    whatif_router,
)
from iowatt.web.safety import LOGIN, Safety, SafetySettings, error_body
from iowatt.web.whatif import warm_up

if TYPE_CHECKING:
    from iowatt.web.safety import Application

_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


@dataclass(frozen=True)
class ServerSettings:
    """What `iowatt serve` is asked for.

    Parameters
    ----------
    hosts:
        Accepted ``Host`` headers.
    access:
        Token that every request needs; None for a server of this machine only.
    workers:
        Processes that do jobs.
    limits:
        Of jobs and uploads.
    """

    hosts: frozenset[str]
    access: str | None = None
    workers: int = 2
    limits: JobLimits = field(default_factory=JobLimits)
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(32))


def make_app(root: Path, settings: ServerSettings) -> Application:
    """The server of a workspace, guarded. Its indexer and workers start and end with it."""
    catalogue = ResultsCatalogue(root)
    queue = JobQueue(root / STATE_FILE, queued=settings.limits.queued)
    events = JobEvents(queue, listeners=settings.limits.listeners)
    workers = Workers(root, queue, settings.workers, limits=settings.limits)
    context = ServerContext(root, queue, catalogue, settings.csrf)

    @asynccontextmanager
    async def beside(_app: FastAPI) -> AsyncIterator[None]:
        catalogue.start()
        workers.start()
        events.start()
        threading.Thread(target=warm_up, args=(root,), daemon=True).start()
        try:
            yield
        finally:
            events.stop()
            workers.stop()
            catalogue.stop()
            queue.close()

    app = FastAPI(
        title="iowatt", lifespan=beside, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json"
    )
    add_handlers(app, context.error_page)
    app.include_router(results_router(context))
    app.include_router(whatif_router(context))
    app.include_router(jobs_router(queue, events))
    app.include_router(uploads_router(queue, root, settings.limits))
    app.include_router(choose_router(context))
    app.include_router(power_router(context))
    app.include_router(pages_router(context))
    if settings.access is not None:
        app.include_router(access_router(settings.access))
    _add_assets(app)
    safety = SafetySettings(
        hosts=settings.hosts, csrf=settings.csrf, access=settings.access,
        open_paths=frozenset({LOGIN, "/assets/report.css", "/assets/app.css", "/assets/icon.svg"}),
        uploads=("/api/uploads/",),
    )  # fmt: skip
    return Safety(app, safety)


def _add_assets(app: FastAPI) -> None:
    """Scripts and styles: files of this package by name, nothing else."""
    files = {**assets(), **{file.name: file for file in STATIC.iterdir() if file.suffix in _TYPES}}

    @app.get("/assets/{name}", include_in_schema=False)
    def asset(name: str) -> Response:
        if name not in files:
            return JSONResponse(error_body("not-found", "no such file"), 404)
        file = files[name]
        # A new version is asked for by its stamp; plotly alone is 1.5 MB.
        return FileResponse(file, media_type=_TYPES[file.suffix], headers={"cache-control": "no-cache"})
