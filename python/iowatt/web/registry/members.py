"""What accounts may do: submit, withdraw, supersede, answer; reviewers raise, close and accept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final

from fastapi import APIRouter, Path, Request
from pydantic import ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from iowatt.base.errors import InputError
from iowatt.base.results import Result
from iowatt.registry.store import (
    SEVERITIES,
    Account,
    Action,
    RegistryEntry,
    RegistryStore,
    SubmissionRecord,
    accept,
    answer_finding,
    change,
    close_finding,
    entry,
    found,
    number_of,
    raise_finding,
    reading,
    reopen_finding,
    upload,
)
from iowatt.web.registry.public import Id
from iowatt.web.registry.token import needed_account

UPLOADS: Final = "/api/bundles"
"""Path whose route limits the body itself."""
_MOVES: Final = {"answer": answer_finding, "close": close_finding, "reopen": reopen_finding}
_Finding = Annotated[int, Path(ge=1, le=2**53, description="Number of the finding.")]


class RequestBody(Result):
    """What a request has in its body; FastAPI builds it at once, and would warn of it later."""

    model_config = ConfigDict(defer_build=False)


class ChangeBody(RequestBody):
    """Why a state is changed; it is public. ``by`` is the submission that supersedes."""

    reason: str = Field(default="", max_length=2000)
    by: str | None = Field(default=None, pattern=r"^iow-[0-9]{6,15}$")


class FindingBody(RequestBody):
    """A finding."""

    code: str = Field(pattern=r"^[a-z][a-z0-9-]{1,39}$", description="Stable name: meter-uncertain.")
    severity: str = Field(pattern=f"^({'|'.join(SEVERITIES)})$")
    text: str = Field(min_length=1, max_length=4000)


class TextBody(RequestBody):
    """An answer, or why a finding is closed or opened again."""

    text: str = Field(min_length=1, max_length=4000)


class OwnSubmissions(Result):
    """Submissions of the account, or all for those who review."""

    submissions: list[SubmissionRecord]


def router(store: RegistryStore, wake: Callable[[], None]) -> APIRouter:
    """The routes; ``wake`` is called when something arrived or changed."""
    routes = APIRouter()
    who = needed_account(store)
    body = {
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        "required": True,
    }

    @routes.post(UPLOADS, status_code=202, summary="Submit a bundle", openapi_extra={"requestBody": body})
    async def submit(request: Request, account: Account = who) -> RegistryEntry:
        with upload(store) as (path, file):
            taken = 0
            async for chunk in request.stream():
                taken += len(chunk)
                if taken > store.settings.upload_bytes:
                    text = f"a bundle has at most {store.settings.upload_bytes:,} bytes"
                    raise InputError("too-large", "bundle", text)
                await run_in_threadpool(file.write, chunk)
            file.flush()
            record = await run_in_threadpool(accept, store, account, path)
        wake()
        return _entry(store, record.id)

    @routes.get("/api/submissions", summary="Own submissions; reviewers see all")
    def submissions(account: Account = who) -> OwnSubmissions:
        with reading(store.file) as connection:
            if account.role == "submitter":
                return OwnSubmissions(submissions=found(connection, "s.account = ?", (account.id,)))
            return OwnSubmissions(submissions=found(connection, "1"))

    def changed(account: Account, identifier: str, action: Action, asked: ChangeBody) -> RegistryEntry:
        by = None if asked.by is None else number_of(asked.by)
        change(store, account, number_of(identifier), action, reason=asked.reason, by=by)
        wake()
        return _entry(store, identifier)

    @routes.post("/api/submissions/{identifier}/withdraw", summary="Withdraw an own submission")
    def withdraw(identifier: Id, asked: ChangeBody, account: Account = who) -> RegistryEntry:
        return changed(account, identifier, "withdraw", asked)

    @routes.post("/api/submissions/{identifier}/supersede", summary="Put another in the place of an own one")
    def supersede(identifier: Id, asked: ChangeBody, account: Account = who) -> RegistryEntry:
        return changed(account, identifier, "supersede", asked)

    @routes.post("/api/submissions/{identifier}/publish", summary="Publish as provisional")
    def publish(identifier: Id, asked: ChangeBody, account: Account = who) -> RegistryEntry:
        return changed(account, identifier, "publish", asked)

    @routes.post("/api/submissions/{identifier}/accept", summary="Accept after the challenge window")
    def accept_(identifier: Id, asked: ChangeBody, account: Account = who) -> RegistryEntry:
        return changed(account, identifier, "accept", asked)

    @routes.post("/api/submissions/{identifier}/findings", summary="Raise a finding")
    def raised(identifier: Id, asked: FindingBody, account: Account = who) -> RegistryEntry:
        number = number_of(identifier)
        raise_finding(store, account, number, code=asked.code, severity=asked.severity, text=asked.text)
        wake()
        return _entry(store, identifier)

    def moved(account: Account, identifier: str, finding: int, move: str, text: str) -> RegistryEntry:
        if finding not in {one.number for one in _entry(store, identifier).findings}:
            raise InputError("not-found", f"finding {finding}", f"{identifier} has no such finding")
        _MOVES[move](store, account, finding, text)
        wake()
        return _entry(store, identifier)

    @routes.post("/api/submissions/{identifier}/findings/{finding}/answer", summary="Answer a finding")
    def answer(identifier: Id, finding: _Finding, asked: TextBody, account: Account = who) -> RegistryEntry:
        return moved(account, identifier, finding, "answer", asked.text)

    @routes.post("/api/submissions/{identifier}/findings/{finding}/close", summary="Close a finding")
    def close(identifier: Id, finding: _Finding, asked: TextBody, account: Account = who) -> RegistryEntry:
        return moved(account, identifier, finding, "close", asked.text)

    @routes.post("/api/submissions/{identifier}/findings/{finding}/reopen", summary="Open a finding again")
    def reopen(identifier: Id, finding: _Finding, asked: TextBody, account: Account = who) -> RegistryEntry:
        return moved(account, identifier, finding, "reopen", asked.text)

    return routes


def _entry(store: RegistryStore, identifier: str) -> RegistryEntry:
    with reading(store.file) as connection:
        return entry(connection, number_of(identifier))
