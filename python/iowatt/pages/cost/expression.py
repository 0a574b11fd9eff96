"""Dollars of a component as an expression of the book's figures.

``0.5*{price}*MAX(0,{years}-{failures.warranty})``: numbers, names in braces, ``+ - * / ^``, comparisons,
``MAX`` and ``IF``, with the precedence of spreadsheets. The workbook writes it with cells for names; only an
expression whose value here equals the component's dollars becomes a formula.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from iowatt.lenses.cost.result import CostComponent, DriveCost, SystemCost

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?)|(?P<name>\{[^{}]+\})|(?P<word>[A-Z]+)(?=\()"
    r"|(?P<sign><>|<=|>=|[-+*/^()<>=,]))"
)
_OPERATORS: Final[Mapping[str, Callable[[float, float], float]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": math.pow,
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
#: Names of what a drive has: its whole price, the horizon in lives, how many serve one after another.
_OF_DRIVE: Final[Mapping[str, Callable[[DriveCost], float | None]]] = {
    "price": lambda drive: drive.price_usd,
    "lives": lambda drive: drive.lives,
    "served": lambda drive: drive.served,
}
_OF_SYSTEM: Final[Mapping[str, Callable[[SystemCost], float | None]]] = {
    "repeats": lambda system: system.repeats,
    "years": lambda system: system.years,
    "kg.operational": lambda system: system.carbon.operational_kg,
    "kg.embodied": lambda system: system.carbon.embodied_kg,
}
#: Operators from the loosest to the tightest.
_RANKS: Final = (("=", "<>", "<", "<=", ">", ">="), ("+", "-"), ("*", "/"), ("^",))
#: The value of an expression, once it is called.
Value = Callable[[], float]


def names(text: str) -> tuple[str, ...]:
    """The names that an expression asks for, each once, in order."""
    return tuple(dict.fromkeys(found[1:-1] for kind, found in _tokens(text) if kind == "name"))


def written(text: str, cells: Callable[[str], str]) -> str:
    """The expression with the cell of each name in its place."""
    return "".join(cells(found[1:-1]) if kind == "name" else found for kind, found in _tokens(text))


def evaluate(text: str, value_of_name: Callable[[str], float]) -> float:
    """The value of an expression; ``value_of_name`` gives the value of each name.

    Raises
    ------
    ValueError
        It is not an expression, or has no value (a division by zero, a root of a negative number).
    """
    try:
        return _ExpressionParser(_tokens(text), value_of_name).parse()()
    except ArithmeticError as error:
        raise ValueError(f"{text!r} has no value: {error}") from None


def values(system: SystemCost, figures: Mapping[str, float]) -> dict[str, float]:
    """Dollars of the components of a system of ``iowatt.cost/1`` by their expressions, by component key.

    ``figures`` are the numbers of the assumptions by key. Components without an expression, or with one that
    asks for what there is not, are left out.
    """
    found: dict[str, float] = {}
    by_key = {component.key: component for component in system.components}
    for key in by_key:
        try:
            found[key] = _component(system, by_key, key, figures, ())
        except (ValueError, KeyError):
            continue
    return found


def _component(
    system: SystemCost,
    by_key: Mapping[str, CostComponent],
    key: str,
    figures: Mapping[str, float],
    within: tuple[str, ...],
) -> float:
    component = by_key[key]
    text = component.expression
    if text is None or key in within:
        raise KeyError(key)

    def of(name: str) -> float:
        if name.startswith("usd:"):
            other = by_key[name.removeprefix("usd:")]
            if other.expression is not None:
                return _component(system, by_key, other.key, figures, (*within, key))
            if other.usd is None:
                raise KeyError(name)
            return other.usd
        return value_of(name, system, component.device, figures)

    return evaluate(text, of)


def value_of(name: str, system: SystemCost, device: str | None, figures: Mapping[str, float]) -> float:
    """The value of a name that is not of one component: a figure, the horizon, of a drive, carbon.

    ``price``, ``lives`` and ``served`` are of ``device``, ``served:NAME`` of another drive. Raises
    ``KeyError`` where there is none.
    """
    field, _, other = name.partition(":")
    if field in _OF_DRIVE:
        drive = next((one for one in system.drives if one.name == (other or device)), None)
        found = None if drive is None else _OF_DRIVE[field](drive)
    elif name in _OF_SYSTEM:
        found = _OF_SYSTEM[name](system)
    else:
        found = figures[name]
    if found is None:
        raise KeyError(name)
    return found


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(text.rstrip()):
        token = _TOKEN.match(text, at)
        if token is None or token.lastgroup is None:
            raise ValueError(f"{text!r} is not an expression at {text[at : at + 12]!r}")
        found.append((token.lastgroup, token.group(token.lastgroup)))
        at = token.end()
    return found


class _ExpressionParser:
    """One expression, read from left to right into a function without arguments.

    Only the arm of an ``IF`` that counts is computed, as spreadsheets do it.
    """

    def __init__(self, tokens: Sequence[tuple[str, str]], value_of: Callable[[str], float]) -> None:
        self._tokens = list(reversed(tokens))
        self._value_of = value_of

    def parse(self) -> Value:
        value = self._chain(0)
        if self._tokens:
            raise ValueError(f"{self._tokens[-1][1]!r} is one too many in an expression")
        return value

    def _take(self, *signs: str) -> str | None:
        """The next token where it is one of ``signs``, taken."""
        if self._tokens and self._tokens[-1] in [("sign", sign) for sign in signs]:
            return self._tokens.pop()[1]
        return None

    def _expect(self, sign: str) -> None:
        if self._take(sign) is None:
            raise ValueError(f"an expression lacks {sign!r}")

    def _chain(self, rank: int) -> Value:
        """Parts between operators of one rank, from left to right."""
        if rank == len(_RANKS):
            return self._signed()
        value = self._chain(rank + 1)
        while (sign := self._take(*_RANKS[rank])) is not None:
            value = _both(_OPERATORS[sign], value, self._chain(rank + 1))
        return value

    def _signed(self) -> Value:
        # A sign binds more tightly than a power, as in spreadsheets: -2^2 is 4.
        sign = self._take("-", "+")
        if sign is None:
            return self._operand()
        value = self._signed()
        return (lambda: -value()) if sign == "-" else value

    def _operand(self) -> Value:
        if self._take("(") is not None:
            value = self._chain(0)
            self._expect(")")
            return value
        if not self._tokens:
            raise ValueError("an expression ends too early")
        kind, text = self._tokens.pop()
        if kind == "number":
            constant = float(text)
            return lambda: constant
        if kind == "name":
            return lambda: self._value_of(text[1:-1])
        if kind == "word":
            return self._call(text)
        raise ValueError(f"{text!r} is out of place in an expression")

    def _call(self, name: str) -> Value:
        self._expect("(")
        arguments = [self._chain(0)]
        while self._take(",") is not None:
            arguments.append(self._chain(0))
        self._expect(")")
        if name == "IF" and len(arguments) == 3:
            test, then, otherwise = arguments
            return lambda: then() if test() != 0.0 else otherwise()
        if name == "MAX":
            return lambda: max(argument() for argument in arguments)
        raise ValueError(f"{name} of {len(arguments)} is not a function of an expression")


def _both(function: Callable[[float, float], float], left: Value, right: Value) -> Value:
    return lambda: float(function(left(), right()))
