"""Figures as books state them, and the book in force with a record of the figures that a result uses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from iowatt.base import strict
from iowatt.base.errors import InputError
from iowatt.base.problems import nearest

#: So many times beyond the capacities that it was taken from a price per GB still holds, either way: drives
#: have parts that cost the same at any capacity, and the largest ones a price of their own.
NEAR: Final = 2.0

Quality = Literal["measured", "stated", "derived", "recalled", "assumed", "defined", "given"]


class Figure(strict.Strict):
    """A number, or a word, with its range and where it comes from."""

    key: str = strict.key("What it is, such as `cooling.pue`.", min_length=1, example="cooling.pue")
    value: float | str = strict.key("The figure in the key's unit, or one of its words.", example=1.54)
    low: float | None = strict.key("The least that is likely.", default=None, unset="value", example=1.2)
    high: float | None = strict.key("The most that is likely.", default=None, unset="value", example=1.8)
    source: str = strict.key("The publication, file or reason.", min_length=1)
    date: str | None = strict.key(
        "Day, month or year that it is of.", default=None, unset="not known", pattern=r"^\d{4}(-\d{2}){0,2}$"
    )
    quality: Quality = strict.key(
        "measured, stated (published), derived (computed from such figures), recalled, assumed, defined "
        "(a choice of method), given (by the user)."
    )
    note: str = strict.key("What whoever reads it should know.", default="")
    from_gb: float | None = strict.key(
        "Of a price per GB: capacity of the smallest drive that it was taken from. A drive of less than half "
        "of that is not priced by it.",
        default=None,
        unset="any",
        gt=0,
    )
    to_gb: float | None = strict.key(
        "Capacity of the largest one. A drive of more than twice that is not priced by it.",
        default=None,
        unset="any",
        gt=0,
    )

    def covers(self, capacity_gb: float) -> bool:
        """Whether a price per GB holds for a drive of this capacity: within a factor of 2 of its listings."""
        low = 0.0 if self.from_gb is None else self.from_gb / NEAR
        high = math.inf if self.to_gb is None else self.to_gb * NEAR
        return low <= capacity_gb <= high


class BookFile(strict.Strict):
    """A file of assumptions."""

    schema_: Literal["iowatt.cost-book/1"] = strict.key(
        "The version of this format.",
        accepts='"iowatt.cost-book/1"',
        example="iowatt.cost-book/1",
        alias="schema",
    )
    name: str = strict.key("Its name.", pattern=r"^[a-z0-9][a-z0-9.-]*$", max_length=64, example="default")
    title: str = strict.key("What it is, in a line.", min_length=1, max_length=200)
    extends: str | None = strict.key(
        "The book, or file, whose figures hold where this one has none.", default=None, unset="none"
    )
    notes: list[str] = strict.key("Shown with every result.", default=[])
    figure: list[Figure] = strict.key("The figures.", default=[])


@dataclass(frozen=True)
class Book:
    """Figures by key. One book serves one pricing: what is asked of it is kept in ``used``."""

    name: str
    title: str
    #: Names of the books it is made of, itself first.
    lineage: tuple[str, ...]
    notes: tuple[str, ...]
    figures: Mapping[str, Figure]
    used: dict[str, Figure] = field(default_factory=dict, repr=False, compare=False)

    def find(self, *keys: str) -> Figure | None:
        """The first of ``keys`` that there is a figure of, recorded as used; None without any."""
        for key in keys:
            if key in self.figures:
                self.used[key] = self.figures[key]
                return self.figures[key]
        return None

    def figure(self, *keys: str) -> Figure:
        """The same. Raises ``InputError`` where there is none."""
        found = self.find(*keys)
        if found is None:
            near = nearest(keys[0], self.figures)
            raise InputError(
                "missing-figure",
                f"{self.name}: {keys[0]}",
                f"the book has no figure for {' or '.join(keys)}",
                hint=f"`assume={keys[0]}=...` states it" + (f"; near: {near}" if near else ""),
            )
        return found

    def number(self, *keys: str) -> float:
        """The value of the first of ``keys`` that there is, in the key's unit."""
        return self._number(self.figure(*keys))

    def peek(self, key: str) -> float:
        """A number without a record that it was used; 0 where there is none."""
        return self._number(self.figures[key]) if key in self.figures else 0.0

    def _number(self, figure: Figure) -> float:
        if isinstance(figure.value, str):
            raise InputError(
                "wrong-type", f"{self.name}: {figure.key}", f"{figure.value!r} is a word; expected a number"
            )
        return figure.value

    def word(self, key: str) -> str:
        """The value of a key that is one of several words."""
        found = self.figure(key)
        if not isinstance(found.value, str):
            raise InputError(
                "wrong-type", f"{self.name}: {found.key}", f"{found.value:g} is a number; expected a word"
            )
        return found.value

    def changed(self, values: Mapping[str, float | str]) -> Book:
        """The same book with other values, and nothing used yet: for sampling, a tornado, a crossover."""
        figures = dict(self.figures)
        for key, value in values.items():
            figures[key] = figures[key].model_copy(update={"value": value})
        return replace(self, figures=figures, used={})
