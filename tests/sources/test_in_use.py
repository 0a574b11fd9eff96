"""What is written over is first asked for its users, and named by what is on it."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from figures import figures
from iowatt.emerald import targets
from iowatt.emerald.plan.folder import read
from iowatt.evaluate.replay import target as replayed
from iowatt.sources import in_use, target
from iowatt.sources.target import scratch_target
from refused import refused

SIZE = 4 << 20
TEXT = "2026-03-01,340.5\n"


@pytest.fixture
def image(tmp_path):
    path = tmp_path / "d.img"
    with path.open("wb") as file:
        file.truncate(SIZE)
    return path


@pytest.fixture
def ext4(image):
    mkfs = shutil.which("mkfs.ext4", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    if mkfs is None:
        pytest.skip("no mkfs.ext4")
    subprocess.run([mkfs, "-q", "-L", "backup", image], check=True)
    return image


def quietly(*words) -> str:
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    try:
        done = subprocess.run(words, capture_output=True, check=True, text=True, env={"PATH": path})
    except (OSError, subprocess.CalledProcessError):
        pytest.skip(f"{words[0]} is not allowed here")
    return done.stdout.strip()


@contextlib.contextmanager
def loop(path):
    device = quietly("losetup", "--find", "--show", path)
    try:
        yield Path(device)
    finally:
        subprocess.run(["/sbin/losetup", "-d", device], check=True)


@contextlib.contextmanager
def mounted(device, at):
    at.mkdir()
    quietly("mount", device, at)
    try:
        yield at
    finally:
        subprocess.run(["umount", at], check=True)


def ways(path, tmp_path):
    """Every way to have a target written over."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "emerald"))
    import conducted

    plan = read(conducted.plan(tmp_path, target={"path": str(path), "size_bytes": SIZE}))
    return (
        lambda tell: replayed.ready(path, size=None, erase=path, writes=True, tell=tell),
        lambda tell: targets.claimed(plan, str(path), tell=tell),
        lambda tell: scratch_target(path, 4096, force=True, erase=path, tell=tell),
    )


def test_the_image_of_a_mounted_file_system_is_refused_by_every_name(ext4, tmp_path):
    other = tmp_path / "hard link"
    other.hardlink_to(ext4)
    with loop(ext4) as device, mounted(device, tmp_path / "at") as at:
        (at / "thesis.txt").write_text(TEXT)
        for path in (ext4, other, device):
            for way in ways(path, tmp_path):
                with refused("in-use", str(path)) as caught, way(lambda _text: None):
                    pass
                if path != device:
                    assert device.name in caught.value.message and str(at) in caught.value.message
        assert (at / "thesis.txt").read_text() == TEXT
        done = subprocess.run(["/sbin/fsck.ext4", "-n", device], capture_output=True, check=False)
        assert done.returncode in (0, 4), done.stdout  # 4: the journal of a mounted one is not replayed
    with loop(ext4) as device:  # not mounted, but somebody's all the same
        with refused("in-use", str(ext4)) as caught:
            in_use.refuse(ext4)
        assert device.name in caught.value.message
        told: list[str] = []
        with replayed.ready(device, size=None, erase=device, writes=True, tell=told.append):
            pass
        assert 'ext4 "backup"' in told[0] and "4 MiB" in told[0]
    in_use.refuse(ext4)


def test_a_file_that_another_process_writes_is_refused(image):
    for mode, writes in (("rb", False), ("r+b", True)):
        code = f"import sys; file = open(sys.argv[1], {mode!r}); print('open', flush=True); sys.stdin.read()"
        words = [sys.executable, "-c", code, image]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout.readline() == "open\n"
            if writes:
                with refused("in-use", str(image)) as caught:
                    in_use.refuse(image)
                assert figures(caught.value.message) == [other.pid]
            else:
                in_use.refuse(image)
            other.stdin.close()
    with image.open("r+b"):
        in_use.refuse(image)  # what we ourselves have open does not count


def test_swap_is_refused(image, tmp_path, monkeypatch):
    named = tmp_path / "swap file"
    image.rename(named)
    octal = str(named).replace(" ", "\\040")
    real = Path.read_text
    table = f"Filename\t\t\tType\n{octal} file 4 0 -2\n"
    monkeypatch.setattr(
        Path, "read_text", lambda self, *a, **k: table if str(self) == "/proc/swaps" else real(self, *a, **k)
    )
    with refused("in-use", str(named)) as caught:
        in_use.refuse(named)
    assert "swap" in caught.value.message


def test_what_is_on_it_is_named_before_it_is_written_over(ext4, tmp_path, image):
    if shutil.which("wipefs", path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is None:
        pytest.skip("no wipefs")
    with (
        refused("unsafe-target", str(ext4)) as caught,
        replayed.ready(ext4, size=None, erase=None, writes=True),
    ):
        pass
    assert 'ext4 "backup"' in caught.value.message
    for way in ways(ext4, tmp_path):
        told: list[str] = []
        with way(told.append):
            assert len(told) == 1 and 'ext4 "backup"' in told[0] and "4 MiB" in told[0]
    empty = tmp_path / "empty"
    empty.write_bytes(bytes(SIZE))
    assert "zeros" in (zeros := target.describe_content(empty))
    empty.write_bytes(b"x" * SIZE)
    assert target.describe_content(empty) != zeros and "zeros" not in target.describe_content(empty)
    sector = bytearray(512)
    sector[446:462] = bytes([0, 0, 2, 0, 0x83, 0, 2, 0, *(1).to_bytes(4, "little"), 7, 0, 0, 0])
    sector[510:] = b"\x55\xaa"
    empty.write_bytes(bytes(sector) + bytes(SIZE))
    assert "dos" in target.describe_content(empty)


def test_without_a_tool_that_tells_it_says_so(ext4, monkeypatch):
    named = target.describe_content(ext4)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    unnamed = target.describe_content(ext4)
    assert "ext4" not in unnamed and "zeros" not in unnamed and unnamed.startswith(named.partition(";")[0])
