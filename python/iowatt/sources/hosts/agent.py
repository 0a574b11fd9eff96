"""Runs a load generator on a host, for an iowatt that sends this program over its connection.

It needs Python 3.7 and nothing else, so that iowatt need not be installed there. Requests come as lines of
JSON on standard input and are answered on standard output; ``fetch`` answers with files behind its lines. The
load generator runs under the guard that local ones have (``guard.py``, sent along), which ends all of its
processes once this program is gone; and this program ends when its input does, or when it has heard nothing
for ``SILENCE_S``: a connection that broke without a word leaves nothing running. Its folder goes with it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

TYPE_CHECKING = False  # typing itself would cost the start of the connection
if TYPE_CHECKING:
    from typing import Any

    Values = dict[str, Any]

SILENCE_S = 30.0
LEFT_S = 2.0
MARK = "IOWATT_MEASUREMENT"
CHUNK = 1 << 20
LOOKED_AT = 1 << 20


class Agent:
    """The state of a connection."""

    def __init__(self, guard: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="iowatt-agent-"))
        self.guard = self.folder / "guard.py"
        self.guard.write_text(guard, "utf-8")
        self.lock = threading.Lock()
        self.out = os.dup(1)
        os.dup2(2, 1)  # nothing else may be printed between the answers
        os.set_blocking(self.out, False)
        self.program: subprocess.Popen[bytes] | None = None
        self.work: Path | None = None
        self.held: list[tuple[int, str | None]] = []  # locked targets, and names of those made here

    # Answers

    def send(self, data: bytes) -> None:
        """Write all of it; ends this program where nobody has read for too long."""
        left = memoryview(data)
        while left:
            if not select.select([], [self.out], [], SILENCE_S)[1]:
                raise ConnectionError("nobody reads")
            with contextlib.suppress(BlockingIOError):
                left = left[os.write(self.out, left) :]

    def say(self, **values: Any) -> None:
        """One line."""
        with self.lock:
            self.send(json.dumps(values).encode() + b"\n")

    # Requests

    def ping(self) -> Values:
        """The time, and what the kernel counts of processors and network."""
        now = time.time()
        return {"time": now, "cpu": processor_ticks(), "net": interface_bytes()}

    def about(self, files: list[str]) -> Values:
        """What the host is, and its settings."""
        uname = os.uname()
        return {
            "host": uname.nodename,
            "system": f"{uname.sysname} {uname.release} {uname.version}",
            "machine": uname.machine,
            "processors": os.cpu_count() or 1,
            "python": sys.version.split()[0],
            "boot": text_of("/proc/sys/kernel/random/boot_id"),
            "speeds": link_speeds(),
            "files": {name: text_of(name) for name in files},
        }

    def look(self, targets: list[str]) -> Values:
        """What is at each path."""
        return {"targets": [looked_at(path) for path in targets]}

    def claim(self, path: str, size: int, may_write: bool) -> Values:
        """Make a file, or lock what is there; ``error`` says why not."""
        kind = looked_at(path)["kind"]
        made = False
        try:
            if kind == "absent":
                with Path(path).open("xb") as file:
                    made = True
                    os.posix_fallocate(file.fileno(), 0, size)
            elif not may_write:
                return {"error": "exists", "text": "it exists"}
            if kind == "device":
                os.close(os.open(path, os.O_RDWR | os.O_EXCL))
            handle = os.open(path, os.O_RDWR)
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return {"error": "in-use", "text": "a measurement, calibration or replay has locked it"}
        except OSError as error:
            if made:
                Path(path).unlink()
            if kind == "device" and error.errno == 16:
                return {"error": "in-use", "text": "it is mounted, or part of another device"}
            return {"error": "unwritable", "text": error.strerror or "cannot be opened"}
        self.held.append((handle, path if made else None))
        return {"made": made}

    def keep(self) -> Values:
        """Leave the files that were made."""
        self.held = [(handle, None) for handle, _ in self.held]
        return {}

    def check(
        self, command: list[str], files: dict[str, str], environment: dict[str, str], limit: float
    ) -> Values:
        """Run a program that ends soon, in a folder of its own with these files."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            put(Path(folder), files)
            try:
                done = subprocess.run(
                    command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                    env={**os.environ, **environment}, timeout=limit, check=False,
                )  # fmt: skip
            except FileNotFoundError:
                return {"missing": True}
            except (OSError, subprocess.TimeoutExpired) as error:
                return {"status": 1, "out": "", "err": str(error)}
        said = (done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))
        return {"status": done.returncode, "out": said[0], "err": said[1]}

    def begin(  # noqa: PLR0917 - the keys of a request
        self,
        command: list[str],
        files: dict[str, str],
        environment: dict[str, str],
        mark: str,
        grace: float,
        at: float,
    ) -> Values:
        """Start the load generator at a time of this host's clock; ``ended`` is said once it has."""
        end_left_over(mark)
        self.work = Path(tempfile.mkdtemp(dir=self.folder))
        put(self.work, files)
        words = [sys.executable, "-I", "-S", str(self.guard), str(grace), *command]
        time.sleep(max(0.0, min(60.0, at - time.time())))
        said, complained = (self.work / name for name in ("stdout.txt", "stderr.txt"))
        with said.open("wb") as out, complained.open("wb") as err:
            self.program = subprocess.Popen(
                words, cwd=self.work, stdin=subprocess.PIPE, stdout=out, stderr=err,
                env={**os.environ, **environment, MARK: mark}, start_new_session=True,
            )  # fmt: skip
        threading.Thread(target=self.wait, args=(self.program,), daemon=True).start()
        return {"started": time.time()}

    def wait(self, program: subprocess.Popen[bytes]) -> None:
        """Tell its end."""
        status = program.wait()
        with contextlib.suppress(OSError):
            self.say(event="ended", status=status if status >= 0 else 128 - status, time=time.time())

    def stop(self) -> Values:
        """Ask the load generator to end."""
        if self.program is not None and self.program.stdin is not None:
            with contextlib.suppress(OSError):
                self.program.stdin.close()
        return {}

    def fetch(self, number: int) -> Values:
        """Send what the load generator left, and remove it."""
        work, self.work = self.work, None
        if work is None:
            return {}
        for path in sorted(one for one in work.rglob("*") if one.is_file() and not one.is_symlink()):
            with path.open("rb") as file, self.lock:
                left = os.fstat(file.fileno()).st_size
                name = str(path.relative_to(work))
                self.send(json.dumps({"id": number, "file": name, "bytes": left}).encode() + b"\n")
                while left:
                    data = file.read(min(CHUNK, left))
                    # A file that shrinks meanwhile is filled up: the other side counts bytes.
                    data = data or bytes(min(CHUNK, left))
                    self.send(data)
                    left -= len(data)
        shutil.rmtree(work, ignore_errors=True)
        return {}

    def end(self) -> None:
        """Leave nothing behind."""
        self.stop()
        if self.program is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.program.wait(60)
        for handle, made in self.held:
            if made is not None:
                with contextlib.suppress(OSError):
                    Path(made).unlink()
            os.close(handle)
        shutil.rmtree(self.folder, ignore_errors=True)

    def serve(self) -> None:
        """Answer until the input ends, or stays silent for too long."""
        waiting = b""
        while select.select([0], [], [], SILENCE_S)[0]:
            data = os.read(0, 1 << 16)
            if not data:
                return
            *lines, waiting = (waiting + data).split(b"\n")
            for line in lines:
                request = json.loads(line)
                number, what = request.pop("id"), request.pop("do")
                if what == "bye":
                    return
                try:
                    found = self.fetch(number) if what == "fetch" else getattr(self, what)(**request)
                    self.say(id=number, **found)
                except ConnectionError:
                    return
                except Exception as error:
                    self.say(id=number, error="failed", text=f"{type(error).__name__}: {error}")


def put(folder: Path, files: dict[str, str]) -> None:
    """Write texts by name."""
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")


def text_of(path: str) -> str | None:
    """The text of a small file; None where there is none."""
    try:
        with Path(path).open("rb") as file:
            return file.read(CHUNK).decode("utf-8", "replace").strip()
    except OSError:
        return None


def processor_ticks() -> list[int]:
    """Busy and all ticks of all processors (proc(5), stat): idle and iowait are not busy."""
    line = Path("/proc/stat").read_text("ascii").partition("\n")[0]
    ticks = [int(word) for word in line.split()[1:9]]
    return [sum(ticks) - ticks[3] - ticks[4], sum(ticks)]


def interface_bytes() -> dict[str, list[int]]:
    """Received and sent bytes by network interface, loopback left out."""
    found = {}
    for line in Path("/proc/self/net/dev").read_text("utf-8").splitlines()[2:]:
        name, _, counts = line.partition(":")
        words = counts.split()
        if name.strip() != "lo":
            found[name.strip()] = [int(words[0]), int(words[8])]
    return found


def link_speeds() -> dict[str, int]:
    """Speeds of links in bit/s, where the kernel knows them."""
    found = {}
    for name in interface_bytes():
        speed = text_of(f"/sys/class/net/{name}/speed")
        if speed is not None and speed.isdigit() and int(speed) > 0:
            found[name] = int(speed) * 1000000
    return found


def looked_at(path: str) -> Values:
    """Kind, bytes, identity and counts of a target."""
    try:
        found = Path(path).stat()
    except FileNotFoundError:
        return {"kind": "absent"}
    except OSError as error:
        return {"kind": "other", "text": error.strerror}
    block = stat.S_ISBLK(found.st_mode)
    if not (block or stat.S_ISREG(found.st_mode)):
        return {"kind": "other", "text": "neither a file nor a block device"}
    number = found.st_rdev if block else found.st_dev
    about: Values = {
        "kind": "device" if block else "file",
        "identity": f"{number}" if block else f"{number}:{found.st_ino}",
        "direct": True,
        "requests": None,
    }
    try:
        with Path(path).open("rb") as file:
            about["bytes"] = file.seek(0, os.SEEK_END)
            file.seek(0)
            about["blank"] = not any(file.read(LOOKED_AT))
        os.close(os.open(path, os.O_RDONLY | os.O_DIRECT))
    except OSError as error:
        about["direct"] = False
        if "blank" not in about:
            about = {"kind": "other", "text": error.strerror}
    if block:
        device = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve()
        counts = (text_of(f"{device}/stat") or "").split()
        about["device"] = device.name
        about["requests"] = [int(counts[0]), int(counts[4])] if len(counts) > 4 else None
    return about


def end_left_over(mark: str) -> None:
    """End processes that an earlier connection of the same measurement left, if any."""
    wanted = f"{MARK}={mark}".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    os.kill(int(entry.name), signal.SIGKILL)


def main(guard: str) -> None:
    """Serve one connection."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):  # the end of the input ends it
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    agent = Agent(guard)
    try:
        agent.say(event="hello", version=1)
        agent.serve()
    except OSError:
        pass
    finally:
        agent.end()
