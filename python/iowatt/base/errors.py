"""One tree of errors. Each has a code, the place of the fault, a message, and the exit code of the command.

The code and the place are the contract: programs and tests go by them. The wording is for people.
``CODES`` lists the codes; ``docs/reference/errors.md`` is made from it.

An argument of a request is named as Python names it: as a place by ``Argument``, in a message as
`` `years=5` ``. The command line shows both as its own options (``--years 5``).
"""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    # the request
    "missing": "A key, argument or part that is needed is not given.",
    "unknown-key": "A table has a key that does not exist.",
    "unknown-name": "A name refers to nothing: no such device, pool, workload, metric, stage, profile...",
    "duplicate": "A name or value is given twice, or two things share one name.",
    "ambiguous": "Several things match; specify which one.",
    "not-accepted": "A value is not one of those accepted.",
    "out-of-range": "A number is outside the accepted range.",
    "bad-syntax": "A text is malformed: a number, unit, date, pair, range...",
    "wrong-type": "The type of a value is not the one the key accepts.",
    "conflict": "Keys, arguments or values contradict or exclude each other.",
    "not-applicable": "A key or argument has no effect on, or no meaning for, what it is given for.",
    "unsupported": "The request is clear, and this version cannot do it.",
    "infeasible": "No configuration, rate or placement satisfies the request.",
    "read-once": "An input that can be read only once, such as standard input, is needed again.",
    # files
    "not-found": "The file or directory does not exist.",
    "wrong-kind": "The path is a directory where a file is expected, or the reverse, or another kind of "
    "file.",
    "unreadable": "The file cannot be opened or read.",
    "unwritable": "The file or directory cannot be written.",
    "exists": "The output already exists and is not overwritten.",
    "wrong-format": "The file is not in an accepted format.",
    "damaged": "The file contradicts its format or itself, or ends too early.",
    "too-large": "The input exceeds a bound on its size, depth or number of parts.",
    "out-of-order": "Times or positions go backwards.",
    "empty": "The input has no requests, rows, samples or intervals to work on.",
    # what is known
    "missing-figure": "A figure that the calculation needs is not known for this device, part or run.",
    "no-time-zone": "A timestamp has no time zone, and the absolute time is needed.",
    "not-comparable": "Things that are compared or combined differ in system, unit, workload or length.",
    "unstable": "A measured quantity does not settle.",
    "unverified": "A rule's value was never read from its specification.",
    "data-loss": "More drives fail than the redundancy of the pool tolerates.",
    # the surroundings
    "changed": "An input has changed since the interrupted work began.",
    "in-use": "The target is in use or locked.",
    "too-many": "Too many requests are running or queued; try again later.",
    "unsafe-target": "The target must not be overwritten.",
    "tool-missing": "A required program or Python package is not installed.",
    "tool-failed": "An external program failed or was terminated.",
    "tool-output": "A program or service returned unexpected output.",
    "unreachable": "An instrument, service or machine does not answer.",
    "access-denied": "A service refuses the user, password or token.",
    "clipped": "An instrument's range is too small for the signal.",
    "not-signed": "A signature is missing, does not match the content, or is by an unknown key.",
    "not-reproduced": "A reanalysis of the raw files does not give the claimed result.",
    "wrong-state": "The request is not possible in the current state.",
    "check-failed": "Everything ran, but a check failed.",
    "interrupted": "The work was interrupted before it was complete; it can be resumed.",
    "several": "The input has several problems, each with its own code.",
    "internal": "An internal error: a bug in iowatt.",
}
"""What each code means."""


class Argument(str):
    """The place of a fault: an argument of a request, by its name in Python, with details behind a colon.

    Parameters
    ----------
    name:
        ``"within"``; the command line shows the option of that name.
    detail:
        What was given, or the place in it: ``Argument("set", "array.pool.disks.count=0")``.
    """

    name: str
    detail: str

    def __new__(cls, name: str, detail: object = "") -> Argument:
        """The text ``name`` or ``name: detail``."""
        made = super().__new__(cls, f"{name}: {detail}" if detail else name)
        made.name, made.detail = name, str(detail)
        return made

    def __reduce__(self) -> tuple[type[Argument], tuple[str, str]]:
        return (Argument, (self.name, self.detail))


class IowattError(Exception):
    """Root of all errors raised on purpose.

    Parameters
    ----------
    code:
        One of ``CODES``.
    place:
        The file and the place in it (``scenario.toml:12: array.pool.disks.count``), an ``Argument``, or
        ``None`` where the caller knows it.
    message:
        What is wrong, in one sentence, and what would be accepted.
    hint:
        The fix, where there is one to suggest.
    """

    exit_code = 3

    def __init__(self, code: str, place: str | None, message: str, *, hint: str | None = None) -> None:
        self.code = code
        self.place = place
        self.message = message
        self.hint = hint
        super().__init__(code, place, message)

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}" if self.place else self.message
        return f"{text}\n  hint: {self.hint}" if self.hint else text


class InputError(IowattError):
    """The command or its input was wrong: exit code 2."""

    exit_code = 2

    def at(self, place: str | None) -> InputError:
        """The same error with ``place``, where it has none yet."""
        return self if self.place else InputError(self.code, place, self.message, hint=self.hint)


class BadValueError(InputError, ValueError):
    """A value that a parser or a model refuses; its caller knows the place.

    It is a ``ValueError`` too, so that pydantic collects it with the other faults of a document.
    """


class DataLossError(InputError):
    """A drive fails that the redundancy of its pool could not spare.

    Raised by the simulator with indices (``pool``, ``drive``) and seconds; the source puts names to them.
    """

    def __init__(self, pool: int, drive: int, at_s: float) -> None:
        self.pool, self.drive, self.at_s = pool, drive, at_s
        super().__init__(
            "data-loss", None, f"pool {pool} loses data at {at_s:g} s, when its drive {drive} fails"
        )


class CheckFailedError(IowattError):
    """Everything ran, and a check did not hold: exit code 1."""

    exit_code = 1
