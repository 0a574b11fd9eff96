"""Runs the server of a registry until it is told to end."""

from __future__ import annotations

import socket
from collections.abc import Callable

from iowatt.base.errors import Argument, InputError
from iowatt.registry.store import RegistryStore


def serve(store: RegistryStore, bind: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve at an address; ``tell`` gets it once the server listens.

    Raises ``InputError`` where the address cannot be listened at.
    """
    import uvicorn

    from iowatt.web.registry.app import make_app

    listening = _listening(bind, port)
    host, at = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    names = {f"{name}:{at}" for name in (shown, *(["localhost"] if host in ("127.0.0.1", "::1") else []))}
    if store.settings.url is None and host not in ("127.0.0.1", "::1"):
        tell("the registry has no url in registry.toml: only requests to this very address are answered")
    tell(f"http://{shown}:{at}/")
    settings = uvicorn.Config(
        make_app(store, names), log_level="warning", access_log=False, server_header=False, date_header=True
    )
    with listening:
        uvicorn.Server(settings).run(sockets=[listening])


def _listening(bind: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in bind else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((bind, port))
        made.listen(128)
    except OSError as error:
        made.close()
        code = "in-use" if error.errno == 98 else "not-accepted"
        hint = "choose another port with `listen=`"
        place = Argument("bind", f"{bind}:{port}")
        raise InputError(code, place, f"cannot be listened at: {error.strerror}", hint=hint) from None
    return made
