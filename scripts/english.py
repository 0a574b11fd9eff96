"""Find tests that depend on English: those that assert a sentence of a message, a page or a report."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

#: Two words of letters apart by white space: names, keys and enumerated values have none.
SENTENCE: Final = re.compile(
    r"(?<![\w.-])[A-Za-z]{2,}(?![\w.-]*[\w-])[^\w\s]*\s(?:.*\s)?\W*[a-z]{2,}(?![\w-])", re.DOTALL
)
#: Codes of errors with their places, as tests compare them: ``missing @ observe.duration & conflict @ seed``.
FAULTS: Final = re.compile(r"[a-z-]+ @ \S+(?: & [a-z-]+ @ \S+)*")
#: In a pattern, a word and a space or a gap are enough.
PATTERN: Final = re.compile(r"[A-Za-z]{3,}.*(?:[ ]|\\s|\.\*).*[A-Za-z]|[A-Za-z]{3,}[ ]")
#: Calls within an assertion that search a text for their argument.
SEARCHES: Final = frozenset(
    (
        "startswith",
        "endswith",
        "count",
        "index",
        "find",
        "search",
        "match",
        "fullmatch",
        "findall",
        "any",
        "all",
    )
)


def literals(node: ast.AST | None, known: Mapping[str, list[ast.AST]], *, deep: bool = True) -> Iterator[str]:
    """Yield the strings that an expression compares with, but ``FAULTS``; names are looked up in ``known``.

    Strings handed to a function are its input and left out, unless the function searches (``SEARCHES``).
    """
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and not FAULTS.fullmatch(node.value):
            yield node.value
    elif isinstance(node, ast.Name):
        for one in known.get(node.id, []) if deep else []:
            yield from literals(one, known, deep=False)
    elif isinstance(node, ast.Call):
        yield from literals(node.func, known, deep=deep)
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called in SEARCHES:
            for one in node.args:
                yield from literals(one, known, deep=deep)
    elif node is not None:
        for one in ast.iter_child_nodes(node):
            yield from literals(one, known, deep=deep)


def claims(function: ast.AST) -> Iterator[tuple[ast.AST, re.Pattern[str]]]:
    """Yield what a function asserts: tests of assertions, and patterns of ``pytest.raises`` and ``warns``."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            yield node.test, SENTENCE
        elif isinstance(node, ast.keyword) and node.arg == "match":
            yield node.value, PATTERN


def columns(names: ast.AST, rows: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield each name with each of its values: of a loop over rows, or of ``parametrize``."""
    if isinstance(names, ast.Constant):
        named = [one.strip() for one in str(names.value).split(",")]
    else:
        named = [
            str(getattr(one, "id", getattr(one, "value", ""))) for one in getattr(names, "elts", [names])
        ]
    for row in getattr(rows, "elts", []):
        cells = [row] if len(named) == 1 else getattr(row, "elts", getattr(row, "args", []))
        yield from zip(named, cells, strict=False)


def values(nodes: Iterable[ast.AST]) -> dict[str, list[ast.AST]]:
    """Return what names are set to by assignments, by loops over literals and by ``parametrize``."""
    found: dict[str, list[ast.AST]] = defaultdict(list)
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(
            node.value, ast.Constant | ast.List | ast.Tuple | ast.JoinedStr
        ):
            for target in node.targets:
                found[getattr(target, "id", "")].append(node.value)
        pairs: Iterable[tuple[str, ast.AST]] = ()
        if isinstance(node, ast.For | ast.comprehension):
            pairs = columns(node.target, node.iter)
        elif (
            isinstance(node, ast.Call)
            and getattr(node.func, "attr", "") == "parametrize"
            and len(node.args) > 1
        ):
            pairs = columns(node.args[0], node.args[1])
        for name, value in pairs:
            found[name].append(value)
    return found


def checkers(trees: Iterable[ast.AST]) -> set[str]:
    """Return the names of helpers that assert with one of their parameters."""
    found = set()
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("test_"):
                given = {one.arg for one in (*node.args.args, *node.args.kwonlyargs)}
                used = {n.id for claim, _ in claims(node) for n in ast.walk(claim) if isinstance(n, ast.Name)}
                if given & used:
                    found.add(node.name)
    return found


def on_english(function: ast.FunctionDef, above: Mapping[str, list[ast.AST]], helpers: set[str]) -> bool:
    """Tell whether a test depends on English: an assertion of it compares with, or searches for, a sentence.

    A sentence holds two words (``SENTENCE``), in a literal of the assertion, of a name or a loop
    of the function or module, or of ``parametrize``; in ``match=`` of ``pytest.raises`` a word and a gap are
    enough (``PATTERN``); a sentence handed to a helper that asserts with its parameters counts as well.
    """
    known = {**above, **values(ast.walk(function))}
    if any(pattern.search(one) for claim, pattern in claims(function) for one in literals(claim, known)):
        return True
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in helpers:
            given = [*node.args, *(one.value for one in node.keywords)]
            if any(SENTENCE.search(text) for one in given for text in literals(one, known)):
                return True
    return False
