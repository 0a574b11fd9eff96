"""Words, punctuation and line numbers of a parameter file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from iowatt.base.errors import InputError

_TOKEN = re.compile(
    r"""(?P<skip>\#[^\n]*|[^\S\n]+) | (?P<line>\n) | "(?P<quoted>[^"\n]*)" | (?P<mark>[{}\[\],=])
        | (?P<word>[^\s{}\[\],="\#]+)""",
    re.VERBOSE,
)
_INTEGER = re.compile(r"[+-]?[0-9]+\Z")
_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?\Z")
_DIGITS = 40


class Token(NamedTuple):
    """``kind`` is ``word``, ``quoted``, ``mark`` or ``end``."""

    kind: str
    text: str
    line: int


def tokens(text: str, path: object) -> Iterator[Token]:
    """The tokens of ``text``, the last of kind ``end``; comments run from ``#`` to the end of the line.

    Raises
    ------
    InputError
        Where a quotation mark is not closed on its line.
    """
    line, position = 1, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:  # only a lone quotation mark starts no token
            raise InputError("bad-syntax", f"{path}:{line}", "the quotation mark is not closed on this line")
        position = match.end()
        kind = match.lastgroup
        if kind == "line":
            line += 1
        elif kind is not None and kind != "skip":
            yield Token(kind, match[kind], line)
    yield Token("end", "the end of the file", line)


def scalar(token: Token, path: object) -> int | float | str:
    """The number that a token spells, or its text.

    Raises
    ------
    InputError
        For numbers that no parameter can have: very long, or beyond a double.
    """
    text = token.text
    if token.kind == "quoted" or not (text[0] in "+-." or text[0] in "0123456789"):
        return text
    whole, hexadecimal = _INTEGER.match(text), _HEXADECIMAL.match(text)
    if not (whole or hexadecimal or _FLOAT.match(text)):
        return text
    if len(text) <= _DIGITS:
        if whole or hexadecimal:
            return int(text, 16 if hexadecimal else 10)
        value = float(text)
        if abs(value) <= 1e300:
            return value
    raise InputError("out-of-range", f"{path}:{token.line}", f"the number {text[:_DIGITS]} is too large")
