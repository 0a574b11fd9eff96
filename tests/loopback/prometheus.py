"""Prometheus on loopback, scraping a small exporter of the test's own five times a second."""

from __future__ import annotations

import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx

import needs
from loopback.process import Server, free_port


class Exporter:
    """Metrics in Prometheus' text format; `None` for watts makes the series go."""

    def __init__(self) -> None:
        self.watts: float | None = 100.0
        exporter = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = exporter.text().encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def text(self) -> str:
        """What is scraped: a meter in watts, one in microwatts, two supplies, and no number."""
        if self.watts is None:
            return ""
        return (
            f"lab_power_watts {self.watts}\n"
            f"scaph_host_power_microwatts {self.watts * 1e6:.0f}\n"
            f'supply_watts{{supply="1"}} {self.watts * 0.25}\n'
            f'supply_watts{{supply="2"}} {self.watts * 0.75}\n'
            "broken_watts NaN\n"
        )

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()


class Monitor:
    """Prometheus and the exporter."""

    def __init__(self, server: Server, port: int, exporter: Exporter) -> None:
        self._server = server
        self.port = port
        self.exporter = exporter

    def set(self, watts: float | None) -> None:
        """From now on it scrapes this."""
        self.exporter.watts = watts

    def address(self, metric: str = "lab_power_watts", **options: object) -> str:
        """The address of a series, quick to give up."""
        said = {key.replace("_", "-"): value for key, value in {"timeout": 2, **options}.items()}
        query = "&".join(f"{key}={urllib.parse.quote(str(value))}" for key, value in said.items())
        return f"prometheus://127.0.0.1:{self.port}/{metric}?{query}"

    def stop(self) -> None:
        """It answers no more."""
        self._server.stop()

    def start(self) -> None:
        """It answers again."""
        self._server.start()


@contextmanager
def monitor(folder: Path, watts: float = 212.0) -> Iterator[Monitor]:
    """Debian's Prometheus on a free port."""
    program = needs.program("prometheus", "prometheus")
    exporter = Exporter()
    exporter.watts = watts
    port = free_port()
    configuration = folder / "prometheus.yml"
    configuration.write_text(
        "global: {scrape_interval: 200ms, scrape_timeout: 200ms}\n"
        "scrape_configs:\n"
        f"  - {{job_name: lab, static_configs: [{{targets: ['127.0.0.1:{exporter.port}']}}]}}\n"
    )
    command = [
        program,
        f"--config.file={configuration}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]

    def ready(_: str) -> bool:
        try:
            where = f"http://127.0.0.1:{port}/api/v1/query"
            found = httpx.get(where, params={"query": "lab_power_watts"}, trust_env=False).json()
        except (httpx.HTTPError, ValueError):
            return False
        return bool(found.get("data", {}).get("result")) or exporter.watts is None

    server = Server(command, folder / "prometheus.log", ready)
    unit = Monitor(server, port, exporter)
    try:
        server.start()
        yield unit
    finally:
        server.stop()
        exporter.close()
