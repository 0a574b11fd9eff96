"""What tests assert of an error: its code and its place, never its wording."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from iowatt.base.errors import CODES, Argument, InputError, IowattError

ANYWHERE = object()
"""The place is not asserted: it is the caller's to add."""


@contextmanager
def refused(
    code: str, place: object = ANYWHERE, error: type[IowattError] = InputError
) -> Iterator[pytest.ExceptionInfo[Any]]:
    """The block raises ``error`` with this code, at this place.

    ``place`` is compared as text (``"trace.csv:3"``, ``Argument("set", "a=1")``), or searched in the place
    where it is a compiled pattern; ``None`` means that the error names no place.
    """
    assert code in CODES, f"{code!r} is not in iowatt.base.errors.CODES"
    with pytest.raises(error) as caught:
        yield caught
    check(caught.value, code, place)


def check(error: BaseException | None, code: str, place: object = ANYWHERE) -> None:
    """The same of an error at hand, such as ``result.exception`` of Typer's runner."""
    assert isinstance(error, IowattError), repr(error)
    assert error.code == code, f"{error.code}: {error}"
    if isinstance(place, re.Pattern):
        assert place.search(error.place or ""), f"{error.place!r} has no {place.pattern!r}"
    elif place is not ANYWHERE:
        found = error.place if isinstance(place, str | None) else str(error.place)
        assert found == (place if isinstance(place, str | None) else str(place)), str(error)


def problems(error: Any) -> list[tuple[str, str | None]]:
    """Code and place of every problem of a ``DocumentError``, in their order."""
    return [(problem.code, problem.place) for problem in error.problems]


def printed_code(stderr: str) -> str | None:
    """The code that the command printed: ``iowatt: error[unknown-key]: ...``, or ``None``."""
    found = re.search(r"^iowatt: error\[([a-z-]+)\]: ", stderr, re.MULTILINE)
    return found[1] if found else None


def faults(error: BaseException, *, lines: bool = False) -> str:
    """Code and place of an error, or of each of its problems: ``"unknown-key @ array.pool.disks.cuont"``.

    Of a place in a file, only the key, where it has one; with ``lines`` also the file's name and the line.
    """
    assert isinstance(error, IowattError), repr(error)
    found = getattr(error, "problems", None) or (error,)
    return " & ".join(f"{one.code} @ {_where(one.place, lines)}".removesuffix(" @ ") for one in found)


def _where(place: str | None, lines: bool) -> str:
    if isinstance(place, Argument):
        key = place.detail.rpartition(": ")[2]
        return f"{place.name}={key}" if key else place.name
    file, _, key = (place or "").rpartition(": ")
    if not file:
        return Path(key).name
    return f"{Path(file).name}: {key}" if lines else key
