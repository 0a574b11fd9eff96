"""Serves an application until it is told to stop."""

from __future__ import annotations

import ipaddress
import logging
import os
import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from iowatt.base.errors import InputError
from iowatt.web.app import ServerSettings, make_app
from iowatt.web.listening import listening

TOKEN_VARIABLE = "IOWATT_SERVE_TOKEN"
"""Environment variable with the access token of a server that others can reach."""


@dataclass(frozen=True)
class ServerRequest:
    """The options of `iowatt serve`."""

    workspace: Path
    host: str = "127.0.0.1"
    port: int = 8765
    names: tuple[str, ...] = ()
    workers: int = 2


@dataclass(frozen=True)
class Serving:
    """What a server says when it begins; ``token`` only where it made one itself."""

    address: str
    token: str | None
    open_to_others: bool


def serve(request: ServerRequest, begun: Callable[[Serving], None]) -> None:
    """Serve a workspace until SIGINT or SIGTERM.

    Args:
        begun: Called once the port is bound.

    Raises ``InputError``: no such directory, or an address that cannot be had.
    """
    root = request.workspace
    if not root.is_dir():
        raise InputError("not-found", str(root), "no such directory")
    if not os.access(root, os.W_OK):
        raise InputError("unwritable", str(root), "the server keeps its state in .iowatt/ of the workspace")
    with listening(request.host, request.port) as bound:
        port = bound.getsockname()[1]
        outside = not _loopback(request.host)
        given = os.environ.get(TOKEN_VARIABLE) if outside else None
        if given is not None and len(given) < 16:
            raise InputError("out-of-range", TOKEN_VARIABLE, "a token has at least 16 characters")
        access = (given or secrets.token_urlsafe(24)) if outside else None
        settings = ServerSettings(hosts=_hosts(request, port), access=access, workers=request.workers)
        app = make_app(root.resolve(), settings)
        shown = "127.0.0.1" if request.host in {"0.0.0.0", "::"} else request.host
        made = access if given is None else None
        begun(Serving(f"http://{_named(shown)}:{port}/", made, outside))
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2
        )
        uvicorn.Server(config).run(sockets=[bound])


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _named(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _hosts(request: ServerRequest, port: int) -> frozenset[str]:
    """Names under which browsers may ask for the server."""
    names = {"127.0.0.1", "localhost", "[::1]", _named(request.host), *request.names}
    if not _loopback(request.host):
        names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
    ports = {f"{name}:{port}".lower() for name in names}
    return frozenset(ports | ({name.lower() for name in names} if port == 80 else set()))
