"""One system under one book of assumptions over one horizon: what every component is computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from iowatt.base.errors import Argument, InputError
from iowatt.lenses.cost.book.find import SET
from iowatt.lenses.cost.expression import number
from iowatt.lenses.wear import SECONDS_PER_YEAR

if TYPE_CHECKING:
    from iowatt.lenses.cost.bills import Bills
    from iowatt.lenses.cost.book.book import Book
    from iowatt.lenses.cost.system import Drive, System


@dataclass(frozen=True)
class Horizon:
    """What two systems are compared over.

    ``work``: each does the same work ``amount`` times over (alpha), the slower one for longer.
    ``time``: each goes on for ``amount`` years of 365 days, the faster one doing more.
    """

    basis: Literal["work", "time"]
    amount: float

    def __post_init__(self) -> None:
        least = 1.0 if self.basis == "work" else 0.0
        if not (self.amount >= least and self.amount > 0) or self.amount == float("inf"):
            name, accepted = ("alpha", "at least 1") if self.basis == "work" else ("years", "more than 0")
            raise InputError(
                "out-of-range", Argument(name), f"{self.amount:g} is not accepted; expected {accepted}"
            )

    def repeats(self, work_s: float) -> float:
        """How often work that takes ``work_s`` seconds is done."""
        return self.amount if self.basis == "work" else self.amount * SECONDS_PER_YEAR / work_s

    def seconds(self, work_s: float) -> float:
        """How long that takes, in s."""
        return self.repeats(work_s) * work_s

    def years(self, work_s: float) -> float:
        """The same in years of 365 days."""
        return self.seconds(work_s) / SECONDS_PER_YEAR


OWN: Final = "purchase.factor"


@dataclass(frozen=True)
class Price:
    """The price of one whole drive in USD, and its source."""

    usd: float
    #: USD a GB of its capacity.
    per_gb: float
    source: str
    date: str | None
    #: The book's key: of the price, or of what one that came with the drive is multiplied by.
    key: str
    #: Whether the key is of a GB rather than of the drive.
    by_gb: bool
    #: False without a price: ``usd`` is 0, and ``key`` is the key that would state it.
    known: bool = True
    #: Of a price per GB that is stretched to larger drives than it was taken from.
    extrapolated: bool = False


@dataclass(frozen=True)
class Case:
    """One system priced: all components are functions of this."""

    system: System
    book: Book
    horizon: Horizon
    bills: Bills
    #: Who serves in the place of each drive, once it is known (`wear.place`).
    places: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def start(self) -> datetime:
        """Local standard time at which the work begins."""
        return self.bills.start

    @property
    def repeats(self) -> float:
        """How often the work is done."""
        return self.horizon.repeats(self.system.work.duration_s)

    @property
    def seconds(self) -> float:
        """How long that takes, s."""
        return self.horizon.seconds(self.system.work.duration_s)

    @property
    def years(self) -> float:
        """The same in years of 365 days."""
        return self.seconds / SECONDS_PER_YEAR

    def price_of(self, drive: Drive) -> Price:
        """The price of a drive: by its model in the book, its own, or by its class in the book.

        The price that an inventory states comes before the book's, but not before one set by hand. A
        class's price per GB holds for capacities about those that it was taken from (``Figure.covers``).
        """
        of_model = [f"purchase.model.{name}" for name in drive.names]
        found = None if self._owner_said(drive, of_model) else self.book.find(*of_model)
        if found is None and drive.price is not None:
            usd, date, source = drive.price
            usd *= self.book.number(OWN)
            return Price(usd, usd / drive.capacity_gb, source, date, OWN, by_gb=False)
        if found is not None:
            usd = self.book.number(found.key)
            return Price(usd, usd / drive.capacity_gb, found.source, found.date, found.key, by_gb=False)
        of_class = f"purchase.price.{drive.price_class}"
        larger = f"{of_class}.larger"
        for key in (of_class, larger):
            figure = self.book.figures.get(key)
            if figure is not None and figure.covers(drive.capacity_gb):
                per_gb = self.book.number(key)
                return Price(
                    per_gb * drive.capacity_gb, per_gb, figure.source, figure.date, key, by_gb=True,
                    extrapolated=key == larger,
                )  # fmt: skip
        return Price(0.0, 0.0, "no price is known", None, of_model[0], by_gb=False, known=False)

    def _owner_said(self, drive: Drive, of_model: Sequence[str]) -> bool:
        """Whether what an inventory says was paid holds: before the book, not before what was set by hand."""
        known = next((self.book.figures[key] for key in of_model if key in self.book.figures), None)
        return drive.paid and (known is None or known.source != SET)

    def price_expression(self, drive: Drive) -> str:
        """The same as a formula of a spreadsheet."""
        price = self.price_of(drive)
        if price.key == OWN and drive.price is not None:
            return f"{number(drive.price[0])}*{{{OWN}}}"
        return f"{number(drive.capacity_gb)}*{{{price.key}}}" if price.by_gb else f"{{{price.key}}}"

    def charged(self, drive: Drive) -> float:
        """USD paid for a drive: for all of it, or by ``purchase.charge`` for the GB that volumes use."""
        return self.charged_gb(drive) * self.price_of(drive).per_gb

    def charged_gb(self, drive: Drive) -> float:
        """GB of a drive that are paid for.

        Raises ``InputError`` where used GB are charged and not known.
        """
        if self.book.word("purchase.charge") == "device":
            return drive.capacity_gb
        if drive.used_gb is None:
            raise InputError(
                "missing-figure",
                self.system.where,
                f"the space that volumes take on drive {drive.name} is not known",
                hint="`assume=purchase.charge=device` charges whole drives; new Runs record the space",
            )
        return drive.used_gb
