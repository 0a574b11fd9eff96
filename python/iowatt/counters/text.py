"""Text of logs: files in their encodings, lines with their places, numbers in any locale."""

from __future__ import annotations

import codecs
import gzip
import io
import math
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from iowatt.base.errors import InputError

# A line of perfmon has a figure for each counter, thousands at most; longer ones are no log.
_LONGEST_LINE: Final = 8 << 20
_MOST: Final = 1e18
# Bounded, so that a hostile number costs nothing. Windows and sysstat group no digits: a comma is a point.
_NUMBER: Final = re.compile(r"([+-]?[0-9]{1,24}(?:[.,][0-9]{0,24})?(?:[eE][+-]?[0-9]{1,3})?)", re.ASCII)
_GZIP: Final = b"\x1f\x8b"
_BANNER: Final = re.compile(r"\S.*\s\(.*\)\s+\S", re.ASCII)
_LONGEST_BANNER: Final = 400


@dataclass(frozen=True)
class LogLine:
    """A line without its end, and where it stands."""

    text: str
    number: int
    source: str

    @property
    def place(self) -> str:
        """``file:line``."""
        return f"{self.source}:{self.number}"

    def error(self, code: str, message: str, hint: str | None = None) -> InputError:
        """An error that names this line."""
        return InputError(code, self.place, message, hint=hint)

    def wrong(self, what: str, error: InputError) -> InputError:
        """An error about ``what`` in this line."""
        return self.error(error.code, f"{what}: {error.message}")


def lines(path: Path) -> Iterator[LogLine]:
    """The lines of a log, gzip-compressed or not, in UTF-8, UTF-16 (with its mark) or Windows' 8-bit code."""
    source = str(path)
    try:
        with _opened(path) as raw:
            text = io.TextIOWrapper(raw, encoding=_encoding(raw), errors="replace", newline=None)
            number = 0
            while line := text.readline(_LONGEST_LINE):
                number += 1
                if len(line) >= _LONGEST_LINE:
                    raise InputError(
                        "too-large", f"{source}:{number}", f"the line has over {_LONGEST_LINE >> 20} MiB"
                    )
                yield LogLine(line.rstrip("\r\n"), number, source)
    except OSError as error:
        # gzip's own complaints are OSErrors without a number.
        raise InputError("unreadable", source, f"cannot be read: {error.strerror or error}") from None
    except (EOFError, zlib.error) as error:
        raise InputError("damaged", source, f"the gzip file is damaged or cut off: {error}") from None


def _opened(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        head = file.read(2)
    return io.BufferedReader(gzip.open(path)) if head == _GZIP else path.open("rb")


def _encoding(raw: IO[bytes]) -> str:
    head = raw.peek(4096)  # type: ignore[attr-defined]
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8-sig"


def number(text: str) -> float:
    """A number with a decimal point or comma; ``InputError`` for other text, or beyond all counters."""
    stripped = text.strip()
    match = _NUMBER.fullmatch(stripped)
    if match is None:
        if stripped.lower().lstrip("+-") == "nan":  # old versions divide by intervals of nothing
            return math.nan
        raise InputError("bad-syntax", None, f"{shown(text)} is not a number")
    value = float(match[1].replace(",", "."))
    if not abs(value) < _MOST:
        raise InputError("out-of-range", None, f"{shown(text)} is too large for a counter")
    return value


def rate(text: str) -> float:
    """A number that is not negative."""
    value = number(text)
    if value < 0:
        raise InputError(
            "out-of-range", None, f"{shown(text)} is negative: the counter was reset or overflowed"
        )
    return value


def banner(text: str) -> bool:
    """Whether a line is like sysstat's first one, ``Linux 6.1.0 (host)  11/21/26 ...``."""
    # Bounded: the pattern takes quadratic time on a long line of brackets.
    return len(text) <= _LONGEST_BANNER and _BANNER.match(text) is not None


def shown(text: str) -> str:
    """``text`` for a message: quoted, control characters escaped, cut."""
    return ascii(text) if len(text) <= 40 else f"{text[:40]!a}..."
