"""The control socket of a volume in service: one line asked, one line of JSON answered."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import InputError

_WAIT_S: Final = 600.0
_POLL_S: Final = 0.02


def control_path(socket_path: Path) -> Path:
    """Where a volume that serves ``socket_path`` is controlled."""
    return socket_path.with_name(socket_path.name + ".control")


def stop(socket_path: Path) -> dict[str, Any]:
    """Stop the volume that serves ``socket_path``, and wait until it is; how it stood.

    Raises ``InputError`` where no volume answers, or it does not come to its end.
    """
    found = ask(socket_path, "stop")
    control = control_path(socket_path)
    until = time.monotonic() + _WAIT_S
    while control.exists():
        if time.monotonic() > until:
            raise InputError("unreachable", str(socket_path), f"the volume has not stopped in {_WAIT_S:g} s")
        time.sleep(_POLL_S)
    return found


def ask(socket_path: Path, question: str) -> dict[str, Any]:
    """The answer of the volume that serves ``socket_path`` to ``status`` or ``stop``.

    Raises ``InputError`` where no volume answers, or it ends meanwhile.
    """
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_WAIT_S)
            connection.connect(str(control_path(socket_path)))
            connection.sendall(question.encode() + b"\n")
            connection.shutdown(socket.SHUT_WR)
            with connection.makefile("rb") as answer:
                text = answer.read()
    except OSError as error:
        message = f"no volume answers ({error.strerror or error})"
        hint = "use the socket of `iowatt volume serve`"
        raise InputError("unreachable", str(socket_path), message, hint=hint) from None
    try:
        found: dict[str, Any] = json.loads(text)
    except ValueError:
        message = "the volume ended before it had answered"
        hint = "serve it again: what was durable is there"
        raise InputError("unreachable", str(socket_path), message, hint=hint) from None
    return found
