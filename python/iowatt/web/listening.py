"""The socket that a server listens on, had before it starts, so that a refusal is an error of the command."""

from __future__ import annotations

import errno
import socket

from iowatt.base.errors import Argument, InputError


def listening(bind: str, port: int) -> socket.socket:
    """A socket that listens at an address; connections wait until the server takes them.

    Raises ``InputError`` where it cannot be had.
    """
    made: socket.socket | None = None
    try:
        family = socket.getaddrinfo(bind, port, type=socket.SOCK_STREAM)[0][0]
        made = socket.socket(family, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((bind, port))
        made.listen(128)
    except (OSError, UnicodeError) as error:
        if made is not None:
            made.close()
        taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        said = error.strerror if isinstance(error, OSError) else "it is no address"
        place = Argument("port" if taken else "bind", f"{bind}:{port}")
        message = f"cannot listen on this address: {said}"
        hint = "`port=0` takes any free port" if taken else None
        raise InputError("in-use" if taken else "not-accepted", place, message, hint=hint) from None
    return made
