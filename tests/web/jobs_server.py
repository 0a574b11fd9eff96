"""Routes of jobs and uploads alone: ``python jobs_server.py WORKSPACE PORT WORKERS [LIMITS]``."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from iowatt.web.errors import add_handlers
from iowatt.web.jobs import JobEvents, JobLimits, JobQueue, Workers
from iowatt.web.routes.jobs import jobs_router
from iowatt.web.routes.uploads import uploads_router


def jobs_app(workspace: Path, workers: int, limits: JobLimits | None = None) -> FastAPI:
    limits = limits or JobLimits()
    queue = JobQueue(workspace / ".iowatt" / "serve.sqlite", queued=limits.queued)
    events = JobEvents(queue, listeners=limits.listeners)
    pool = Workers(workspace, queue, workers, limits=limits) if workers else None

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

    app = FastAPI(lifespan=life)
    add_handlers(app)
    app.include_router(jobs_router(queue, events))
    app.include_router(uploads_router(queue, workspace, limits))
    app.state.queue, app.state.events, app.state.workers = queue, events, pool
    return app


if __name__ == "__main__":
    _limits = JobLimits.of_json(sys.argv[4]) if len(sys.argv) > 4 else None
    _app = jobs_app(Path(sys.argv[1]), int(sys.argv[3]), _limits)
    uvicorn.run(
        _app, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning", timeout_graceful_shutdown=1
    )
