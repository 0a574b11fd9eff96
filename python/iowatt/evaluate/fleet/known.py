"""What is known of one member of each class of all plans of a request: simulated, priced, assessed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from iowatt.base.errors import InputError
from iowatt.evaluate.fleet import describe, durability
from iowatt.evaluate.fleet.curve import MemberLimit
from iowatt.evaluate.fleet.durability import MemberLoss
from iowatt.evaluate.fleet.member import MemberSource, price_of, usable_bytes
from iowatt.evaluate.fleet.quarters import ModelledMember
from iowatt.evaluate.fleet.running import FleetPrices
from iowatt.evaluate.fleet.search import MemberSimulations, SimulatedMember, add_searches, spreads_of
from iowatt.evaluate.fleet.timeline import ClassCapacity

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.class_keys import FleetClass
    from iowatt.evaluate.fleet.request import FleetRequest
    from iowatt.lenses.cost.systems import PricedSystem
    from iowatt.lenses.durability import DurableSystem


class KnownMembers:
    """The members of all plans of a request, simulated."""

    def __init__(self, request: FleetRequest, simulations: MemberSimulations, prices: FleetPrices) -> None:
        self.request, self.simulations, self.prices = request, simulations, prices
        self._sources: dict[tuple[int, str], MemberSource] = {}
        self._losses: dict[tuple[object, ...], MemberLoss | None] = {}
        for number, plan in enumerate(request.plans):
            for one in plan.class_:
                source = MemberSource.of(one, request.base, self.where(one))
                self._sources[number, one.name] = source
                simulations.of(source)
        simulations.begin()
        for number, plan in enumerate(request.plans):
            add_searches(plan, partial(self.simulated, number), self.where)
        simulations.search()

    def where(self, member: FleetClass) -> str:
        """The place of a class in messages."""
        return f"{self.request.source}: class.{member.name}"

    def simulated(self, number: int, member: FleetClass) -> SimulatedMember:
        """What was simulated of a class of the plan of that number."""
        return self.simulations.of(self._sources[number, member.name])

    def source(self, number: int, member: FleetClass) -> MemberSource:
        """Where its members come from."""
        return self._sources[number, member.name]

    def modelled(self, number: int) -> dict[str, ModelledMember]:
        """The members of a plan by class. Raises ``InputError`` where a figure is not known."""
        plan, found = self.request.plans[number], {}
        spreads = spreads_of(plan)
        for demand in plan.demand:
            for one in plan.classes_of(demand):
                simulated, where = self.simulated(number, one), self.where(one)
                curve = simulated.curve
                system, loss = _system(simulated, one), self._loss(simulated, one)
                most = curve.most_iops(MemberLimit.of(demand.most_load))
                capacity = ClassCapacity(usable_bytes(one, simulated.own, where), most, one.load_weight)
                found[one.name] = ModelledMember(
                    stated=one, demand=demand, spread=spreads[demand.name], curve=curve, capacity=capacity,
                    price=price_of(
                        one, system, self.prices.book, self.prices.tariff, start=plan.first_day, where=where
                    ),
                    failover=describe.failover(simulated.source), lowest_iops=curve.lowest_iops,
                    loss_by_age=None if loss is None else loss.by_age,
                    rebuilds=() if loss is None else loss.rebuilds,
                )  # fmt: skip
        # In the order of the file.
        return {one.name: found[one.name] for one in plan.class_}

    def _loss(self, simulated: SimulatedMember, one: FleetClass) -> MemberLoss | None:
        """The probability of loss that a class states, else that of the durability lens."""
        stated = durability.of_class(one)
        if stated is not None:
            return MemberLoss(stated, ())
        given = None if one.drives is None else one.drives.afr
        afr = tuple(given) if isinstance(given, list) else None if given is None else (given,)
        key = (simulated.source.identity, afr)
        if key not in self._losses:
            system = _durable(simulated)
            self._losses[key] = durability.of_system(system, self.prices.book, afr) if system else None
        return self._losses[key]


def _system(simulated: SimulatedMember, member: FleetClass) -> PricedSystem:
    from iowatt.lenses.cost.systems import observe, system_of_plan

    if simulated.plan is not None:
        return system_of_plan(simulated.plan, member.name)
    return observe(simulated.source.runs[0])


def _durable(simulated: SimulatedMember) -> DurableSystem | None:
    """One member as ``iowatt durability`` takes it, under its scenario's own load; None if not known."""
    from iowatt.evaluate.rebuild import with_rebuilds
    from iowatt.lenses.durability import DurableSystem

    source = simulated.source
    if simulated.plan is None or source.given is None:
        try:
            return with_rebuilds(DurableSystem.of_run(source.runs[0]))
        except InputError:  # a measured Run does not say how its drives are joined
            return None
    given = source.given
    return with_rebuilds(
        DurableSystem.of_plan(simulated.plan, source.where, base=given.base, text=given.text)
    )
