"""Guards every request: host, origin, access token, size of the body, and headers of every answer.

A local server has no password, so three rules keep other sites of the same browser out: the ``Host`` header
must be an address of the server (a name that was rebound to 127.0.0.1 is none), a request that changes
something must carry a token that only the server's own pages know (CSRF), and the browser must not say that
another site sent it (``Origin``, ``Sec-Fetch-Site``).
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final

from starlette.exceptions import HTTPException

CSRF_HEADER: Final = "x-iowatt-csrf"
"""Header with the token of the page."""
COOKIE: Final = "iowatt-access"
"""Cookie with the access token, where the server has one."""
LOGIN: Final = "/login"
"""Page that asks for the access token."""
BODY_BYTES: Final = 4 << 20
"""Largest body that is not an upload."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
"""Content security policy: scripts are files of this package, nothing else is asked of anybody."""
_HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True)
class SafetySettings:
    """What is let in.

    Parameters
    ----------
    hosts:
        Accepted values of the ``Host`` header, with the port where it is not 80: ``127.0.0.1:8765``.
    csrf:
        Token that a changing request must carry in ``X-Iowatt-Csrf``; None where every changing request is
        authorised by a token of its own (``Authorization``), which no browser sends by itself.
    access:
        Token without which nothing but ``open_paths`` is answered; None for a server of this machine only.
    open_paths:
        Paths that need no access token: the page that asks for it.
    body_bytes:
        Largest body.
    uploads:
        Prefixes of paths whose route limits the body itself.
    """

    hosts: frozenset[str]
    csrf: str | None = None
    access: str | None = None
    open_paths: frozenset[str] = frozenset()
    body_bytes: int = BODY_BYTES
    uploads: tuple[str, ...] = ()


class Safety:
    """ASGI middleware that refuses what :class:`SafetySettings` does not let in."""

    def __init__(self, app: Application, settings: SafetySettings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it with 403, 401 or 413."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = _headers(scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            login = refusal[0] == 401 and LOGIN in self._settings.open_paths
            if login and scope["method"] == "GET" and "text/html" in headers.get("accept", ""):
                await _redirect(send, LOGIN)
            else:
                await _refuse(send, *refusal)
            return
        upload = scope["path"].startswith(self._settings.uploads) if self._settings.uploads else False
        limited = receive if upload else _limited(receive, self._settings.body_bytes)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _with_headers(message.get("headers", []))
            await send(message)

        await self._app(scope, limited, guarded)

    def _refusal(self, scope: Scope, headers: Mapping[str, str]) -> tuple[int, str, str] | None:
        """Status, code and message of a refusal."""
        settings, path = self._settings, scope["path"]
        if headers.get("host", "").lower() not in settings.hosts:
            return 403, "access-denied", "the Host header is not a name of this server"
        closed = settings.access is not None and path not in settings.open_paths
        if closed and not _same(_given_access(headers), settings.access):
            return 401, "access-denied", f"this server needs its access token; open {LOGIN}"
        if scope["method"] in _READING:
            return None
        if _from_elsewhere(headers, settings.hosts):
            return 403, "access-denied", "the request comes from a different site"
        guarded = settings.csrf is not None and path not in settings.open_paths
        if guarded and not _same(headers.get(CSRF_HEADER), settings.csrf):
            return 403, "access-denied", "the page's token is missing or expired; reload the page"
        return None


def error_body(code: str, message: str, place: str | None = None, hint: str | None = None) -> dict[str, Any]:
    """The body of every answer that is an error."""
    return {"error": {"code": code, "place": place, "message": message, "hint": hint}}


def _same(given: str | None, wanted: str | None) -> bool:
    if given is None or wanted is None:
        return False
    return hmac.compare_digest(given.encode(), wanted.encode())


def _from_elsewhere(headers: Mapping[str, str], hosts: frozenset[str]) -> bool:
    """Whether the browser says that a page of another site sent the request."""
    origin = headers.get("origin")
    if origin is not None and origin.split("://", 1)[-1].lower() not in hosts:
        return True
    return headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}


def _headers(scope: Scope) -> dict[str, str]:
    """Headers by name; of one that is given twice, the values joined, which then match nothing."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def _given_access(headers: Mapping[str, str]) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return None
    return None if cookie is None else cookie.value


def _with_headers(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers with those of every answer; a route may have set its own of the same name."""
    present = {name.lower() for name, _ in headers}
    more = [
        (name.encode(), value.encode()) for name, value in _HEADERS.items() if name.encode() not in present
    ]
    if b"cache-control" not in present:
        more.append((b"cache-control", b"no-store"))
    return [*headers, *more]


def _limited(receive: Receive, most: int) -> Receive:
    taken = 0

    async def counted() -> Message:
        nonlocal taken
        message = await receive()
        if message["type"] == "http.request":
            taken += len(message.get("body", b""))
            if taken > most:
                raise HTTPException(413, f"a body has at most {most:,} bytes")
        return message

    return counted


async def _refuse(send: Send, status: int, code: str, message: str) -> None:
    body = json.dumps(error_body(code, message)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": _with_headers(headers)})
    await send({"type": "http.response.body", "body": body})


async def _redirect(send: Send, address: str) -> None:
    """Lead a browser that navigates to another page."""
    headers = [(b"location", address.encode()), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 303, "headers": _with_headers(headers)})
    await send({"type": "http.response.body", "body": b""})
