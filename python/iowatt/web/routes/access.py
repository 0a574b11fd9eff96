"""The page that asks for the access token of a server that others can reach."""

from __future__ import annotations

import hmac
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from iowatt.render.html import environment
from iowatt.web.context import TEMPLATES
from iowatt.web.safety import COOKIE


def access_router(token: str) -> APIRouter:
    """The route of the login page."""
    router = APIRouter(include_in_schema=False)

    def page(*, wrong: bool) -> HTMLResponse:
        text = environment(TEMPLATES).get_template("login.html").render(wrong=wrong)
        return HTMLResponse(text, 401 if wrong else 200)

    @router.get("/login")
    def asked() -> HTMLResponse:
        return page(wrong=False)

    @router.post("/login")
    async def given(request: Request) -> Response:
        form = parse_qs((await request.body()).decode("utf-8", "replace"), max_num_fields=4)
        if not hmac.compare_digest(form.get("access", [""])[0].strip().encode(), token.encode()):
            return page(wrong=True)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(COOKIE, token, httponly=True, samesite="strict", path="/")
        return answer

    return router
