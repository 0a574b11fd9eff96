"""The pages of the forms with the jobs they submit, and nothing else of the server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

from fastapi import FastAPI
from fastapi.responses import FileResponse

from iowatt.render import html
from iowatt.web.context import STATIC, ServerContext
from iowatt.web.errors import add_handlers
from iowatt.web.jobs import JobEvents, JobQueue, Workers
from iowatt.web.routes.choose import choose_router
from iowatt.web.routes.jobs import jobs_router
from iowatt.web.routes.power import power_router
from iowatt.web.safety import Safety, SafetySettings

CSRF = "token-of-the-tests"


def forms_app(workspace: Path, host: str = "testserver", *, workers: int = 0) -> FastAPI:
    queue = JobQueue(workspace / ".iowatt" / "serve.sqlite")
    events = JobEvents(queue, listeners=20)
    pool = Workers(workspace, queue, workers) if workers else None

    @asynccontextmanager
    async def life(_app: FastAPI) -> AsyncIterator[None]:
        events.start()
        if pool is not None:
            pool.start()
        yield
        if pool is not None:
            pool.stop()
        events.stop()
        queue.close()

    context = ServerContext(workspace, queue, SimpleNamespace(), CSRF)
    files = {**html.assets(), **{file.name: file for file in STATIC.iterdir()}}
    app = FastAPI(lifespan=life)
    add_handlers(app)

    @app.get("/assets/{name}", include_in_schema=False)
    def asset(name: str) -> FileResponse:
        return FileResponse(files[name])

    @app.get("/favicon.ico", include_in_schema=False)
    def icon() -> FileResponse:
        return FileResponse(STATIC / "icon.svg")

    for router in (choose_router(context), power_router(context), jobs_router(queue, events)):
        app.include_router(router)
    app.state.queue = queue
    app.add_middleware(Safety, settings=SafetySettings(frozenset({host}), csrf=CSRF))
    return app
