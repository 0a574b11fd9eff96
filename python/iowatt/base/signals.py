"""The signals that end the command: Ctrl-C, a termination, a lost terminal. One owner from start to end.

Each raises ``KeyboardInterrupt``, so that what was begun is cleared away on the same way out. One that comes
during an import raises when the outermost import ends, because extensions that are half loaded abort. It does
nothing once the outcome is settled. What was ignored from the start (``nohup``) stays so.
"""

from __future__ import annotations

import signal
import sys
from pathlib import PurePath
from types import FrameType
from typing import Any, Final

NUMBERS: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
_IMPORT: Final = "<frozen importlib._bootstrap>"


class _Owner:
    def __init__(self) -> None:
        #: The first signal that came.
        self.received: int | None = None
        self._holding = False
        self._outermost: FrameType | None = None

    def hold(self) -> None:
        """Take the signals, and keep what comes until :meth:`let_through`."""
        self._holding = True
        for number in NUMBERS:
            if signal.getsignal(number) not in (signal.SIG_IGN, self._handle):
                signal.signal(number, self._handle)

    def let_through(self) -> None:
        """Interrupt from now on; at once where a signal came meanwhile.

        Imports that the caller itself is part of do not count as such.
        """
        self._outermost = sys._getframe(1)
        self._holding = False
        if self.received is not None:
            raise KeyboardInterrupt

    def ignore(self) -> None:
        """Let nothing change the outcome any more, up to the very end of the process."""
        self._holding = True
        for number in NUMBERS:
            signal.signal(number, signal.SIG_IGN)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.received is None:
            self.received = number
        if self._holding:
            return
        importing = self._importing(frame)
        if importing is None:
            raise KeyboardInterrupt
        # A frame's own trace function is called only while the thread has one.
        importing.f_trace = self._at_return
        sys.settrace(_trace_no_call)

    def _at_return(self, _frame: FrameType, event: str, _value: Any) -> Any:
        if event != "return":
            return self._at_return
        sys.settrace(None)
        if not self._holding:
            raise KeyboardInterrupt
        return None

    def _importing(self, frame: FrameType | None) -> FrameType | None:
        """The outermost import that ``frame`` is part of, if it is."""
        found = None
        while frame is not None and frame is not self._outermost:
            if frame.f_code.co_filename == _IMPORT:
                found = frame
            frame = frame.f_back
        return found


def _trace_no_call(_frame: FrameType, _event: str, _value: Any) -> None:
    """Calls made meanwhile go untraced."""


_OWNER: Final = _Owner()
hold, let_through, ignore = _OWNER.hold, _OWNER.let_through, _OWNER.ignore


def received() -> int | None:
    """The first signal that came, if one did."""
    return _OWNER.received


def hold_in_command() -> None:
    """Hold them where this process is the command ``iowatt``, not a program that imports the package."""
    if PurePath(next(iter(getattr(sys, "argv", [])), "")).stem == "iowatt":
        hold()
