"""A system under a book of assumptions over a horizon: the input of every component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

from iowatt.base.errors import Argument, InputError
from iowatt.lenses.book import SET
from iowatt.lenses.cost.pricing.bills import Bills
from iowatt.lenses.cost.pricing.component import number
from iowatt.lenses.cost.pricing.loss_scale import with_scale
from iowatt.lenses.wear import SECONDS_PER_YEAR

if TYPE_CHECKING:
    from iowatt.lenses.book import Book
    from iowatt.lenses.cost.systems.system import PricedDrive, PricedSystem
    from iowatt.tariffs.structure import Tariff


@dataclass(frozen=True)
class Horizon:
    """How long systems are compared: ``amount`` times the same work, or ``amount`` years of 365 days.

    With ``work`` (alpha) a slower system takes longer; with ``time`` a faster one does more.
    """

    basis: Literal["work", "time"]
    amount: float

    def __post_init__(self) -> None:
        name, least = ("alpha", 1.0) if self.basis == "work" else ("years", 1.0 / SECONDS_PER_YEAR)
        if not least <= self.amount < float("inf"):
            accepted = "at least 1" if name == "alpha" else "at least a second"
            raise InputError(
                "out-of-range", Argument(name), f"{self.amount:g} is not accepted; expected {accepted}"
            )

    def repeats(self, work_s: float) -> float:
        """How often work of ``work_s`` seconds is done."""
        return self.amount if self.basis == "work" else self.amount * SECONDS_PER_YEAR / work_s

    def seconds(self, work_s: float) -> float:
        """Seconds of all repetitions."""
        return self.repeats(work_s) * work_s

    def years(self, work_s: float) -> float:
        """Years of all repetitions."""
        return self.seconds(work_s) / SECONDS_PER_YEAR


STATED_FACTOR: Final = "purchase.factor"


@dataclass(frozen=True)
class DrivePrice:
    """The price of one whole drive in USD, and its source."""

    usd: float
    #: USD a GB of its capacity.
    per_gb: float
    source: str
    date: str | None
    #: The book's key of the price, or of the factor of a price that came with the drive.
    key: str
    #: Whether the key is a price per GB.
    by_gb: bool
    #: False without a price: ``usd`` is 0, and ``key`` would set it.
    known: bool = True
    #: Whether a price per GB is applied to larger drives than it was taken from.
    extrapolated: bool = False


@dataclass(frozen=True)
class CostCase:
    """One system with its book, horizon and bills; components are functions of it."""

    system: PricedSystem
    book: Book
    horizon: Horizon
    bills: Bills
    #: Drives that serve in each drive's place, by its name (`wear.place`).
    places: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    _prices: dict[str, DrivePrice] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls, system: PricedSystem, book: Book, tariff: Tariff, horizon: Horizon, start: datetime
    ) -> CostCase:
        """The case of a system under a tariff, billed from ``start`` (local standard time)."""
        scaled = with_scale(system, book, horizon.years(system.work.duration_s))
        return cls(scaled, book, horizon, Bills(tariff, start, system.work.load))

    @property
    def start(self) -> datetime:
        """Local standard time of the first bill."""
        return self.bills.start

    @cached_property
    def repeats(self) -> float:
        """How often the work is done."""
        return self.horizon.repeats(self.system.work.duration_s)

    @cached_property
    def seconds(self) -> float:
        """Seconds of the horizon."""
        return self.horizon.seconds(self.system.work.duration_s)

    @cached_property
    def total_j(self) -> float:
        """Joules of the horizon."""
        return self.system.work.load.repeated(self.repeats).total_j

    @property
    def years(self) -> float:
        """Years of the horizon."""
        return self.seconds / SECONDS_PER_YEAR

    def part_key(self, name: str) -> str | None:
        """The book's key for the price of a part; None where its scenario has the price, or nobody does.

        ``purchase.part.NAME`` comes before the scenario's price, that of its kind after it. A part of an
        enclosure is called ENCLOSURE.PART; a price of PART is that of all enclosures.
        """
        kind = self.system.part_kinds.get(name)
        for own in (f"purchase.part.{name}", f"purchase.part.{name.rpartition('.')[2]}"):
            if self.book.find(own) is not None:
                return own
        return None if kind is None or name in self.system.part_prices else f"purchase.{kind}"

    @property
    def unpriced_parts(self) -> list[str]:
        """Names of parts without a price, which the purchase leaves out."""
        known = self.system.part_prices
        return [name for name in self.system.parts if name not in known and self.part_key(name) is None]

    @property
    def parts_usd(self) -> float:
        """USD of all parts that have a price."""
        known = self.system.part_prices
        prices = (
            (count, known.get(name) if (key := self.part_key(name)) is None else self.book.number(key))
            for name, count in self.system.parts.items()
        )
        return sum(count * each for count, each in prices if each is not None)

    def price_of(self, drive: PricedDrive) -> DrivePrice:
        """The price of a drive: the book's for its model, its own, or the book's for its class.

        An inventory's price comes before the book's, unless that was set on the command line. A price per
        GB applies to capacities near those it was taken from (``BookFigure.covers``).
        """
        if drive.name not in self._prices:
            self._prices[drive.name] = self._price_of(drive)
        return self._prices[drive.name]

    def _price_of(self, drive: PricedDrive) -> DrivePrice:
        of_model = [f"purchase.model.{name}" for name in drive.names]
        figure = None if self._paid_price_applies(drive, of_model) else self.book.find(*of_model)
        if figure is None and drive.price is not None:
            usd, date, source = drive.price
            usd *= self.book.number(STATED_FACTOR)
            return DrivePrice(usd, usd / drive.capacity_gb, source, date, STATED_FACTOR, by_gb=False)
        if figure is not None:
            usd = self.book.number(figure.key)
            return DrivePrice(
                usd, usd / drive.capacity_gb, figure.source, figure.date, figure.key, by_gb=False
            )
        of_class = f"purchase.price.{drive.price_class}"
        larger = f"{of_class}.larger"
        for key in (of_class, larger):
            figure = self.book.figures.get(key)
            if figure is not None and figure.covers(drive.capacity_gb):
                per_gb = self.book.number(key)
                return DrivePrice(
                    per_gb * drive.capacity_gb, per_gb, figure.source, figure.date, key, by_gb=True,
                    extrapolated=key == larger,
                )  # fmt: skip
        return DrivePrice(0.0, 0.0, "no price is known", None, of_model[0], by_gb=False, known=False)

    def _paid_price_applies(self, drive: PricedDrive, of_model: Sequence[str]) -> bool:
        """Whether the inventory states the price, and the command line sets none."""
        known = next((self.book.figures[key] for key in of_model if key in self.book.figures), None)
        return drive.paid and (known is None or known.source != SET)

    def price_expression(self, drive: PricedDrive) -> str:
        """The price as an expression of the workbook."""
        price = self.price_of(drive)
        if price.key == STATED_FACTOR and drive.price is not None:
            return f"{number(drive.price[0])}*{{{STATED_FACTOR}}}"
        return f"{number(drive.capacity_gb)}*{{{price.key}}}" if price.by_gb else f"{{{price.key}}}"

    def charged(self, drive: PricedDrive) -> float:
        """USD paid for a drive, by ``purchase.charge`` for all of it or for the GB that volumes use."""
        return self.charged_gb(drive) * self.price_of(drive).per_gb

    def charged_gb(self, drive: PricedDrive) -> float:
        """GB of a drive that are paid for. Raises ``InputError`` where used GB are charged and not known."""
        if self.book.word("purchase.charge") == "device":
            return drive.capacity_gb
        if drive.used_gb is None:
            raise InputError(
                "missing-figure",
                self.system.where,
                f"the space that volumes use on drive {drive.name} is not known",
                hint="`set=purchase.charge=device` charges whole drives; new Runs record the space",
            )
        return drive.used_gb
