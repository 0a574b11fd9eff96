"""Ctrl-C, a termination and a lost terminal stop a measurement in order: the running stage ends first."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Any

_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """Within it the first signal sets ``stop``; the second one raises ``KeyboardInterrupt``.

    A signal that was ignored before (nohup) stays ignored. Outside the main thread it does nothing.
    """

    def __init__(self, stop: threading.Event) -> None:
        self.number: int | None = None
        self._stop = stop
        self._before: dict[int, Any] = {}
        self._woken, self._wake = -1, -1

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is not threading.main_thread():
            return self
        # A handler may not set an event: it might interrupt the code that holds the event's own lock.
        self._woken, self._wake = os.pipe()
        threading.Thread(target=self._set, args=(self._woken,), name="interrupts", daemon=True).start()
        for number in _NUMBERS:
            before = signal.getsignal(number)
            if before is not signal.SIG_IGN:
                self._before[number] = before
                signal.signal(number, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        if self._wake >= 0:
            os.close(self._wake)
            self._wake = -1

    def again(self) -> None:
        """Deliver the signal again, to the handler of before."""
        if self.number is not None:
            signal.raise_signal(self.number)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if self.number is not None:
            raise KeyboardInterrupt
        self.number = number
        os.write(self._wake, b"!")

    def _set(self, woken: int) -> None:
        with os.fdopen(woken, "rb") as pipe:
            if pipe.read(1):
                self._stop.set()
