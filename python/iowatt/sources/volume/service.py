"""A volume in service: NBD by the compiled core, control and metrics from here."""

from __future__ import annotations

import contextlib
import json
import socket as sockets
import socketserver
import threading
import time
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt import core
from iowatt.base.errors import InputError
from iowatt.run import provenance
from iowatt.sources.volume.control import control_path
from iowatt.sources.volume.emulation import EmulatedMedia, ReplayedHere, emulated_run
from iowatt.sources.volume.recording import RequestRecording
from iowatt.sources.volume.result import VolumeStatus

if TYPE_CHECKING:
    from iowatt.run.bundle import Run
    from iowatt.sources.meters.log import InstrumentLog

_COUNTERS: Final = ("migrations", "postponed", "write_backs", "evictions", "held", "commits", "store_errors")
_GAUGES: Final = ("dirty_bytes", "in_flight", "clients", "uptime_s")
_BY_PART: Final = ("promoted_bytes", "demoted_bytes")
_WAYS: Final = ("read", "write")
_THREADS: Final = 8
#: Transfers that emulated drives can have in flight.
_THREADS_WAITING: Final = 64
#: Of the status at the end, what ``plan.json`` of a measured Run keeps.
_FACTS: Final = {
    "uuid",
    "parts",
    "migrations",
    "postponed",
    "write_backs",
    "evictions",
    "held",
    "dirty_bytes",
}


class VolumeService:
    """Serves a volume from its beginning until ``stop``."""

    def __init__(
        self,
        stores: Sequence[Path],
        socket: Path,
        *,
        port: int | None = None,
        metrics: int | None = None,
        threads: int | None = None,
        media: EmulatedMedia | None = None,
        record: bool = False,
    ) -> None:
        """Put the volume on ``stores`` into service.

        Args:
            stores: In the order of the parts.
            socket: NBD clients connect here; with ``.control`` behind it, ``ask`` does.
            port: NBD over TCP on this port of 127.0.0.1 instead of ``socket``.
            metrics: The port of 127.0.0.1 where Prometheus finds the status; 0: any.
            threads: Threads that move bytes; None: 8, and with emulated media, which let them wait, 64.
            media: Emulated drives that pace it.
            record: Count its requests for ``recorded_run``, without emulated media.

        Raises ``InputError`` where a store or an address does not do.
        """
        self._stores = [str(path) for path in stores]
        self._over = threading.Event()
        socket = socket.absolute()
        control = control_path(socket)
        for path in (socket, control):
            _clear(path)
        self._media = media
        self._started_at, self._cpu_s = provenance.now(), time.process_time()
        self._server = core.VolumeServer(
            self._stores,
            socket=None if port is not None else str(socket),
            port=port,
            threads=threads or (_THREADS if media is None else _THREADS_WAITING),
            emulate=None if media is None else media.core_plan,
            record=record and media is None,
        )
        self._recording = RequestRecording(self._server) if record and media is None else None
        self._control = control
        self._listeners: list[socketserver.BaseServer] = []
        try:
            place = str(control)
            self._listen(_ControlServer(control, self))
            if metrics is not None:
                place = f"127.0.0.1:{metrics}"
                self._listen(_metrics_server(metrics, self))
        except OSError as error:
            self.stop()
            raise InputError("in-use", place, error.strerror or str(error)) from None

    def _listen(self, server: socketserver.BaseServer) -> None:
        self._listeners.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()

    @property
    def metrics_port(self) -> int | None:
        """Where Prometheus finds the status."""
        ports = [one.server_address[1] for one in self._listeners if isinstance(one, ThreadingHTTPServer)]
        return int(ports[0]) if ports else None

    @property
    def uri(self) -> str:
        """What NBD clients connect to."""
        return self._server.uri

    def status(self) -> VolumeStatus:
        """How the volume stands."""
        server = self._server
        own = {"name": server.name, "uuid": server.uuid, "uri": server.uri, "stores": self._stores}
        counted = json.loads(server.status())
        held_s = counted.pop("held_ns") / 1e9
        return VolumeStatus.model_validate(
            {**counted, **own, "held_s": held_s, "capacity_bytes": server.capacity_bytes}
        )

    def metrics(self) -> str:
        """The status as Prometheus reads it (text format 0.0.4)."""
        return "\n".join(_metrics(self.status())) + "\n"

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until ``stop`` is asked for; whether it was."""
        return self._over.wait(timeout_s)

    def ask_stop(self) -> None:
        """Let ``wait`` return."""
        self._over.set()

    def stop(self) -> None:
        """Disconnect all clients, make everything durable, and mark the volume as stopped in order.

        Raises ``InputError`` where a store has failed; what was acknowledged as durable is there.
        """
        try:
            self._server.stop()
        except OSError as error:
            raise InputError("unwritable", ", ".join(self._stores), str(error)) from None
        finally:
            if self._recording is not None:
                self._recording.stop()
            for listener in self._listeners:
                listener.shutdown()
                listener.server_close()
            with contextlib.suppress(FileNotFoundError):
                self._control.unlink()

    def recorded_run(
        self,
        name: str,
        *,
        logs: Sequence[InstrumentLog] = (),
        missing: Sequence[str] = (),
        replayed: ReplayedHere | None = None,
        command: str | None = None,
    ) -> Run:
        """The Run of the volume's service, after ``stop``: emulated or measured.

        ``logs``: of instruments beside real stores; ``missing``: names of those without one.
        ``replayed``: how requests were made on emulated media, where this program made them.

        Raises ``InputError`` where no request came.
        """
        last = self.status()
        if self._media is not None:
            raw = self._server.outcome()
            assert raw is not None, "it is asked for once"
            if not sum(last.requests):
                raise InputError("empty", last.name, "no request came, so there is no Run to record")
            return emulated_run(
                self._media,
                raw,
                last.emulated,
                started_at=self._started_at,
                cpu_s=time.process_time() - self._cpu_s,
                replayed=replayed,
                command=command,
            )
        assert self._recording is not None, "it was to be recorded"
        facts = {"stores": self._stores, "volume": last.model_dump(mode="json", include=_FACTS)}
        return self._recording.run(
            name, last.name, capacity_bytes=last.capacity_bytes, facts=facts, logs=logs,
            missing=missing, command=command,
        )  # fmt: skip


def _clear(path: Path) -> None:
    """Remove the socket of a service that was killed. Raises ``InputError`` where somebody listens on it."""
    if not path.exists():
        return
    if not path.is_socket():
        raise InputError("exists", str(path), "is not a socket and will not be replaced")
    with sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM) as connection:
        try:
            connection.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
    raise InputError("in-use", str(path), "another service listens on it", hint="name another socket")


class _ControlServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, path: Path, service: VolumeService) -> None:
        self.service = service
        super().__init__(str(path), _Control)


class _Control(socketserver.StreamRequestHandler):
    server: _ControlServer

    def handle(self) -> None:
        question = self.rfile.readline(64).strip()
        answer: dict[str, Any] = self.server.service.status().as_dict()
        self.wfile.write(json.dumps(answer).encode())
        if question == b"stop":
            self.server.service.ask_stop()


def _metrics_server(port: int, service: VolumeService) -> ThreadingHTTPServer:
    class Metrics(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/metrics":
                self.send_error(404)
                return
            text = service.metrics().encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            """Say nothing on standard error for each scrape."""

    return ThreadingHTTPServer(("127.0.0.1", port), Metrics)


def _metrics(status: VolumeStatus) -> Iterator[str]:
    label = f'volume="{status.name}"'
    for way, count, size in zip(_WAYS, status.requests, status.bytes, strict=True):
        yield f'iowatt_volume_requests_total{{{label},op="{way}"}} {count}'
        yield f'iowatt_volume_bytes_total{{{label},op="{way}"}} {size}'
    for number, part in enumerate(status.parts):
        here = f'{label},part="{number}"'
        for way, hits, size in zip(_WAYS, part.hits, part.hit_bytes, strict=True):
            yield f'iowatt_volume_hits_total{{{here},op="{way}"}} {hits}'
            yield f'iowatt_volume_hit_bytes_total{{{here},op="{way}"}} {size}'
        for name in _BY_PART:
            yield f"iowatt_volume_{name}_total{{{here}}} {getattr(part, name)}"
    for name in _COUNTERS:
        yield f"iowatt_volume_{name}_total{{{label}}} {getattr(status, name)}"
    for name in _GAUGES:
        yield f"iowatt_volume_{name}{{{label}}} {getattr(status, name)}"
    yield f"iowatt_volume_failed{{{label}}} {int(status.failed is not None)}"
