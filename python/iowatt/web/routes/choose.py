"""What to buy: the page with the form of a question, and its jobs."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import APIRouter, Body, Path, Query
from fastapi.responses import HTMLResponse
from pydantic import Field

from iowatt.base.errors import InputError
from iowatt.base.results import Result
from iowatt.web.errors import RESPONSES
from iowatt.web.forms import (
    FolderName,
    FormBody,
    FormText,
    MadeQuestion,
    QuestionChoices,
    StartId,
    StartList,
    made_question,
    question_choices,
    refuse_halves,
    refuse_wrong,
    shipped_starts,
    start_text,
    workspace_starts,
)
from iowatt.web.jobs import JobId, JobRecord

if TYPE_CHECKING:
    from iowatt.web.context import ServerContext

_MARK: Final = "iowatt.question/"


class AskedQuestion(Result):
    """A question to be answered by a job."""

    toml: FormText
    base: FolderName = ""
    #: Submissions with the same key are one job.
    key: Annotated[str, Field(pattern=r"^[0-9A-Za-z-]{1,64}$")] | None = None


class AnswerSummary(Result):
    """What an answer says first."""

    verdict: list[str]
    #: Its page on this server.
    page: str


def choose_router(context: ServerContext) -> APIRouter:
    """The page `/choose` and what it asks for."""
    router = APIRouter(responses=RESPONSES, tags=["choose"])

    @router.get("/choose", response_class=HTMLResponse, include_in_schema=False)
    def page() -> HTMLResponse:
        return context.page("choose.html", here="/choose", title="What to buy", modules=["choose.js"])

    @router.get("/api/choose/questions")
    def listed() -> StartList:
        """Shipped questions, and those of the workspace."""
        own = workspace_starts(context.root, _MARK)
        return StartList(files=[*shipped_starts("questions/*.toml"), *own])

    @router.get("/api/choose/start")
    def start(file: Annotated[StartId, Query()]) -> MadeQuestion:
        """A question to begin with, and its form."""
        found = start_text(context.root, file)
        return made_question(context.root, found.text, found.base)

    @router.get("/api/choose/form")
    def form(base: Annotated[FolderName, Query()] = "") -> QuestionChoices:
        """Keys of a question with their meaning, and what its form offers."""
        return question_choices(context.root, base)

    @router.post("/api/choose/question")
    def made(asked: Annotated[FormBody, Body()]) -> MadeQuestion:
        """The TOML of a form, or the form of TOML, with all that is wrong."""
        return made_question(context.root, asked.text(), asked.base)

    @router.post("/api/choose", status_code=202)
    def submit(asked: Annotated[AskedQuestion, Body()]) -> JobRecord:
        """Search for what to buy: a job, whose result is a folder of `answers`."""
        text = refuse_halves(asked.toml)
        title = refuse_wrong(context.root, text, asked.base)
        request = {"question": text, "base": asked.base, "set": []}
        return context.queue.submit("choose", title[:200], request, key=asked.key)

    @router.get("/api/choose/answers/{identity}")
    def answer(identity: Annotated[JobId, Path()]) -> AnswerSummary:
        """The verdict of an answer."""
        return _answer(context.root, identity)

    return router


def _answer(root: FilePath, identity: str) -> AnswerSummary:
    from iowatt.evaluate.choose import DOCUMENT
    from iowatt.evaluate.choose.result import Choose
    from iowatt.pages.choose import answer_sentences

    file = root / "answers" / identity / DOCUMENT
    if not file.is_file():
        raise InputError("not-found", None, f"there is no answer {identity!r}")
    found = Choose.model_validate_json(file.read_bytes())
    return AnswerSummary(verdict=list(answer_sentences(found)), page=f"/result/answers/{identity}")
