"""Jobs over HTTP: submit, list, cancel, and a stream of what changes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Header, Path, Query
from starlette.responses import StreamingResponse

from iowatt.base.results import Result
from iowatt.web.errors import RESPONSES
from iowatt.web.jobs import (
    MOST_CHANGES,
    JobEvents,
    JobId,
    JobQueue,
    JobRecord,
    JobStatus,
    Submission,
)

#: What a browser waits before it connects again, ms.
_RETRY_MS: Final = 1000
_STREAM: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Server-sent events named `job`: their data is a job without its request as JSON, "
        "their id the number of its last change. A comment every 15 s.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


class JobList(Result):
    """Jobs, youngest first, without their requests."""

    jobs: list[JobStatus]


def jobs_router(queue: JobQueue, events: JobEvents) -> APIRouter:
    """The routes of jobs in ``queue``, whose changes ``events`` tells."""
    router = APIRouter(responses=RESPONSES, tags=["jobs"])

    @router.post("/api/jobs", status_code=202)
    def submit(asked: Annotated[Submission, Body()]) -> JobRecord:
        """Queue a job. What was answered with 202 is kept, whatever happens to the server."""
        return queue.submit(asked.kind, asked.title, asked.request.as_dict(), key=asked.key)

    @router.get("/api/jobs")
    def listed(limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> JobList:
        """The last jobs."""
        return JobList(jobs=queue.listed(limit))

    @router.get("/api/jobs/{identity}")
    def job(identity: Annotated[JobId, Path()]) -> JobRecord:
        """One job with its request."""
        return queue.job(identity)

    @router.post("/api/jobs/{identity}/cancel")
    def cancel(identity: Annotated[JobId, Path()]) -> JobRecord:
        """Cancel a job that waits or runs. One that has finished stays as it is."""
        return queue.cancel(identity)

    @router.get("/api/events", response_class=StreamingResponse, responses=_STREAM)
    async def changes(
        after: Annotated[int, Query(ge=0, le=MOST_CHANGES)] = 0,
        last_event_id: Annotated[int | None, Header(ge=0, le=MOST_CHANGES)] = None,
    ) -> StreamingResponse:
        """Jobs that changed after a change, and then as they change."""
        heard = events.listen(after if last_event_id is None else last_event_id)
        return StreamingResponse(_lines(heard), media_type="text/event-stream")

    return router


async def _lines(heard: AsyncIterator[JobStatus | None]) -> AsyncIterator[str]:
    yield f"retry: {_RETRY_MS}\n\n"
    async for job in heard:
        if job is None:
            yield ": nothing new\n\n"
        else:
            yield f"event: job\nid: {job.change}\ndata: {job.model_dump_json(by_alias=True)}\n\n"
