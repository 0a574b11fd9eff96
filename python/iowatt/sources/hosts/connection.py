"""A connection to a load host: an agent there, questions and their answers, and signs of life.

The agent (``agent.py``) is sent over the connection when it begins, so that both sides are of one version.
Each second it is asked for its time; a host that has not been heard for ``SILENT_S`` counts as lost.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

from iowatt.base.errors import IowattError
from iowatt.sources.hosts.address import HostAddress
from iowatt.sources.hosts.clock import HostSample
from iowatt.sources.process import guard_text

SILENT_S: Final = 15.0
PING_S: Final = 1.0
_ANSWER_S: Final = 60.0
#: All files of a stage; silence on the way is noticed earlier.
_FETCH_S: Final = 3600.0
_LONGEST_LINE: Final = 1 << 24
_BOOTSTRAP: Final = (
    "import os,json\n"
    "d=b''\n"
    "while len(d)<{size}:\n"
    " c=os.read(0,{size}-len(d))\n"
    " if not c: os._exit(1)\n"
    " d+=c\n"
    "f=json.loads(d)\n"
    "g={{'__name__':'iowatt_agent'}}\n"
    "exec(compile(f['agent'],'agent.py','exec'),g)\n"
    "g['main'](f['guard'])\n"
)


class HostLost(IowattError):
    """A load host does not answer any more, or never did."""

    exit_code = 1


class HostConnection:
    """An open connection; ``close`` ends what runs on the host.

    Raises ``HostLost`` where the host cannot be reached or has no Python.
    """

    def __init__(self, name: str, address: HostAddress) -> None:
        self.name, self.address = name, address
        self.lost: str | None = None  #: Why it is lost, once it is.
        self.lost_at: float | None = None
        self.samples: list[HostSample] = []  #: Answers to pings, oldest first.
        self.ended: tuple[int, float] | None = None  #: Status and time of the load generator, by its clock.
        self.changed = threading.Condition()
        self._numbers = itertools.count(1)
        self._answers: dict[int, dict[str, Any]] = {}
        self._sent: dict[int, tuple[float, float]] = {}  # pings on their way, by wall clock and monotonic
        self._unasked: set[int] = set()  # pings that nobody waits for
        self._into: Path | None = None
        self._write = threading.Lock()
        self._closing = False
        self._heard = time.monotonic()
        self._process = self._begun()
        for work in (self._read, self._ping, self._complaints):
            threading.Thread(target=work, name=f"host {name}", daemon=True).start()

    def _begun(self) -> subprocess.Popen[bytes]:
        agent = (Path(__file__).parent / "agent.py").read_text("utf-8")
        sent = json.dumps({"agent": agent, "guard": guard_text()}).encode()
        command = self.address.command("-I", "-S", "-c", _BOOTSTRAP.format(size=len(sent)))
        self._complained = b""
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for iowatt, which ends it in order
            )  # fmt: skip
        except OSError as error:
            text = f"{command[0]} could not be started: {error.strerror}"
            raise HostLost("unreachable", f"host {self.name}", text) from None
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # its end says why
            process.stdin.write(sent)
            process.stdin.flush()
        return process

    # Questions

    def ask(self, what: str, *, within_s: float = _ANSWER_S, **values: Any) -> dict[str, Any]:
        """The answer to a request. Raises ``HostLost``."""
        number = self._tell(what, values)
        due = time.monotonic() + within_s
        with self.changed:
            while number not in self._answers:
                if self.lost is None and time.monotonic() > due:
                    self._lose(f"it did not answer {what!r} within {within_s:g} s")
                if self.lost is not None:
                    raise HostLost("unreachable", f"host {self.name}", self.lost)
                self.changed.wait(0.2)
            answer = self._answers.pop(number)
        if answer.get("error") == "failed":
            text = f"its agent failed at {what!r}: {answer.get('text')}"
            raise HostLost("tool-failed", f"host {self.name}", text)
        return answer

    def clock(self, times: int = 5) -> HostSample:
        """The best of several comparisons of its clock with this one: that with the shortest round trip."""
        found = []
        for _ in range(times):
            before = len(self.samples)
            self.ask("ping", within_s=SILENT_S)
            found += self.samples[before:]
        return min(found, key=lambda sample: sample.round_trip_s)

    def begin(
        self,
        command: Sequence[str],
        files: Mapping[str, str],
        environment: Mapping[str, str],
        *,
        mark: str,
        grace_s: float,
        at: float,
    ) -> float:
        """Start the load generator at a time of its clock; when it did so."""
        self.ended = None
        answer = self.ask(
            "begin", command=list(command), files=dict(files), environment=dict(environment), mark=mark,
            grace=grace_s, at=at,
        )  # fmt: skip
        return float(answer["started"])

    def fetch(self, folder: Path) -> None:
        """Copy what the load generator left into a folder. Raises ``HostLost``, ``OSError``."""
        self._into = folder
        try:
            self.ask("fetch", within_s=_FETCH_S)
        finally:
            self._into = None

    def close(self) -> None:
        """End the agent, and with it all that it started."""
        self._closing = True
        with contextlib.suppress(OSError, HostLost):
            self._tell("bye", {})
        stdin = self._process.stdin
        assert stdin is not None
        with contextlib.suppress(OSError):
            stdin.close()
        try:
            self._process.wait(30.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _tell(self, what: str, values: Mapping[str, Any], *, asked: bool = True) -> int:
        number = next(self._numbers)
        line = json.dumps({"id": number, "do": what, **values}).encode() + b"\n"
        assert self._process.stdin is not None
        with self._write:
            if not asked:
                self._unasked.add(number)
            if what == "ping":
                self._sent[number] = (time.time(), time.monotonic())
            try:
                self._process.stdin.write(line)
                self._process.stdin.flush()
            except (OSError, ValueError):  # its reader finds out why
                self._sent.pop(number, None)
        return number

    # Threads

    def _read(self) -> None:
        out = self._process.stdout
        assert out is not None
        try:
            while line := out.readline(_LONGEST_LINE):
                now = (time.time(), time.monotonic())
                self._heard = now[1]
                self._take(json.loads(line), out, now)
        except (ValueError, KeyError, TypeError, AttributeError, OSError):
            self._lose("what it answered cannot be read")
            return
        self._lose(self._end())

    def _take(self, said: dict[str, Any], out: IO[bytes], now: tuple[float, float]) -> None:
        if "file" in said:
            self._file(str(said["file"]), int(said["bytes"]), out)
            return
        with self.changed:
            if said.get("event") == "ended":
                self.ended = int(said["status"]), float(said["time"])
            elif "id" in said:
                number = int(said["id"])
                sent = self._sent.pop(number, None)
                if sent is not None:
                    self.samples.append(HostSample.of(sent, now, said))
                if number in self._unasked:
                    self._unasked.discard(number)
                else:
                    self._answers[number] = said
            self.changed.notify_all()

    def _file(self, name: str, size: int, out: IO[bytes]) -> None:
        into = self._into
        path = None if into is None else into / name
        if path is not None and not path.resolve().is_relative_to(into.resolve()):  # type: ignore[union-attr]
            raise ValueError(name)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as opened:
            file = None if path is None else opened.enter_context(path.open("wb"))
            while size:
                data = out.read(min(1 << 20, size))
                if not data:
                    raise ValueError(name)
                self._heard = time.monotonic()
                size -= len(data)
                if file is not None:
                    file.write(data)

    def _ping(self) -> None:
        while not self._closing and self.lost is None:
            self._tell("ping", {}, asked=False)
            time.sleep(PING_S)
            silent = time.monotonic() - self._heard
            if silent > SILENT_S:
                self._lose(f"it has not answered for {silent:.0f} s")

    def _complaints(self) -> None:
        complained = self._process.stderr
        assert complained is not None
        while data := complained.read1(4096):  # type: ignore[attr-defined]
            self._complained = (self._complained + data)[-4096:]

    def _end(self) -> str:
        """Why the connection ended, in the words of what ended."""
        try:
            status = self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            return "it closed the connection"
        time.sleep(0.05)  # what it complained of may still be on its way
        lines = [line.strip() for line in self._complained.decode("utf-8", "replace").splitlines()]
        said = next((f": {line[:300]}" for line in reversed(lines) if line), "")
        what = "ssh" if self.address.kind == "ssh" else "its agent"
        if status < 0:
            with contextlib.suppress(ValueError):
                return f"{what} was ended by {signal.Signals(-status).name}{said}"
        return f"{what} ended with code {status}{said}"

    def _lose(self, why: str) -> None:
        with self.changed:
            if self.lost is None and not self._closing:
                self.lost, self.lost_at = why, time.time()
            elif self.lost is None:
                self.lost = "the connection was closed"
            self.changed.notify_all()
        if self._process.poll() is None and not self._closing:
            self._process.kill()  # of ssh: the agent then sees the end of its input
