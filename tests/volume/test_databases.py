"""SQLite and PostgreSQL keep every acknowledged row while the volume below them is killed, again and again.

The volume is killed, then the database, and what the kernel held in memory is dropped. Only with
IOWATT_DATABASES=1: it needs root, mounts and loop devices. --log-cli-level=INFO shows the figures.
"""

from __future__ import annotations

import logging
import os
import random
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import needs
from databases import Database, Postgres, Sqlite
from iowatt.sources import volume
from kernel_disk import KernelDisk, until

pytestmark = pytest.mark.slow

KILLS = 10

SCENARIO = """
name = "databases"
[[workload]]
name = "w"
volume = "v"
profile = { name = "fiu-online", requests = 100, rate_iops = 100, span = "64MiB" }
[[array.pool]]
name = "ssd"
device = "intel-320-300gb"
count = 1
[[array.pool]]
name = "hdd"
device = "arrays2002-disk"
count = 1
[[array.virtual_pool]]
name = "%(scheme)s"
scheme = "%(scheme)s"
fast = { pool = "ssd", capacity = "4MiB" }
slow = { pool = "hdd", capacity = "160MiB" }
extent = "64KiB"
promotion_threshold = 2
max_migrations = 4
%(more)s
[[array.volume]]
name = "v"
pool = "%(scheme)s"
"""
SCHEMES = {"tiering": "", "caching": 'copy_unit = "extent"\nwrite = "back"'}


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that PostgreSQL's user may enter, which pytest's are not."""
    made = Path(tempfile.mkdtemp(prefix="iowatt-databases-"))
    made.chmod(0o755)
    try:
        yield made
    finally:
        shutil.rmtree(made)


@pytest.fixture(params=SCHEMES)
def disk(request: pytest.FixtureRequest, folder: Path) -> Iterator[KernelDisk]:
    """An ext4 on a volume with little fast space; taken down at the end, whatever happens."""
    if os.environ.get("IOWATT_DATABASES") != "1":
        pytest.skip("mounts file systems and kills what is below them: set IOWATT_DATABASES=1")
    if os.geteuid() != 0:
        pytest.skip("needs root, to mount file systems")
    if not Path("/dev/loop-control").exists() or not Path("/dev/fuse").exists():
        pytest.skip("needs loop devices and FUSE")
    for program, package in (("nbdfuse", "libnbd-bin"), ("losetup", "mount"), ("mkfs.ext4", "e2fsprogs")):
        needs.program(program, package)
    scenario = folder / "scenario.toml"
    scenario.write_text(SCENARIO % {"scheme": request.param, "more": SCHEMES[request.param]})
    stores = [folder / "fast.img", folder / "slow.img"]
    volume.create(volume.NewVolume(scenario, stores))
    disk = KernelDisk(folder, stores)
    try:
        disk.start(empty=True)
        yield disk
    finally:
        disk.drop()


@pytest.mark.parametrize("kind", [Sqlite, Postgres])
def test_every_acknowledged_row_outlives_the_volume(kind: type[Database], disk: KernelDisk) -> None:
    database = kind(disk)
    acknowledged = disk.folder / "acknowledged"
    acknowledged.touch()
    draw = random.Random(1)
    rows = 0
    done: Counter[str] = Counter()
    try:
        database.create()
        for _ in range(KILLS):
            client = database.insert(rows + 1, acknowledged)
            wanted = rows + draw.randint(100, 600)
            until(_reached(wanted, acknowledged, client))
            assert client.poll() is None, "the client has ended by itself"
            status = disk.status()
            done.update({name: status[name] for name in ("migrations", "write_backs", "dirty_bytes")})
            disk.kill()
            database.kill()
            disk.drop()

            disk.start()
            last = _last(acknowledged)
            rows, wrong = database.recover()
            # One more may have been made durable whose answer the client has not seen.
            assert rows in (last, last + 1)
            assert wrong == 0
        database.stop()
    finally:
        database.kill()
    disk.stop()
    checked = volume.check(disk.stores)
    assert checked.journal is not None
    assert checked.journal.clean
    logging.info("%s on %s: %d rows, %s", kind.__name__, checked.name, rows, dict(done))
    assert done["migrations"] > 0
    assert checked.name == "tiering" or done["write_backs"] + done["dirty_bytes"] > 0


def _reached(wanted: int, acknowledged: Path, client: subprocess.Popen[bytes]) -> Callable[[], bool]:
    """Whether the client has come so far, or has ended before."""
    return lambda: client.poll() is not None or _last(acknowledged) >= wanted


def _last(acknowledged: Path) -> int:
    """The last number that was acknowledged; 0 where none was."""
    lines = acknowledged.read_text().rpartition("\n")[0]  # the rest is being written
    return int(lines.rpartition("\n")[2] or 0)
