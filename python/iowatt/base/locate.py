"""On which line a key of a TOML document stands, which ``tomllib`` does not say.

The scan trusts ``tomllib`` for correctness: it is only used on text that parsed. It follows table headers,
arrays of tables with their index, dotted and quoted keys, inline tables and lists.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from iowatt.base.problems import KeyPath

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE: Final = re.compile(r"[ \t]*")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_STRING: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'", re.DOTALL
)
_SCALAR: Final = re.compile(r"[^,\]}#\r\n]+")
_ESCAPE: Final = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)")
_ESCAPES: Final = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


def _unquoted(text: str) -> str:
    if text.startswith("'"):
        return text[1:-1]

    def replace(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPES.get(code, code)

    return _ESCAPE.sub(replace, text[1:-1])


class Lines:
    """Line numbers (from 1) by key path."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self._at = 0
        self._lines: dict[KeyPath, int] = {(): 1}
        self._lengths: dict[KeyPath, int] = {}  # arrays of tables: elements so far
        self._document()

    def of(self, path: KeyPath) -> int:
        """Line of the key at ``path``, or of the nearest table around it."""
        while path not in self._lines:
            path = path[:-1]
        return self._lines[path]

    def _record(self, path: KeyPath, at: int) -> None:
        line = bisect_left(self._breaks, at) + 1
        for length in range(1, len(path) + 1):
            self._lines.setdefault(path[:length], line)

    def _skip(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            return ""
        self._at = match.end()
        return match[0]

    def _peek(self, text: str) -> bool:
        return self._text.startswith(text, self._at)

    def _document(self) -> None:
        table: KeyPath = ()
        while True:
            self._skip(_BLANK)
            if self._at >= len(self._text):
                return
            if self._peek("["):
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> KeyPath:
        start = self._at
        many = self._peek("[[")
        self._at += 2 if many else 1
        parts = self._key()
        self._skip(_SPACE)
        self._at += 2 if many else 1
        path: KeyPath = ()
        for part in parts[:-1]:
            path = self._enter((*path, part))
        path = (*path, parts[-1])
        if many:
            index = self._lengths.get(path, 0)
            self._lengths[path] = index + 1
            path = (*path, index)
        self._record(path, start)
        return path

    def _enter(self, path: KeyPath) -> KeyPath:
        """``path`` itself, or the last element where it is an array of tables."""
        length = self._lengths.get(path)
        return path if length is None else (*path, length - 1)

    def _key(self) -> tuple[str, ...]:
        parts: list[str] = []
        while True:
            self._skip(_SPACE)
            quoted = self._skip(_STRING)
            parts.append(_unquoted(quoted) if quoted else self._skip(_BARE))
            self._skip(_SPACE)
            if not self._peek("."):
                return tuple(parts)
            self._at += 1

    def _pair(self, table: KeyPath) -> None:
        start = self._at
        path = (*table, *self._key())
        self._record(path, start)
        if not self._peek("="):  # only in text that tomllib would have refused
            self._at = len(self._text)
            return
        self._at += 1
        self._skip(_SPACE)
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        if self._peek("{"):
            self._at += 1
            while True:
                self._skip(_BLANK)
                if self._closed("}"):
                    return
                self._pair(path)
                self._separator()
        if self._peek("["):
            self._at += 1
            index = 0
            while True:
                self._skip(_BLANK)
                if self._closed("]"):
                    return
                self._record((*path, index), self._at)
                self._value((*path, index))
                self._separator()
                index += 1
        if not self._skip(_STRING):
            self._skip(_SCALAR)

    def _closed(self, bracket: str) -> bool:
        if self._at < len(self._text) and not self._peek(bracket):
            return False
        self._at += 1
        return True

    def _separator(self) -> None:
        self._skip(_BLANK)
        if self._peek(","):
            self._at += 1
