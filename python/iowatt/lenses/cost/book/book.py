"""The assumptions in force, and a record of which of them a result rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from iowatt.base.errors import InputError
from iowatt.base.problems import nearest
from iowatt.lenses.cost.book.figure import Figure


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
                hint=f"`set={keys[0]}=...` states it" + (f"; near: {near}" if near else ""),
            )
        return found

    def number(self, *keys: str) -> float:
        """The value of the first of ``keys`` that there is, in the key's unit."""
        found = self.figure(*keys)
        if isinstance(found.value, str):
            raise InputError(
                "wrong-type", f"{self.name}: {found.key}", f"{found.value!r} is a word; expected a number"
            )
        return found.value

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
