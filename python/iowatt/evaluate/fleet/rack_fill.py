"""How many members a rack holds: its units and its power cap both bound them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from iowatt.evaluate.fleet.racks import most_by_units, rack_peak_w
from iowatt.evaluate.fleet.running import quarters_of

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.keys import FleetPlan
    from iowatt.evaluate.fleet.quarters import ClassQuarter, FleetQuarter, ModelledMember

_NEXT: Final = 1e-9


class RackFill:
    """Members of each class in one rack, and what a full one draws."""

    def __init__(
        self, plan: FleetPlan, members: Mapping[str, ModelledMember], quarters: Sequence[FleetQuarter]
    ) -> None:
        self.plan, self.members, self.quarters = plan, members, quarters
        self._peaks: dict[tuple[str, int, int], float] = {}
        #: Members that the units of a rack hold; that its power cap carries in every year, None without one.
        self.by_units = {name: most_by_units(one.stated, plan.racks) for name, one in members.items()}
        self.by_power = {name: self._carried(name) for name in members}
        #: Members in one rack: at least one, which may draw more than the cap.
        self.in_one = {name: self._in_one(name) for name in members}

    def peak_w(self, name: str, year: int, in_one: int) -> float:
        """The most that a rack of ``in_one`` members draws in a year, with probability 95 % none more."""
        key = (name, year, in_one)
        if key not in self._peaks:
            self._peaks[key] = self._peak_w(name, year, in_one)
        return self._peaks[key]

    def _peak_w(self, name: str, year: int, in_one: int) -> float:
        member, own = self.members[name], self._own(name, year)
        there = max(one.members for one in own)
        if self.plan.racks.basis == "nameplate":
            return min(there, in_one) * (member.stated.nameplate or 0.0)
        # A stream of its own for each class and year, so that none depends on the others.
        seed = [self.plan.seed, list(self.members).index(name), year]
        return member.failover * rack_peak_w(
            there,
            in_one,
            watts=member.curve.peak_w,
            load=max((one.busy_iops for one in own if one.members), default=0.0),
            spread=member.spread,
            generator=np.random.Generator(np.random.PCG64(seed)),
        )

    def _own(self, name: str, year: int) -> list[ClassQuarter]:
        return [self.quarters[number].classes[name] for number in quarters_of(year)]

    def _most_of_one(self, name: str, year: int) -> float:
        """The most that one member draws in a year, in the mean over members."""
        stated = self.members[name].stated.nameplate
        if self.plan.racks.basis == "nameplate" and stated is not None:
            return stated
        return max((one.peak_w for one in self._own(name, year) if one.members), default=0.0)

    def _carried(self, name: str) -> int | None:
        """The most members of a rack that keeps the cap in every year."""
        cap = self.plan.racks.power_cap
        years = [year for year in range(self.plan.years) if any(q.members for q in self._own(name, year))]
        if cap is None or not years:
            return None
        worst = max(years, key=lambda year: self._most_of_one(name, year))
        watts = self._most_of_one(name, worst)
        if watts <= 0.0:
            return None
        kept = cap * (1 + _NEXT)
        low, high = 0, int(kept / watts)
        while low < high:
            middle = -(-(low + high) // 2)
            low, high = (middle, high) if self.peak_w(name, worst, middle) <= kept else (low, middle - 1)
        while low and any(self.peak_w(name, year, low) > kept for year in years):
            low -= 1
        return low

    def _in_one(self, name: str) -> int:
        units, power = self.by_units[name], self.by_power[name]
        return units if power is None or self.plan.racks.by == "units" else max(1, min(units, power))
