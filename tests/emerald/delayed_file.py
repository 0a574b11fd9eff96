"""A file that answers every request a fixed time after it was asked, however many are outstanding.

It is served by this program through FUSE, spoken to on ``/dev/fuse`` (protocol 7.31, linux/fuse.h), so that
any load generator opens it as it opens any file, with direct I/O and libaio. What is written is forgotten and
zeros are read. As a program: ``delayed_file.py FOLDER BYTES LATENCY_S IOPS``; it serves ``FOLDER/file`` until
it is ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

NAME = "file"
_FILE = 2  # the node of the file; that of the folder is 1
_HEAD, _REPLY = struct.Struct("<IIQQIIIHH"), struct.Struct("<IiQ")
_INIT, _ATTR = struct.Struct("<IIII"), struct.Struct("<QQQQQQIIIIIIIIII")
_ENTRY, _RANGE = struct.Struct("<QQQQII"), struct.Struct("<QQI")
(LOOKUP, FORGET, GETATTR, SETATTR, OPEN, READ, WRITE, STATFS, RELEASE, FSYNC, FLUSH, INIT, OPENDIR, READDIR,
 RELEASEDIR, INTERRUPT, DESTROY, BATCH_FORGET) = (
    1, 2, 3, 4, 14, 15, 16, 17, 18, 20, 25, 26, 27, 28, 29, 36, 38, 42)  # fmt: skip
_UNANSWERED = (FORGET, BATCH_FORGET, INTERRUPT)
_ASYNC_READ, _BIG_WRITES, _ASYNC_DIO, _MAX_PAGES = 1, 1 << 5, 1 << 15, 1 << 22
_MOST_BYTES = 1 << 20
_MOST_OUTSTANDING = 16384
_ENOENT, _ENOSYS = 2, 38
_DETACH = 2
_LONG_S = 3600
_SLACK_S = 0.002


@contextlib.contextmanager
def delayed_file(folder: Path, size: int, *, latency_s: float, iops: float = 1e9) -> Iterator[Path]:
    """The file, while it is served: each request waits for its turn of ``1 / iops``, then ``latency_s``."""
    folder.mkdir()
    words = [sys.executable, __file__, str(folder), str(size), str(latency_s), str(iops)]
    with subprocess.Popen(words) as served:
        try:
            while not (folder / NAME).exists():
                if served.poll() is not None:
                    raise OSError("FUSE cannot be mounted here")
                time.sleep(0.01)
            yield folder / NAME
        finally:
            served.send_signal(signal.SIGTERM)


def possible() -> bool:
    """Whether this machine lets this user mount FUSE."""
    return os.geteuid() == 0 and os.access("/dev/fuse", os.R_OK | os.W_OK)


class _Server:
    def __init__(self, fd: int, size: int, latency_s: float, iops: float) -> None:
        self.fd, self.size, self.latency_s, self.gap_s = fd, size, latency_s, 1 / iops
        self.free = 0.0
        #: When a reply is due, and the reply; all wait equally long, so they are in order.
        self.waiting: deque[tuple[float, bytes, int]] = deque()
        self.zeros = memoryview(bytes(_MOST_BYTES))

    def serve(self) -> None:
        buffer = bytearray(_MOST_BYTES + 4096)
        while True:
            now = time.monotonic()
            while self.waiting and self.waiting[0][0] <= now:
                _, head, zeros = self.waiting.popleft()
                with contextlib.suppress(OSError):  # nobody waits for it any more
                    os.writev(self.fd, [head, self.zeros[:zeros]])
            until = self.waiting[0][0] - time.monotonic() if self.waiting else _LONG_S
            if not select.select([self.fd], [], [], max(0.0, until))[0]:
                continue
            for _ in range(64):
                try:
                    length = os.readv(self.fd, [buffer])
                except BlockingIOError:
                    break
                except InterruptedError:
                    continue
                self.answer(buffer, length)

    def answer(self, said: bytearray, length: int) -> None:
        _, code, unique, node, *_ = _HEAD.unpack_from(said)
        if code in (READ, WRITE):
            _, offset, size = _RANGE.unpack_from(said, _HEAD.size)
            # A busy machine lets this program sleep; its turns do not go by meanwhile.
            now = time.monotonic()
            self.free = max(now - _SLACK_S, self.free) + self.gap_s
            if code == READ:
                got = max(0, min(size, self.size - offset))
                head = _REPLY.pack(_REPLY.size + got, 0, unique)
            else:
                got, head = 0, _REPLY.pack(_REPLY.size + 8, 0, unique) + struct.pack("<II", size, 0)
            self.waiting.append((max(now, self.free) + self.latency_s, head, got))
        elif code not in _UNANSWERED:
            error, made = self.other(code, node, bytes(said[_HEAD.size : length]))
            os.write(self.fd, _REPLY.pack(_REPLY.size + len(made), -error, unique) + made)

    def other(self, code: int, node: int, body: bytes) -> tuple[int, bytes]:  # noqa: PLR0911  (a table)
        """The error, and what is answered."""
        if code == INIT:
            _, _, ahead, flags = _INIT.unpack_from(body)
            flags &= _ASYNC_READ | _BIG_WRITES | _ASYNC_DIO | _MAX_PAGES
            made = struct.pack(
                "<IIIIHHIIHHII", 7, 31, ahead, flags, _MOST_OUTSTANDING, _MOST_OUTSTANDING, _MOST_BYTES, 1,
                _MOST_BYTES // 4096, 0, 0, 0,
            )  # fmt: skip
            return 0, made + bytes(64 - len(made))
        if code == LOOKUP:
            if body.rstrip(b"\0") != NAME.encode():
                return _ENOENT, b""
            return 0, _ENTRY.pack(_FILE, 0, _LONG_S, _LONG_S, 0, 0) + self.attributes(_FILE)
        if code in (GETATTR, SETATTR):
            return 0, struct.pack("<QII", _LONG_S, 0, 0) + self.attributes(node)
        if code in (OPEN, OPENDIR):
            return 0, struct.pack("<QII", 0, 0, 0)
        if code == STATFS:
            return 0, struct.pack("<QQQQQIIII", 1 << 20, 1 << 20, 1 << 20, 9, 9, 4096, 255, 4096, 0) + bytes(
                24
            )
        if code in (RELEASE, RELEASEDIR, READDIR, FLUSH, FSYNC, DESTROY):
            return 0, b""
        return _ENOSYS, b""

    def attributes(self, node: int) -> bytes:
        mode, size, links = (0o100600, self.size, 1) if node == _FILE else (0o40700, 0, 2)
        return _ATTR.pack(node, size, -(-size // 512), *[0] * 6, mode, links, 0, 0, 0, 4096, 0)


def _serve(folder: str, size: str, latency_s: str, iops: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    fd = os.open("/dev/fuse", os.O_RDWR | os.O_NONBLOCK)
    options = f"fd={fd},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()},max_read={_MOST_BYTES}"
    if libc.mount(b"delayed", folder.encode(), b"fuse", 6, options.encode()):  # nosuid, nodev
        raise OSError(ctypes.get_errno(), "mount")

    def end(*_: object) -> None:
        libc.umount2(folder.encode(), _DETACH)
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    _Server(fd, int(size), float(latency_s), float(iops)).serve()


if __name__ == "__main__":
    _serve(*sys.argv[1:])
