"""Errors as answers: JSON with the code and place of the command line; a page where a person navigates."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import InputError, IowattError
from iowatt.base.results import Result
from iowatt.web.safety import error_body

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request
    from starlette.responses import Response

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


ErrorPage = Callable[[ErrorDetail, int], "Response"]
"""Makes the page of an error, with its status."""


def add_handlers(app: FastAPI, page: ErrorPage | None = None) -> None:
    """Answer every error of ``app`` in one shape.

    ``page``: for addresses that a person navigates to; None answers JSON everywhere.
    """
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException
    from starlette.responses import JSONResponse

    def answer(request: Request, status: int, body: dict[str, Any], headers: Any = None) -> Response:
        if page is not None and _navigates(request):
            return page(ErrorDetail(**body["error"]), status)
        return JSONResponse(body, status, headers)

    def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, IowattError)
        body = error_body(error.code, error.message, error.place, error.hint)
        return answer(request, status_of(error), body)

    def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:]) or None
        return answer(request, 422, error_body("not-accepted", str(first["msg"]), place))

    def plain(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        code = {404: "not-found", 405: "unsupported", 413: "too-large"}.get(error.status_code, "not-accepted")
        return answer(request, error.status_code, error_body(code, str(error.detail)), error.headers)

    def fault(request: Request, error: Exception) -> Response:
        _log.error("iowatt: a fault of ours", exc_info=error)
        return answer(request, 500, error_body("internal", "internal error of iowatt; see the server's log"))

    app.add_exception_handler(IowattError, refused)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, plain)
    app.add_exception_handler(Exception, fault)


def _navigates(request: Request) -> bool:
    """Whether a browser asks for a page, not a script of one for data."""
    path = request.url.path
    wants_page = "text/html" in request.headers.get("accept", "")
    return request.method == "GET" and wants_page and not path.startswith(("/api/", "/assets/"))
