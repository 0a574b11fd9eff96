"""A mail server of a few lines: it takes whatever is sent to it, and refuses wrong passwords."""

from __future__ import annotations

import base64
import socketserver
import threading
from contextlib import contextmanager


class _Session(socketserver.StreamRequestHandler):
    def handle(self):
        self._say("220 ready")
        for line in iter(self.rfile.readline, b""):
            verb, _, rest = line.strip().decode().partition(" ")
            match verb.upper():
                case "EHLO":
                    self._say("250-here")
                    self._say("250 AUTH PLAIN")
                case "AUTH":
                    said = base64.b64decode(rest.split()[1]).split(b"\0")[1:]
                    right = [text.encode() for text in self.server.login] == said
                    self._say("235 welcome" if right else "535 wrong")
                case "DATA":
                    self._say("354 go on")
                    self.server.messages.append(b"".join(iter(self.rfile.readline, b".\r\n")))
                    self._say("250 taken")
                case "QUIT":
                    self._say("221 bye")
                    return
                case _:
                    self._say("250 fine")

    def _say(self, text):
        self.wfile.write(f"{text}\r\n".encode())


@contextmanager
def smtp_server(user, password):
    """A server on a free port of this machine; ``messages`` are what it took."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Session) as server:
        server.login, server.messages = (user, password), []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
