"""Live volumes as users have them: made of a scenario, served over NBD, checked, killed and served again."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket as sockets
import subprocess
import threading
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import needs
from iowatt import core
from iowatt.base.errors import InputError
from iowatt.sources import volume
from iowatt.sources.volume.control import control_path
from live_volumes import made, served, uri


def test_stores_are_refused_where_they_are_not_named_twice(tmp_path: Path) -> None:
    stores = made(tmp_path)
    request = volume.NewVolume(tmp_path / "scenario.toml", stores, erase=stores[:1])
    with pytest.raises(InputError) as refused:
        volume.create(request)
    assert (refused.value.code, refused.value.place) == ("unsafe-target", str(stores[1]))
    assert volume.check(stores).name == "hybrid"
    volume.create(volume.NewVolume(tmp_path / "scenario.toml", stores, erase=stores))


@pytest.mark.parametrize(
    ("scheme", "more"),
    [("caching", "copy_unit = 'sector'"), ("tiering", "max_migrations = 2\ninitial = { placement = 'hot' }")],
)
def test_what_works_in_simulation_only_is_told_and_nothing_is_left(
    tmp_path: Path, scheme: str, more: str
) -> None:
    with pytest.raises(InputError):
        made(tmp_path, scheme, more)
    assert not (tmp_path / "fast.img").exists()


def test_a_store_of_another_volume_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, other = made(tmp_path / "a"), made(tmp_path / "b")
    with pytest.raises(InputError) as refused:
        volume.check([one[0], other[1]])
    assert (refused.value.code, refused.value.place) == ("conflict", str(other[1]))
    with pytest.raises(InputError) as refused:
        volume.check([one[1], one[0]])
    assert (refused.value.code, refused.value.place) == ("conflict", str(one[1]))


def test_a_volume_in_service_is_in_use(tmp_path: Path) -> None:
    stores = made(tmp_path)
    server = core.VolumeServer([str(path) for path in stores], socket=str(tmp_path / "s"))
    try:
        with pytest.raises(InputError) as refused:
            volume.check(stores)
        assert refused.value.code == "in-use"
    finally:
        server.stop()
    found = volume.check(stores)
    assert found.journal is not None
    assert found.journal.clean


def test_nothing_answers(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        volume.ask(tmp_path / "none.sock", "status")
    assert refused.value.code == "unreachable"


def test_a_volume_that_ends_while_it_is_asked_does_not_answer(tmp_path: Path) -> None:
    socket = tmp_path / "v.sock"
    with sockets.create_server(str(control_path(socket)), family=sockets.AF_UNIX) as server:

        def end() -> None:
            with server.accept()[0] as connection:
                connection.recv(64)

        ended = threading.Thread(target=end)
        ended.start()
        with pytest.raises(InputError) as refused:
            volume.ask(socket, "status")
        ended.join()
    assert refused.value.code == "unreachable"


@needs.mark("fio")
def test_fio_verifies_through_promotions_and_a_kill(tmp_path: Path) -> None:
    stores = made(tmp_path)
    process = served(tmp_path, stores, "--metrics", "0")
    job = [
        "fio", "--name=v", "--ioengine=nbd", f"--uri={uri(tmp_path)}", "--rw=randwrite",
        "--bs=4k", "--size=6m",
        "--iodepth=8", "--verify=crc32c", "--verify_fatal=1", "--end_fsync=1", "--output-format=json",
    ]  # fmt: skip
    done = subprocess.run([*job, "--do_verify=1"], cwd=tmp_path, capture_output=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout[done.stdout.index(b"{") :])
    assert found["jobs"][0]["error"] == 0
    status = volume.ask(tmp_path / "v.sock", "status")
    assert status["migrations"] > 0
    assert sum(status["requests"]) >= 2 * (6 << 20) // 4096
    assert process.stderr is not None
    lines = process.stderr.readline(), process.stderr.readline()
    address = lines[1].split()[-1].decode()
    with urllib.request.urlopen(address, timeout=30) as answer:
        text = answer.read().decode()
    assert f'iowatt_volume_migrations_total{{volume="hybrid"}} {status["migrations"]}' in text.splitlines()

    process.send_signal(signal.SIGKILL)
    process.wait()
    process = served(tmp_path, stores)
    job[4] = f"--uri={uri(tmp_path)}"
    done = subprocess.run([*job, "--verify_only"], cwd=tmp_path, capture_output=True, check=True)
    found = json.loads(done.stdout[done.stdout.index(b"{") :])
    assert found["jobs"][0]["error"] == 0
    volume.stop(tmp_path / "v.sock")
    assert process.wait(60) == 0
    checked = volume.check(stores)
    assert checked.journal is not None
    assert checked.journal.clean


@pytest.mark.skipif(shutil.which("nbdcopy") is None, reason="needs nbdcopy")
def test_nbdcopy_brings_back_what_it_took(tmp_path: Path) -> None:
    stores = made(tmp_path, "caching", "max_migrations = 2\ncopy_unit = 'extent'")
    process = served(tmp_path, stores, "--port", "0")
    source, back = tmp_path / "source", tmp_path / "back"
    source.write_bytes(os.urandom(8 << 20))
    subprocess.run(["nbdcopy", str(source), uri(tmp_path)], check=True, timeout=120)
    for _ in range(3):
        subprocess.run(["nbdcopy", uri(tmp_path), str(back)], check=True, timeout=120)
        assert back.read_bytes() == source.read_bytes()
    status = volume.ask(tmp_path / "v.sock", "status")
    assert status["migrations"] > 0
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
