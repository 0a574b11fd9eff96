"""Programs that iowatt runs under a guard, and finds again where an earlier command left them."""

from pathlib import Path

from iowatt.sources.process import guard
from iowatt.sources.process.child import GRACE_S, ProcessEnd, end, left_over, run

__all__ = ["GRACE_S", "ProcessEnd", "end", "guard_text", "left_over", "run"]


def guard_text() -> str:
    """The program of the guard, for a machine that does not have it."""
    return Path(guard.__file__).read_text("utf-8")
