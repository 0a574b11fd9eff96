"""A question as it is read, and the assumptions that its dollars rest on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.base.document import TomlDocument, read_text
from iowatt.base.errors import InputError
from iowatt.base.problems import suggestion
from iowatt.evaluate.choose.families import family_names
from iowatt.evaluate.choose.question import StorageQuestion
from iowatt.evaluate.search import PricingRequest
from iowatt.lenses.book import find_book
from iowatt.model.library import device_names

#: The price book: the default one with prices of controllers and shelves.
BOOK: Final = "choose"
#: Parts other than drives that a price may be given for, and their keys in the book.
PARTS: Final = {
    "controller": "purchase.part.controller", "io-module": "purchase.part.io-module",
    "nas": "purchase.part.nas", "server": "purchase.server",
}  # fmt: skip


@dataclass(frozen=True)
class ChooseRequest:
    """A question, read and checked."""

    question: StorageQuestion
    document: TomlDocument
    #: The folder that its paths are relative to, its text.
    base: Path
    text: str
    command: str | None = None

    @property
    def pricing(self) -> PricingRequest:
        """The assumptions that dollars rest on."""
        asked = self.question
        prices = [f"{self._price_key(name)}={usd:g}" for name, usd in sorted(asked.prices.items())]
        pue = [] if asked.energy.pue is None else [f"cooling.pue={asked.energy.pue:g}"]
        tariff = asked.energy.tariff
        if asked.energy.usd_per_kwh is not None:
            tariff = f"flat:{asked.energy.usd_per_kwh:g}"
        return PricingRequest(BOOK, (*prices, *pue, *self._grid(), *asked.assume), tariff, None, asked.years)

    def _price_key(self, name: str) -> str:
        """The price book's key for a drive or a part. Raises ``InputError`` for another name."""
        if name in PARTS:
            return PARTS[name]
        known = device_names()
        if name in known or any(name in family.devices for family in self.question.family):
            return f"purchase.model.{name}"
        place, hint = (
            self.document.place(("prices", name)),
            suggestion(name, [*PARTS, *known], "drives and parts"),
        )
        raise InputError("unknown-name", place, f"there is no drive and no part {name!r}", hint=hint)

    def _grid(self) -> list[str]:
        """The emissions of the region's grid as an assumption.

        Raises ``InputError`` for a region that the book lacks.
        """
        region = self.question.energy.region
        if region is None:
            return []
        book = find_book(BOOK, [])
        key = f"carbon.grid.{region}"
        if key not in book.figures:
            known = [name.rpartition(".")[2] for name in book.figures if name.startswith("carbon.grid.")]
            place = self.document.place(("energy", "region"))
            hint = suggestion(region, known, "regions")
            raise InputError("unknown-name", place, f"the price book has no grid {region!r}", hint=hint)
        return [f"carbon.grid={book.number(key):g}"]


def choose_request(
    question: str | os.PathLike[str],
    *,
    changes: Sequence[str] = (),
    base: Path | None = None,
    command: str | None = None,
) -> ChooseRequest:
    """Read a question. Raises ``InputError`` with file, line and key.

    ``base``: the folder that the paths of a text are relative to; the current one where it is None.
    """
    given = isinstance(question, str) and "\n" in question
    path = Path() if given else Path(question)
    text = str(question) if given else read_text(path)
    document = TomlDocument(text, "question" if given else str(path), list(changes), StorageQuestion)
    read = document.validate(StorageQuestion)
    document.fail(read.problems(family_names()))
    return ChooseRequest(read, document, base or (Path() if given else path.parent), text, command)
