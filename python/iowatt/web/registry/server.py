"""Runs the server of a registry until it is told to end."""

from __future__ import annotations

from collections.abc import Callable

import uvicorn

from iowatt.registry.store import RegistryStore
from iowatt.web.listening import listening
from iowatt.web.registry.app import make_app


def serve(store: RegistryStore, bind: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve at an address; ``tell`` gets it once the server listens.

    Raises ``InputError`` where the address cannot be listened at.
    """
    bound = listening(bind, port)
    host, at = bound.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    names = {f"{name}:{at}" for name in (shown, *(["localhost"] if host in ("127.0.0.1", "::1") else []))}
    if store.settings.url is None and host not in ("127.0.0.1", "::1"):
        tell("the registry has no url in registry.toml: only requests to this very address are answered")
    tell(f"http://{shown}:{at}/")
    settings = uvicorn.Config(
        make_app(store, names), log_level="warning", access_log=False, server_header=False, date_header=True
    )
    with bound:
        uvicorn.Server(settings).run(sockets=[bound])
