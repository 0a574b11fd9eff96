"""Commands whose packages come with an extra say which one, where they are not installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from iowatt.registry.store import create
from refused import printed_code

COMMAND = "import sys; sys.modules[sys.argv.pop(1)] = None; from iowatt.cli.main import main; main()"


@pytest.mark.parametrize(
    ("package", "words"),
    [
        *((package, ["serve", "--port=0"]) for package in ("fastapi", "uvicorn", "jinja2")),
        *((package, ["registry", "serve", "held", "--port=0"]) for package in ("fastapi", "uvicorn")),
        ("cryptography", ["registry", "key", "lab.key"]),
        ("httpx", ["registry", "search", "http://127.0.0.1:9/"]),
    ],
)
def test_the_extra_to_install_is_named(package, words, tmp_path):
    if "held" in words:
        create(tmp_path / "held", "A registry")
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, package, *words],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert printed_code(done.stderr) == "tool-missing"
    assert package in done.stderr
    assert "iowatt[serve]" in done.stderr
