"""A Ray cluster as an executor.

Ray itself is in a separate process (``search.cluster.driver``): this one keeps the tasks that
wait, sends as many as there is room for, and hears what became of each.
"""

from __future__ import annotations

import pickle
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from iowatt.base.errors import InputError
from iowatt.evaluate.search.cluster import child as addresses
from iowatt.evaluate.search.cluster import driver
from iowatt.evaluate.search.cluster.child import Child
from iowatt.evaluate.search.tasks.executor import Finished, MachineError, Work


class Cluster:
    """An executor on a cluster that runs; see :mod:`iowatt.evaluate.search.tasks.executor`.

    Args:
        address: ``HOST:PORT`` of the cluster's head, or ``auto`` for the one that this machine is in.
        on_report: Told of a task's reports, at most one a second: its ticket and how far it is. It is called
            by a thread.

    Raises ``InputError``: ray is not installed, nothing answers at the address, or a machine of the cluster
    has another iowatt or Python than this one.
    """

    def __init__(self, address: str, on_report: Callable[[int, float], None] | None = None) -> None:
        self.address = addresses.parse(address)
        self.on_report = on_report
        self._child = Child(self.address)
        self._lock = threading.Lock()
        self._waiting: deque[tuple[int, Work, Any]] = deque()
        self._finished: queue.SimpleQueue[Finished | InputError] = queue.SimpleQueue()
        self._submitted = self._yielded = self._room = 0
        self._listening = self._closed = False
        self._reader = threading.Thread(target=self._read, name="iowatt-cluster", daemon=True)
        self._reader.start()

    @property
    def nodes(self) -> int:
        """Machines with processors when it was joined."""
        return self._child.nodes

    @property
    def processors(self) -> float:
        """Processors that they had in all."""
        return self._child.processors

    def submit(self, work: Work, argument: Any) -> int:
        """Take a task; returns its ticket."""
        if self._closed:
            raise RuntimeError("the executor is closed")
        with self._lock:
            self._submitted += 1
            self._waiting.append((self._submitted, work, argument))
            ticket = self._submitted
        self._send_waiting()
        return ticket

    def as_completed(self) -> Iterator[Finished]:
        """The tasks as they finish. Raises ``InputError`` where the cluster is lost."""
        while self._yielded < self._submitted and not self._closed:
            done = self._finished.get()  # a signal (Ctrl-C) interrupts this wait
            if isinstance(done, InputError):
                self._finished.put(done)  # for whoever asks again
                raise done
            self._yielded += 1
            yield done

    def close(self) -> None:
        """Cancel what is left and wait for it."""
        if self._closed:
            return
        self._closed = True
        with self._lock:
            self._waiting.clear()
            self._say((driver.CLOSE,))
        self._child.end()
        self._reader.join()

    def _send_waiting(self) -> None:
        """As many tasks as there is room for."""
        with self._lock:
            if self.on_report is not None and not self._listening and self._waiting:
                self._listening = True
                self._say((driver.LISTEN,))
            while self._waiting and self._room:
                ticket, work, argument = self._waiting.popleft()
                try:
                    payload = pickle.dumps((work, argument))
                except Exception as error:
                    self._finished.put(Finished(ticket, error=error))
                    continue
                self._room -= 1
                self._say((driver.TASK, ticket, payload))

    def _say(self, message: tuple[Any, ...]) -> None:
        try:
            self._child.connection.send(message)
        except OSError:  # it has ended: the reader finds that out and says why
            return

    def _read(self) -> None:
        connection = self._child.connection
        try:
            while True:
                self._heard(connection.recv())
        except (EOFError, OSError):
            if not self._closed:
                self._finished.put(self._lost(self._child.last_words()))

    def _heard(self, message: tuple[Any, ...]) -> None:
        kind, *rest = message
        if kind == driver.ROOM:
            with self._lock:
                self._room += rest[0]
            self._send_waiting()
        elif kind == driver.OUTCOME:
            ticket, failed, content = rest
            self._finished.put(_finished(ticket, failed, content))
        elif kind == driver.LOST:
            ticket, text = rest
            self._finished.put(Finished(ticket, error=_died(text)))
        elif kind == driver.REPORTS:
            if (told := self.on_report) is not None:
                for ticket, fraction in rest[0].items():
                    told(ticket, fraction)
        elif kind == driver.GONE:
            self._finished.put(self._lost(rest[0]))

    def _lost(self, reason: str) -> InputError:
        message = f"the cluster at {self.address.text} is lost: {reason}"
        hint = (
            "finished points are kept; the same command with `resume=True` continues, on a cluster or, "
            "without `cluster=`, on this machine"
        )
        return InputError("unreachable", addresses.WHERE, message, hint=hint)


def _finished(ticket: int, failed: bool, content: bytes) -> Finished:
    try:
        value = pickle.loads(content)
    except Exception as error:
        return Finished(ticket, error=error)
    return Finished(ticket, error=value) if failed else Finished(ticket, value)


def _died(text: str) -> MachineError:
    message = f"the machines that ran it died or lost it, {driver.RETRIES + 1} times: {text}"
    hint = "check that they have enough memory; `resume=True` tries it again"
    return MachineError("unreachable", None, message, hint=hint)
