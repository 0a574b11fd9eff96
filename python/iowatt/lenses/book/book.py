"""Figures of assumptions, and a book of them that records which a result uses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NoReturn

from iowatt.base import strict
from iowatt.base.errors import InputError
from iowatt.base.problems import nearest

#: Factor beyond the capacities it was taken from up to which a price per GB holds: drives have parts that
#: cost the same at any capacity, and the largest drives are priced differently.
NEAR: Final = 2.0

Quality = Literal["measured", "stated", "derived", "recalled", "assumed", "defined", "given"]


class BookFigure(strict.Strict):
    """A number or a word with its range and source."""

    key: str = strict.key("Its key, such as `cooling.pue`.", min_length=1, example="cooling.pue")
    value: float | str = strict.key("The figure in the key's unit, or one of its words.", example=1.54)
    low: float | None = strict.key("The lowest likely value.", default=None, unset="value", example=1.2)
    high: float | None = strict.key("The highest likely value.", default=None, unset="value", example=1.8)
    source: str = strict.key("The publication, file or reason.", min_length=1)
    date: str | None = strict.key(
        "Day, month or year of the figure.", default=None, unset="not known", pattern=r"^\d{4}(-\d{2}){0,2}$"
    )
    quality: Quality = strict.key(
        "measured, stated (published), derived (computed from such figures), recalled, assumed, defined "
        "(a choice of method), given (by the user)."
    )
    note: str = strict.key("A note for its readers.", default="")
    from_gb: float | None = strict.key(
        "Of a price per GB: capacity of the smallest drive that it was taken from. It does not price drives "
        "of less than half that capacity.",
        default=None,
        unset="any",
        gt=0,
    )
    to_gb: float | None = strict.key(
        "Capacity of the largest drive. It does not price drives of more than twice that capacity.",
        default=None,
        unset="any",
        gt=0,
    )

    def covers(self, capacity_gb: float) -> bool:
        """Whether a price per GB holds for a drive of this capacity."""
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
    title: str = strict.key("Its title.", min_length=1, max_length=200)
    extends: str | None = strict.key(
        "The book or file with the figures that this one lacks.", default=None, unset="none"
    )
    notes: list[str] = strict.key("Shown with every result.", default=[])
    figure: list[BookFigure] = strict.key("The figures.", default=[])


@dataclass(frozen=True)
class Book:
    """Figures by key. One book serves one pricing, whose figures it records in ``used``."""

    name: str
    title: str
    #: Names of the books that it extends, itself first.
    lineage: tuple[str, ...]
    notes: tuple[str, ...]
    figures: Mapping[str, BookFigure]
    used: dict[str, BookFigure] = field(default_factory=dict, repr=False, compare=False)

    def find(self, *keys: str) -> BookFigure | None:
        """The figure of the first known of ``keys``, recorded as used; None without any."""
        for key in keys:
            figure = self.figures.get(key)
            if figure is not None:
                self.used[key] = figure
                return figure
        return None

    def use(self, keys: Iterable[str]) -> None:
        """Record that ``keys`` are used, by an answer that was found before."""
        self.used.update((key, self.figures[key]) for key in keys)

    def figure(self, *keys: str) -> BookFigure:
        """As ``find``; raises ``InputError`` without any."""
        return self.find(*keys) or self._refuse(keys)

    def number(self, *keys: str) -> float:
        """The number of the first known of ``keys``, in the key's unit."""
        return self._number(self.find(*keys) or self._refuse(keys))

    def peek(self, key: str) -> float:
        """A number without recording its use; 0 where there is none."""
        return self._number(self.figures[key]) if key in self.figures else 0.0

    def _number(self, figure: BookFigure) -> float:
        if isinstance(figure.value, str):
            raise InputError(
                "wrong-type", f"{self.name}: {figure.key}", f"{figure.value!r} is a word; expected a number"
            )
        return figure.value

    def word(self, key: str) -> str:
        """The word of a key."""
        value = (self.find(key) or self._refuse((key,))).value
        if not isinstance(value, str):
            raise InputError("wrong-type", f"{self.name}: {key}", f"{value:g} is a number; expected a word")
        return value

    def _refuse(self, keys: Sequence[str]) -> NoReturn:
        near = nearest(keys[0], self.figures)
        raise InputError(
            "missing-figure",
            f"{self.name}: {keys[0]}",
            f"the book has no figure for {' or '.join(keys)}",
            hint=f"`assume={keys[0]}=...` sets it" + (f"; did you mean {near}?" if near else ""),
        )

    def changed(self, values: Mapping[str, float | str]) -> Book:
        """The book with other values and nothing used yet."""
        figures = dict(self.figures)
        for key, value in values.items():
            figures[key] = figures[key].model_copy(update={"value": value})
        return replace(self, figures=figures, used={})
