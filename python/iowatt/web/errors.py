"""Errors as answers: one shape, whatever went wrong, with the code and place of the command line."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import InputError, IowattError
from iowatt.base.results import Result
from iowatt.web.safety import error_body

if TYPE_CHECKING:
    from fastapi import FastAPI

STATUSES: Final[Mapping[str, int]] = {
    "not-found": 404, "exists": 409, "in-use": 409, "too-large": 413, "access-denied": 403, "too-many": 429,
}  # fmt: skip
"""Status of an error by its code; any other is 422."""

_log = logging.getLogger(__name__)


class ErrorDetail(Result):
    """An error: ``code`` and ``place`` are for programs, ``message`` and ``hint`` for people."""

    code: str
    place: str | None
    message: str
    hint: str | None


class ErrorAnswer(Result):
    """The body of an answer that is an error."""

    error: ErrorDetail


RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": ErrorAnswer} for status in (400, 401, 403, 404, 409, 413, 422, 429)
}
"""For the description of routes: errors that any of them may answer."""


def status_of(error: IowattError) -> int:
    """The status of the answer: 500 where the fault is ours."""
    return STATUSES.get(error.code, 422) if isinstance(error, InputError) else 500


def add_handlers(app: FastAPI) -> None:
    """Answer every error of ``app`` in one shape."""
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response

    def refused(_request: Request, error: Exception) -> Response:
        assert isinstance(error, IowattError)
        body = error_body(error.code, error.message, error.place, error.hint)
        return JSONResponse(body, status_of(error))

    def invalid(_request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:]) or None
        return JSONResponse(error_body("not-accepted", str(first["msg"]), place), 422)

    def plain(_request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        code = {404: "not-found", 405: "unsupported", 413: "too-large"}.get(error.status_code, "not-accepted")
        return JSONResponse(error_body(code, str(error.detail)), error.status_code, error.headers)

    def fault(_request: Request, error: Exception) -> Response:
        _log.error("iowatt: a fault of ours", exc_info=error)
        return JSONResponse(error_body("internal", "a fault of iowatt; the server's log has it"), 500)

    app.add_exception_handler(IowattError, refused)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, plain)
    app.add_exception_handler(Exception, fault)
