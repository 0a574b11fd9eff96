"""The grammar of DiskSim's parameter files (libparam): from text to a tree of blocks.

Statements are ``type NAME { key = value, ... }``, ``source file``, ``instantiate [a .. b] as NAME`` and
``topology type name [ children ]``. A value is a number, a word or ``"text"``, a list ``[a, b]``, a block, or
``source file`` (the one block of that file). Keys are words up to ``=``, blanks and all.

Any text gives a tree or an `InputError` with file and line: nesting, the number of sourced files and their
size are bounded, and a file that sources itself is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn

from iowatt.base.errors import InputError
from iowatt.base.packed_file import MAX_BYTES, locate, read_text
from iowatt.model.library.disksim.tree import Assignment, Block, Instance, Node, ParameterFile, Range, Value

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

    Raises ``InputError`` where a quotation mark is not closed on its line.
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

    Raises ``InputError`` for numbers that no parameter can have: very long, or beyond a double.
    """
    text = token.text
    if token.kind == "quoted" or not (text[0] in "+-." or text[0] in "0123456789"):
        return text
    integer, hexadecimal = _INTEGER.match(text), _HEXADECIMAL.match(text)
    if not (integer or hexadecimal or _FLOAT.match(text)):
        return text
    if len(text) <= _DIGITS:
        if integer or hexadecimal:
            return int(text, 16 if hexadecimal else 10)
        value = float(text)
        if abs(value) <= 1e300:
            return value
    raise InputError("out-of-range", f"{path}:{token.line}", f"the number {text[:_DIGITS]} is too large")


MAX_DEPTH = 32
"""Deepest nesting of blocks, lists and sourced files together."""
MAX_SOURCES = 256
"""Most ``source`` statements, counting each time one is met."""
MAX_NAMES = 65536
"""Most names that one list of components may stand for."""

_CLOSE_RANGE = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)\.\.([A-Za-z_][A-Za-z_0-9]*)\Z")
_WORDS = frozenset({"word", "quoted"})
_NUMBERED = re.compile(r"(.*?)([0-9]{1,9})\Z", re.DOTALL)


def parse_file(path: Path) -> ParameterFile:
    """The statements of a file and of those it sources.

    Raises ``InputError`` where one of them cannot be read or is not written in this grammar.
    """
    document = ParameterFile(path)
    _FileParser(path, document, _Budget(), ()).file(str(path))
    return document


def parse_text(text: str, path: Path) -> ParameterFile:
    """The statements of ``text``; what it sources is looked for beside ``path``. Errors as `parse_file`."""
    document = ParameterFile(path)
    parser = _FileParser(path, document, _Budget(), ())
    parser.text(text)
    return document


def names(value: Value, where: str) -> tuple[str, ...]:
    """The component names of a list, ranges written out: ``[ disk0 .. disk2 ]`` is disk0, disk1, disk2.

    Raises ``InputError`` where it is no list of names, or a range has no numbers or runs backwards.
    """
    names: list[str] = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            names.append(item)
        elif isinstance(item, Range):
            names.extend(_expanded(item, where, MAX_NAMES - len(names)))
        else:
            raise InputError(
                "bad-syntax", where, "expected names of components: [ disk0, disk1 ] or [ disk0 .. disk7 ]"
            )
    return tuple(names)


def _expanded(item: Range, where: str, room: int) -> Iterable[str]:
    first, last = _NUMBERED.match(item.first), _NUMBERED.match(item.last)
    if not (first and last and first[1] == last[1]):
        raise InputError(
            "bad-syntax",
            where,
            f"{item.first} .. {item.last} is not a range: both ends must be the same name with a number",
        )
    count = int(last[2]) - int(first[2]) + 1
    if not 1 <= count <= room:
        raise InputError("too-large", where, f"{item.first} .. {item.last} stands for {count} names")
    return (f"{first[1]}{number}" for number in range(int(first[2]), int(last[2]) + 1))


class _Budget:
    """What one document may still take: bytes and sourced files."""

    def __init__(self) -> None:
        self.bytes = MAX_BYTES
        self.sources = MAX_SOURCES


class _FileParser:
    """Reads one file, with another parser for each file that it sources; ``open_files`` are being read."""

    def __init__(
        self,
        path: Path,
        document: ParameterFile,
        budget: _Budget,
        open_files: tuple[Path, ...],
        depth: int = 0,
    ) -> None:
        self.path = path
        self.document = document
        self.budget = budget
        self.open_files = open_files
        self.depth = depth
        self.rest: Iterator[Token] = iter(())
        self.ahead = Token("end", "the end of the file", 1)

    def file(self, where: str) -> None:
        real = self.path.resolve()
        if real in self.open_files:
            raise InputError(
                "conflict", where, f"{self.path} sources itself", hint="remove one of the sources"
            )
        self.open_files = (*self.open_files, real)
        content = read_text(self.path, self.budget.bytes, where)
        self.budget.bytes -= len(content)
        self.text(content)

    def text(self, content: str) -> None:
        self.rest = tokens(content, self.path)
        self.ahead = next(self.rest)
        while self.ahead.kind != "end":
            self.statement()

    # Tokens ------------------------------------------------------------------------------------------

    def take(self) -> Token:
        token = self.ahead
        self.ahead = next(self.rest, token)  # the end stays the end
        return token

    def at_mark(self, text: str) -> bool:
        return self.ahead.kind == "mark" and self.ahead.text == text

    def mark(self, text: str) -> bool:
        """Whether the next token is this punctuation; taken if so."""
        if not self.at_mark(text):
            return False
        self.take()
        return True

    def expect(self, text: str, after: str) -> None:
        if not self.mark(text):
            self.fail(f"expected {text!r} {after}")

    def word(self, what: str) -> Token:
        if self.ahead.kind not in _WORDS:
            self.fail(f"expected {what}")
        return self.take()

    def words(self) -> list[Token]:
        words = []
        while self.ahead.kind in _WORDS:
            words.append(self.take())
        return words

    def fail(self, message: str, line: int | None = None) -> NoReturn:
        token = self.ahead
        shown = token.text if token.kind == "end" else repr(token.text[:40])
        raise InputError("bad-syntax", f"{self.path}:{line or token.line}", f"{message}, found {shown}")

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise InputError(
                "too-large",
                f"{self.path}:{self.ahead.line}",
                f"blocks, lists and sourced files are nested more than {MAX_DEPTH} deep",
            )

    # Statements --------------------------------------------------------------------------------------

    def statement(self) -> None:
        first = self.word("a statement: 'type NAME {', 'source', 'instantiate' or 'topology'")
        if first.text == "source":
            self.source(self.word("a file name after 'source'"), self.document)
        elif first.text == "instantiate":
            self.instantiate(first)
        elif first.text == "topology":
            self.document.topology.append(self.node(self.word("the type of a component after 'topology'")))
        else:
            name = self.take().text if self.ahead.kind in _WORDS else ""
            self.expect("{", f"after {first.text!r}, as in 'disksim_bus BUS0 {{ ... }}'")
            block = self.block(first, name)
            # Unnamed blocks are sourced as values; two of one name would be ambiguous.
            same = [other for other in self.document.blocks if name and other.name == name]
            if same:
                raise InputError(
                    "duplicate",
                    block.where(),
                    f"{name!r} is already defined at {same[0].where()}",
                    hint="rename or remove one of them",
                )
            self.document.blocks.append(block)

    def source(self, name: Token, document: ParameterFile) -> None:
        where = f"{self.path}:{name.line}"
        self.budget.sources -= 1
        if self.budget.sources < 0:
            raise InputError("too-large", where, f"more than {MAX_SOURCES} files are sourced")
        self.deeper()
        path = locate(name.text, self.path.parent, where)
        _FileParser(path, document, self.budget, self.open_files, self.depth).file(where)
        self.depth -= 1

    def instantiate(self, first: Token) -> None:
        where = f"{self.path}:{first.line}"
        self.expect("[", "after 'instantiate', as in 'instantiate [ disk0 .. disk7 ] as DISK'")
        listed = names(self.items(), where)
        joint = self.word("'as' after the names to instantiate")
        if joint.text != "as":
            raise InputError("bad-syntax", where, f"expected 'as' after the names, found {joint.text[:40]!r}")
        of = self.word("the name of a specification after 'as'").text
        self.document.instances.extend(Instance(name, of, where) for name in listed)
        if len(self.document.instances) > MAX_NAMES:
            raise InputError("too-large", where, f"more than {MAX_NAMES} components are instantiated")

    def node(self, kind: Token) -> Node:
        name = self.word(f"the name of the {kind.text}")
        self.expect("[", f"after {name.text!r}: what hangs below it, '[]' for nothing")
        self.deeper()
        children = []
        while not self.mark("]"):
            children.append(self.node(self.word("a component such as 'disksim_disk disk0 []', or ']'")))
            if not self.mark(",") and not self.at_mark("]"):
                self.fail("expected ',' or ']' after a component")
        self.depth -= 1
        return Node(kind.text, name.text, tuple(children), f"{self.path}:{kind.line}")

    # Values ------------------------------------------------------------------------------------------

    def block(self, kind: Token, name: str) -> Block:
        self.deeper()
        entries: dict[str, Assignment] = {}
        while not self.mark("}"):
            line = self.ahead.line
            key = " ".join(token.text for token in self.words())
            if not key:
                self.fail(f"expected 'key = value' or '}}' to end the {kind.text} of line {kind.line}")
            self.expect("=", f"after {key[:60]!r}")
            if key in entries:
                raise InputError(
                    "duplicate",
                    f"{self.path}:{line}",
                    f"{key!r} was already given at line {entries[key].line}",
                )
            line = self.ahead.line
            entries[key] = Assignment(self.value(), line)
            if not self.mark(",") and not self.at_mark("}"):
                self.fail(f"expected ',' or '}}' after the value of {key[:60]!r}")
        self.depth -= 1
        return Block(kind.text, name, entries, self.path, kind.line)

    def items(self) -> list[Value]:
        """The values of a list whose ``[`` has been read."""
        self.deeper()
        values: list[Value] = []
        while not self.mark("]"):
            values.append(self.value())
            if not self.mark(",") and not self.at_mark("]"):
                self.fail("expected ',' or ']' in a list")
        self.depth -= 1
        return values

    def value(self) -> Value:
        if self.mark("["):
            return self.items()
        words = self.words()
        if not words:
            self.fail("expected a value: a number, a word, a list [...] or a block type { ... }")
        if words[0].text == "source" and len(words) == 2:
            return self.sourced_block(words[1])
        if len(words) <= 2 and self.mark("{"):
            return self.block(words[0], words[1].text if len(words) == 2 else "")
        if len(words) == 3 and words[1].text == "..":
            return Range(words[0].text, words[2].text)
        if len(words) > 1:
            self.fail(
                f"expected ',' between {words[0].text[:40]!r} and {words[1].text[:40]!r}", words[1].line
            )
        close = _CLOSE_RANGE.match(words[0].text) if words[0].kind == "word" else None
        return Range(close[1], close[2]) if close else scalar(words[0], self.path)

    def sourced_block(self, name: Token) -> Block:
        inner = ParameterFile(self.path)
        self.source(name, inner)
        if len(inner.blocks) != 1 or inner.instances or inner.topology:
            raise InputError(
                "ambiguous" if inner.blocks else "empty",
                f"{self.path}:{name.line}",
                f"{name.text!r} must hold one block to be a value; it holds {len(inner.blocks)}",
            )
        return inner.blocks[0]
