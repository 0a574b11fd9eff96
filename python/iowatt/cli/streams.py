"""Standard streams that are there, take every character, and say what is wrong with them in one way."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, Final, TextIO

from iowatt.base.errors import InputError

STANDARD_OUTPUT: Final = "standard output"
_OUT: Final = 1
_NAMES: Final = ("stdin", "stdout", "stderr")


class ReaderGoneError(Exception):
    """Who read standard output has closed it (``| head``)."""


class _Descriptor(io.FileIO):
    """A standard stream whose errors are ours: neither Rich nor Typer has its own exit for them.

    What cannot be written to standard error is dropped: there is nobody to tell.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number, "wb", closefd=False)
        self.failed = False

    def write(self, data: Any, /) -> int:
        if self.failed:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except OSError as error:
            self.failed = True  # what is still in the buffer is not tried again at exit
            if self.fileno() != _OUT:
                return memoryview(data).nbytes
            if isinstance(error, BrokenPipeError):
                raise ReaderGoneError from None
            raise InputError("unwritable", STANDARD_OUTPUT, f"cannot be written: {error.strerror}") from None


def prepare() -> None:
    """Open what was closed (``2>&-``), on /dev/null, and let no character be too much for an encoding.

    A character that the terminal's encoding lacks is shown by its escape.
    """
    for number, name in enumerate(_NAMES):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number, which is this one; or a file of ours would get it, and talk with it.
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False))  # noqa: SIM115
    for number, name in enumerate(_NAMES):
        if number:
            setattr(sys, name, _prepared(getattr(sys, name), number))


def _writes_to(stream: io.TextIOWrapper, number: int) -> bool:
    """Whether it writes to the descriptor; else it is the own one of a program that calls us."""
    try:
        return stream.fileno() == number
    except (OSError, ValueError):
        return False


def _prepared(stream: TextIO, number: int) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper) or not _writes_to(stream, number):
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Descriptor(number)),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def print_line(text: str) -> None:
    """Print a line of the result; a character that standard output cannot encode is printed by its escape.

    ``typer.echo`` writes UTF-8 whatever the encoding of the stream.
    """
    sys.stdout.write(f"{text}\n")
