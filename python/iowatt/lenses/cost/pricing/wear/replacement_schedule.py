"""The drives that serve in one place in sequence, each until it is worn out or its service life ends.

Thousands of drives are dated in groups with closed-form sums, so that any horizon takes the same time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

from iowatt.base.errors import InputError
from iowatt.lenses.cost.pricing.wear.life import Wearout, wearout
from iowatt.lenses.cost.result.costs import DriveReplaced
from iowatt.lenses.cost.systems.system import PricedDrive
from iowatt.lenses.wear import SECONDS_PER_YEAR

if TYPE_CHECKING:
    from iowatt.lenses.cost.pricing.case import CostCase

Reason = Literal["worn", "service_life"]

#: Most replacements dated one by one; more come in as many groups.
LISTED: Final = 1000
#: Part of a life by which the last drive may miss the end of the horizon: rounding.
ROUNDING: Final = 1e-9
#: Relative change of a price that counts as none.
_SMALL: Final = 1e-12
_DECLINE: Final = "wear.price_decline"
_SERVICE: Final = "wear.service_life"


@dataclass(frozen=True)
class DriveReplacement:
    """A drive bought in place of another, or ``count`` of them evenly until ``until_s``."""

    #: Name of the drive that it replaces.
    drive: str
    at_s: float
    reason: Reason
    #: Of all ``count``.
    usd: float
    count: int = 1
    until_s: float | None = None

    def result(self, *, priced: bool = True) -> DriveReplaced:
        """A row of ``drives[].replacements`` in ``iowatt.cost/1``; a group has ``count`` and an end."""
        return DriveReplaced(
            at_years=self.at_s / SECONDS_PER_YEAR,
            reason=self.reason,
            usd=self.usd if priced else None,
            count=None if self.until_s is None else self.count,
            until_years=None if self.until_s is None else self.until_s / SECONDS_PER_YEAR,
        )


@dataclass(frozen=True)
class DrivePlace:
    """The drives in one place over ``horizon_s`` seconds."""

    drive: PricedDrive
    worn: Wearout
    horizon_s: float
    #: Seconds that each drive serves; infinite where nothing ends its life.
    life_s: float
    reason: Reason
    #: The horizon in lives, and the drives that serve, at least one.
    lives: float
    drives: int
    #: USD of the first drive.
    price: float
    #: Yearly decline of the price, as a share.
    decline: float
    rests_on: tuple[str, ...]

    @property
    def lives_rest_on(self) -> tuple[str, ...]:
        """Keys that decide how many drives serve."""
        return tuple(key for key in self.rests_on if key != _DECLINE)

    @property
    def unused_usd(self) -> float:
        """The last drive's price, times the part of its life beyond the horizon."""
        return max(0.0, self.drives - self.lives) * self.usd(self.drives - 1, 1)

    def usd(self, first: int, count: int) -> float:
        """USD of ``count`` drives from number ``first`` on (0 is bought at the start).

        ``price x sum of (1 - decline)^(k x life in years)``, a geometric series.
        """
        if not math.isfinite(self.life_s):
            return self.price * count
        force = math.log1p(-self.decline) * self.life_s / SECONDS_PER_YEAR
        if abs(force) * count < _SMALL:
            return self.price * count
        try:
            series = math.expm1(force * count) / math.expm1(force)
            return self.price * math.exp(force * first) * series
        except OverflowError:
            raise InputError(
                "out-of-range",
                _DECLINE,
                f"the price of replacements of {self.drive.name} grows too large for a number",
                hint="give a shorter horizon, or a price that does not rise",
            ) from None

    @cached_property
    def replacements(self) -> tuple[DriveReplacement, ...]:
        """The drives bought after the first, in order of time, one at each multiple of the life.

        Prices fall by ``wear.price_decline`` a year. More than ``LISTED`` come in as many groups of nearly
        equal ``count``, each evenly from ``at_s`` until ``until_s``.
        """
        return tuple(self._replacements())

    def _replacements(self) -> Iterator[DriveReplacement]:
        many = self.drives - 1
        groups = min(many, LISTED)
        for group in range(groups):
            first, end = (1 + many * index // groups for index in (group, group + 1))
            yield DriveReplacement(
                drive=self.drive.name,
                at_s=min(first * self.life_s, self.horizon_s),
                reason=self.reason,
                usd=self.usd(first, end - first),
                count=end - first,
                until_s=None if many <= LISTED else min(end * self.life_s, self.horizon_s),
            )


def place(case: CostCase, drive: PricedDrive) -> DrivePlace:
    """The drives in ``drive``'s place, kept in ``case``.

    A drive lives for ``1 / fraction`` repetitions or ``wear.service_life`` years, whichever is shorter.
    """
    if drive.name not in case.places:
        case.places[drive.name] = _place(case, drive)
    place_: DrivePlace = case.places[drive.name]
    return place_


def _place(case: CostCase, drive: PricedDrive) -> DrivePlace:
    worn = wearout(drive, case.book)
    work_s = case.system.work.duration_s
    life_s = work_s / worn.fraction if worn.fraction > 0 else math.inf
    service = case.book.find(_SERVICE)
    service_s = math.inf if service is None else case.book.number(_SERVICE) * SECONDS_PER_YEAR
    each = min(life_s, service_s)
    lives = case.seconds / each if each > 0 else math.inf
    if not math.isfinite(lives):
        raise InputError(
            "out-of-range",
            f"{case.system.where}: {drive.name}",
            "the drive would be replaced more often than can be counted",
            hint="give a shorter horizon: a smaller alpha, or fewer years",
        )
    decline = case.book.find(_DECLINE)
    stated = [key for key, figure in ((_SERVICE, service), (_DECLINE, decline)) if figure is not None]
    return DrivePlace(
        drive=drive, worn=worn, horizon_s=case.seconds, life_s=each,
        reason="worn" if life_s <= service_s else "service_life", lives=lives,
        drives=max(1, math.ceil(lives - ROUNDING)), price=case.charged(drive),
        decline=0.0 if decline is None else case.book.number(_DECLINE), rests_on=(*worn.rests_on, *stated),
    )  # fmt: skip


def schedule(case: CostCase, drive: PricedDrive) -> tuple[DriveReplacement, ...]:
    """The drives bought in place of ``drive`` within the horizon, in order of time."""
    return place(case, drive).replacements


def bought(case: CostCase, drive: PricedDrive) -> tuple[DriveReplacement, ...]:
    """The same with ``wear.charge = replacements``; otherwise none."""
    return schedule(case, drive) if case.book.word("wear.charge") == "replacements" else ()
