"""What limits the figures of a fleet: prices and watts that are not whole, unknown loads, the method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from iowatt.base.results import Note
from iowatt.evaluate.search.metrics import REBUILD, basis_line
from iowatt.lenses.durability import YEARS
from iowatt.render.numbers import duration
from iowatt.render.phrases import listed

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.keys import FleetPlan
    from iowatt.evaluate.fleet.quarters import ModelledMember
    from iowatt.evaluate.fleet.result import FleetYear

Rows = Sequence[Mapping[str, Any]]


def of_fleet(
    plan: FleetPlan,
    members: Mapping[str, ModelledMember],
    rows: Mapping[str, Rows],
    years: Sequence[FleetYear],
) -> Iterator[Note]:
    """All notes; ``rows`` are those of the Runs of one member of each class."""
    for name, one in members.items():
        for note in (*_of_price(one), *_of_rows(rows[name]), *_of_loads(name, one.lowest_iops, years)):
            yield note.about(name)
    if any(one.loss_by_age is None for one in members.values()):
        text = "loss of data is not known: loss_probability of each class states it"
        yield Note(code="loss-unknown", text=text)
    elif any(one.stated.loss_probability is None for one in members.values()):
        rebuilds = [
            f"{name} {duration(max(time.seconds for time in one.rebuilds))} ({one.rebuilds[0].basis})"
            for name, one in members.items()
            if one.rebuilds
        ]
        text = (
            "loss of data is that of `iowatt durability` of each class's scenario, with its own volumes and "
            f"load, over {YEARS:g} years, and members lose data independently; the rebuild of a drive takes "
            f"{listed(rebuilds)}"
        )
        yield Note(code="loss-by-lens", text=text, decides=True)
    yield from _general(plan)


def _of_price(one: ModelledMember) -> Iterator[Note]:
    price = one.price
    if price.unpriced:
        text = f"parts without a price, which its price leaves out: {', '.join(price.unpriced)}"
        yield Note(code="unpriced-parts", text=text, decides=True)
    if price.drives_only:
        text = "its price is that of its drives alone: the key `price` states that of the whole"
        yield Note(code="drives-only", text=text, decides=True)
    unknown = [group.model for group in price.drives if not group.priced]
    if unknown:
        text = (
            f"no price is known of {', '.join(unknown)}: spares and failed drives cost nothing (drives.price)"
        )
        yield Note(code="no-price", text=text, decides=True)


def _of_rows(rows: Rows) -> Iterator[Note]:
    if any(row.get("power_basis") == "device" for row in rows):
        text = (
            "its watts are those of the drives alone: array.power adds controllers, enclosures and supplies"
        )
        yield Note(code="drives-alone", text=text, decides=True)
    # Of losses the fleet says itself what they rest on.
    basis = basis_line([{key: row[key] for key in row if key != REBUILD} for row in rows])
    if basis:
        yield Note(code="basis", text=basis)


def _of_loads(name: str, lowest: float, years: Sequence[FleetYear]) -> Iterator[Note]:
    for year in years:
        own = next(one for one in year.classes if one.name == name)
        if own.members and own.member_iops < lowest:
            text = (
                f"in {year.year} a member has {own.member_iops:.3g} IOPS, below the lowest that is known "
                f"({lowest:.3g} IOPS): its watts are taken from there"
            )
            yield Note(code="below-known-loads", text=text, decides=True)
            return


def _general(plan: FleetPlan) -> Iterator[Note]:
    """What holds for every fleet."""
    yield Note(
        code="interpolated",
        text="one member of each class is simulated at several loads; watts and response times between them "
        "are interpolated, and nothing is extrapolated",
    )
    yield Note(
        code="chance-only",
        text="ranges are of chance: loads that differ between members and failures of drives; growth, prices "
        "and the tariff are as stated",
    )
    yield Note(
        code="even-data",
        text="data is spread evenly over usable capacity, and moves to new members at once and at no cost",
    )
    if any(one.count or one.bought for one in plan.class_):
        yield Note(code="sunk", text="members in place at the start were paid for before")
    if plan.purchases.lead_time:
        yield Note(code="lead-time", text="members are paid for at delivery, at the price of the order date")
