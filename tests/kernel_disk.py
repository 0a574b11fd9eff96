"""A live volume as a disk of the kernel: served over NBD, a file by nbdfuse, a loop device on that, ext4.

Needs root, nbdfuse, losetup and ext4; touches only its own folder and the loop device that it was given.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from iowatt.base.errors import InputError
from iowatt.sources import volume

CLI = "import sys; sys.argv[0] = 'iowatt'; from iowatt.cli.main import main; main()"
PATIENCE_S = 60.0


class KernelDisk:
    """The file system lies at ``mount``; ``crash`` kills the volume below it, ``start`` brings both back."""

    def __init__(self, folder: Path, stores: Sequence[Path]) -> None:
        """``stores``: of a volume that is not in service."""
        self.folder, self.stores = folder, stores
        self.mount, self.socket = folder / "mount", folder / "v.sock"
        self._fuse = folder / "fuse"
        self._loop: str | None = None
        self._server: subprocess.Popen[bytes] | None = None
        self._nbdfuse: subprocess.Popen[bytes] | None = None
        for made in (self.mount, self._fuse):
            made.mkdir()

    def start(self, *, empty: bool = False) -> None:
        """Serve the volume and mount its file system, which is made first where it is ``empty``."""
        command = [sys.executable, "-c", CLI, "volume", "serve", *map(str, self.stores)]
        self._server = self._begun([*command, "--socket", str(self.socket)])
        until(self._serves)
        disk = self._fuse / "disk"
        self._nbdfuse = self._begun(["nbdfuse", str(disk), self.status()["uri"]])
        until(disk.exists)
        # Direct: else reads stay in the page cache of the file, and few reach the volume.
        self._loop = ran("losetup", "--find", "--show", "--direct-io=on", str(disk)).strip()
        if empty:
            ran("mkfs.ext4", "-q", "-F", self._loop)
        ran("mount", "-t", "ext4", self._loop, str(self.mount))

    def status(self) -> dict[str, Any]:
        """How the volume stands."""
        return volume.ask(self.socket, "status")

    def kill(self) -> None:
        """Kill the volume, as ``kill -9`` does; what the kernel has not written yet is lost with ``drop``."""
        assert self._server is not None
        assert self._server.poll() is None, "the volume has ended by itself"
        self._server.kill()
        self._server.wait()
        assert self._nbdfuse is not None
        self._nbdfuse.kill()  # else it may go on with nobody behind it, and so would who waits for the disk
        self._nbdfuse.wait()

    def drop(self) -> None:
        """Take everything down, in whatever state it is. Nobody may have files open below ``mount``."""
        for process in (self._server, self._nbdfuse):
            if process is not None:
                process.kill()
                process.wait()
        if os.path.ismount(self.mount):
            _tried("umount", str(self.mount)) or _tried("umount", "--lazy", str(self.mount))
        self._detach()
        if self._nbdfuse is not None:
            _tried("umount", "--lazy", str(self._fuse))
        self._server = self._nbdfuse = None

    def stop(self) -> None:
        """Unmount, check the file system, and stop the volume in order."""
        assert self._loop is not None
        ran("umount", str(self.mount))
        ran("e2fsck", "-f", "-n", self._loop)
        self._detach()
        ran("umount", str(self._fuse))
        assert self._nbdfuse is not None
        self._nbdfuse.wait(PATIENCE_S)
        volume.stop(self.socket)
        assert self._server is not None
        assert self._server.wait(PATIENCE_S) == 0

    def _detach(self) -> None:
        """The kernel lets go of a loop device when the last that uses it does: a mount that goes lazily."""
        if self._loop is not None:
            _tried("losetup", "--detach", self._loop)
            backing = Path("/sys/block", Path(self._loop).name, "loop/backing_file")
            until(lambda: not _reads(backing).startswith(str(self.folder)))
            self._loop = None

    def _serves(self) -> bool:
        assert self._server is not None
        assert self._server.poll() is None, (self.folder / "log").read_text()
        with contextlib.suppress(InputError):
            return bool(self.status())
        return False

    def _begun(self, command: list[str]) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def until(holds: Callable[[], bool]) -> None:
    """Wait until ``holds()``; fails where that takes too long."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end, f"it does not come about in {PATIENCE_S:g} s"
        time.sleep(0.02)


def ran(*command: str, **more: Any) -> str:
    """What the command prints; fails with its complaint."""
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(command, check=False, timeout=PATIENCE_S, text=True, **both, **more)
    assert done.returncode == 0, f"{' '.join(command)}: {done.returncode}: {done.stdout}"
    return str(done.stdout)


def _tried(*command: str) -> bool:
    return subprocess.run(command, check=False, capture_output=True, timeout=PATIENCE_S).returncode == 0


def _reads(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
