"""A small live volume, and its service in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from iowatt.base.errors import InputError
from iowatt.sources import volume
from iowatt.sources.volume.control import control_path

SCENARIO = """
name = "small"
[[workload]]
name = "w"
volume = "v"
profile = { name = "fiu-online", requests = 100, rate_iops = 100, span = "8MiB" }
[[array.pool]]
name = "ssd"
device = { name = "intel-320-300gb", power = { active = "2W" } }
count = 1
[[array.pool]]
name = "hdd"
device = "arrays2002-disk"
count = 1
[[array.virtual_pool]]
name = "hybrid"
scheme = "%(scheme)s"
fast = { pool = "ssd", capacity = "2MiB" }
slow = { pool = "hdd", capacity = "8MiB" }
extent = "64KiB"
promotion_threshold = 2
%(more)s
[[array.volume]]
name = "v"
pool = "hybrid"
capacity = "8MiB"
"""
CLI = "import sys; sys.argv[0] = 'iowatt'; from iowatt.cli.main import main; main()"


def made(folder: Path, scheme: str = "tiering", more: str = "max_migrations = 2") -> list[Path]:
    scenario = folder / "scenario.toml"
    scenario.write_text(SCENARIO % {"scheme": scheme, "more": more})
    stores = [folder / "fast.img", folder / "slow.img"]
    volume.create(volume.NewVolume(scenario, stores))
    return stores


def served(folder: Path, stores: list[Path], *more: str) -> subprocess.Popen[bytes]:
    socket = folder / "v.sock"
    command = [
        sys.executable,
        "-c",
        CLI,
        "volume",
        "serve",
        *map(str, stores),
        "--socket",
        str(socket),
        *more,
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    for _ in range(600):
        if control_path(socket).exists():
            try:
                volume.ask(socket, "status")
                return process
            except InputError:
                pass
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.05)
    raise AssertionError("the volume does not come into service")


def uri(folder: Path) -> str:
    return str(volume.ask(folder / "v.sock", "status")["uri"])
