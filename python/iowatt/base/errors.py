"""One tree of errors: what is wrong, where, what would be accepted, and the exit code it means."""

from __future__ import annotations


class IowattError(Exception):
    """Root of all errors raised on purpose.

    Parameters
    ----------
    message:
        What is wrong, in one sentence, and what would be accepted.
    where:
        The file and the place in it (``scenario.toml:12: array.pool.disks.count``), where known.
    hint:
        The fix, where there is one to suggest.
    """

    exit_code = 3

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        self.message = message
        self.where = where
        self.hint = hint
        super().__init__(str(self))

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text}\n  hint: {self.hint}" if self.hint else text


class InputError(IowattError):
    """The command or its input was wrong: exit code 2."""

    exit_code = 2


class DataLossError(InputError):
    """A drive fails that the redundancy of its pool could not spare.

    Raised by the simulator with indices (``pool``, ``drive``) and seconds; the source puts names to them.
    """

    def __init__(self, pool: int, drive: int, at_s: float) -> None:
        self.pool, self.drive, self.at_s = pool, drive, at_s
        super().__init__(f"pool {pool} loses data at {at_s:g} s, when its drive {drive} fails")


class CheckFailedError(IowattError):
    """Everything ran, and a check did not hold: exit code 1."""

    exit_code = 1
