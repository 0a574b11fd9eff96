"""A browser, and the pages of the forms on this machine's loopback."""

from __future__ import annotations

import shutil
import socket
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest
import uvicorn
from forms_server import forms_app

import needs
from iowatt.web.jobs import JobQueue

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
]  # fmt: skip


@dataclass(frozen=True)
class FormsSite:
    address: str
    workspace: Path
    queue: JobQueue


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    workspace = tmp_path_factory.mktemp("workspace")
    listening = socket.create_server(("127.0.0.1", 0))
    host = f"127.0.0.1:{listening.getsockname()[1]}"
    app = forms_app(workspace, host)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    yield FormsSite(f"http://{host}", workspace, app.state.queue)
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def browser():
    needs.modules("playwright", "axe_playwright_python")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield chromium
        chromium.close()
