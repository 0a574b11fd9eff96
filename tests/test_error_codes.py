"""Codes of errors are those of the catalogue, and only the command line writes its own flags."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from iowatt.base.errors import CODES

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "iowatt"
BINDING = ROOT / "crates"
CATALOGUE = PACKAGE / "base" / "errors.py"

OF_OTHERS = {"--inflate-log", "--head", "--address", "--num-cpus", "--port", "--output-format"}
"""Flags of other programs that a message may name: of fio and Ray."""

COMMAND = re.compile(r"`iowatt [^`]*`")
"""A command that a hint names, with its flags."""

FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def _rooms() -> list[str]:
    found = {path.relative_to(PACKAGE).parts[0] for path in PACKAGE.rglob("*.py")}
    return sorted(found - {"__init__.py", "__pycache__"})


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def _files(room: str = "") -> tuple[Path, ...]:
    top = PACKAGE / room
    return (top,) if top.is_file() else tuple(sorted(top.rglob("*.py")))


@cache
def _error_classes() -> frozenset[str]:
    """``Problem``, ``IowattError`` and every class below it that is made with a code first."""
    bases: dict[str, set[str]] = {}
    own: set[str] = set()
    for path in _files():
        for node in _nodes(path):
            if isinstance(node, ast.ClassDef):
                bases[node.name] = {_name(base) for base in node.bases}
                if any(isinstance(part, ast.FunctionDef) and part.name == "__init__" for part in node.body):
                    own.add(node.name)
    found = {"IowattError"}
    while more := {name for name, above in bases.items() if above & found and name not in own} - found:
        found |= more
    return frozenset({*found, "Problem"})


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


@cache
def _nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(_tree(path)))


@cache
def _makers(path: Path) -> frozenset[str]:
    """Functions and methods of a file that make an error of the code that they take first."""
    found = set()
    for node in _nodes(path):
        if isinstance(node, ast.FunctionDef):
            names = [arg.arg for arg in node.args.args if arg.arg not in ("self", "cls")]
            made = any(_takes_code(part) for part in ast.walk(node)) if names[:1] == ["code"] else False
            found |= {node.name} if made else set()
    return frozenset(found)


def _takes_code(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and _name(node.func) in _error_classes()
        and bool(node.args)
        and _name(node.args[0]) == "code"
    )


@cache
def _methods() -> frozenset[str]:
    return frozenset().union(*(_makers(path) for path in _files()))


@cache
def _made(path: Path) -> tuple[ast.Call, ...]:
    """Calls that make an error, or a problem, with its code first."""
    return tuple(
        node
        for node in _nodes(path)
        if isinstance(node, ast.Call)
        and (
            _name(node.func) in _error_classes() | _makers(path)
            or (isinstance(node.func, ast.Attribute) and node.func.attr in _methods() and _says_code(node))
        )
    )


def _says_code(call: ast.Call) -> bool:
    first = call.args[0] if call.args else None
    return isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value in CODES


def _texts(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _unknown_codes(room: str) -> list[str]:
    found = []
    for path in _files(room):
        for call in _made(path):
            first = call.args[0] if call.args else None
            codes = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
            for code in codes:
                if isinstance(code, ast.Constant) and code.value not in CODES:
                    found.append(f"{path.relative_to(PACKAGE)}:{call.lineno}: {code.value!r}")
    return found


def _flags(room: str) -> list[str]:
    """Flags in what an error is made of: its arguments, and the texts of the names among them."""
    found = []
    for path in _files(room):
        named: dict[str, list[ast.Assign]] = {}
        for node in _nodes(path):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    named.setdefault(_name(target), []).append(node)
        for call in _made(path):
            values = [*call.args, *(keyword.value for keyword in call.keywords)]
            texts = [(call.lineno, text) for value in values for text in _texts(value)]
            for value in values:
                for assigned in named.get(_name(value), ()):
                    texts += [(assigned.lineno, text) for text in _texts(assigned.value)]
            for line, text in texts:
                flags = set(FLAG.findall(COMMAND.sub("", text))) - OF_OTHERS
                found += [f"{path.relative_to(PACKAGE)}:{line}: {flag}" for flag in sorted(flags)]
    return sorted(set(found))


@pytest.mark.parametrize("room", _rooms())
def test_every_code_is_in_the_catalogue(room: str) -> None:
    assert _unknown_codes(room) == []


@pytest.mark.parametrize("room", [room for room in _rooms() if room != "cli"])
def test_only_the_command_line_names_its_flags(room: str) -> None:
    assert _flags(room) == []


def test_every_code_of_the_catalogue_is_used() -> None:
    """As the first argument of an error, or as a text beside one: ``code = "a" if x else "b"``."""
    used = {
        text
        for path in _files()
        if path != CATALOGUE and (_made(path) or path.name == "problems.py")
        for text in _texts(_tree(path))
    }
    used |= {
        text for node in ast.walk(_tree(CATALOGUE)) if isinstance(node, ast.Call) for text in _texts(node)
    }
    used |= {
        text for path in BINDING.rglob("*.rs") for text in re.findall(r'"([a-z-]+)"', path.read_text("utf-8"))
    }
    unused = sorted(set(CODES) - used)
    assert unused == []


def test_what_is_made_here_is_seen() -> None:
    """The searches above find what they look for."""
    assert {"InputError", "IowattError", "DocumentError", "Problem"} - _error_classes() == {"DocumentError"}
    assert "_report" in _makers(PACKAGE / "model" / "scenario" / "path_resolve.py")
    assert sum(1 for path in _files("model") for _ in _made(path)) > 100
    call = ast.parse('InputError("x", None, f"{a}: add --force", hint="-o")').body[0]
    assert FLAG.findall(" ".join(_texts(call))) == ["--force"]
