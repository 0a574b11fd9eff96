"""A server that speaks PTDaemon's protocol as it is described. The real one was not available."""

from __future__ import annotations

import socket
import threading

VALUES = ("Watts", "Temperature")


class FakePtdaemon:
    """Answers on a port of loopback; goes away and comes back at the same port."""

    def __init__(self, replies=None):
        self.replies = {
            "Hello": "Hello, PTDaemon here!",
            "Identify": "WT310,1000,1,0,0,0,0,0,1,version=1.11.1,OS=Linux,mode=power,0,0,1,0,0,01-31-2026,na",
            "RR": "Ranges,0,0.5,1,300.0",
            "Uncertainty": "Uncertainty 0.31 %",
            "Watts": "Watts,344.250000,Volts,230.100000,Amps,1.520000,PF,-1.000000,Mark,notset",
            **(replies or {}),
        }
        self.said: list[str] = []
        self.running = False
        self.port = 0
        self.start()

    def start(self):
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listener.getsockname()[1]
        self._connections: list[socket.socket] = []
        self._accepting = threading.Thread(target=self._accept, args=(self._listener,), daemon=True)
        self._accepting.start()

    def stop(self):
        if self._listener.fileno() < 0:
            return
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread in accept(), which keeps the port
        self._listener.close()
        self._accepting.join(5)
        for connection in self._connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        self.running = False

    def _accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        waiting = 2  # the first sample takes a moment
        try:
            with connection, connection.makefile("rwb") as stream:
                for line in stream:
                    command = line.decode().strip()
                    self.said.append(command)
                    reply = self._reply(command)
                    if command in VALUES and self.running and waiting:
                        waiting -= 1
                        reply = "No data"
                    stream.write(reply.encode() + b"\r\n")
                    stream.flush()
        except (OSError, ValueError):
            return

    def _reply(self, command):  # noqa: PLR0911
        word, _, rest = command.partition(",")
        if word == "Go":
            if self.running:
                return "Error: a measurement is running"
            self.running = True
            interval = rest.split(",")[0]
            return (
                f"Starting untimed measurement, maximum 500000 samples at {interval}ms with 0 rampup samples"
            )
        if word == "Stop":
            if not self.running:
                return "Error: no measurement to stop"
            self.running = False
            return "Stopping untimed measurement"
        if word == "SR":
            return f"Range {rest[0]} changed"
        if word in VALUES and not self.running:
            return "No data"
        return self.replies.get(word, "Error: Unknown command")
