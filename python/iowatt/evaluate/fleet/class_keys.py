"""The tables of a class of members: where it comes from, how many there are, what one costs and takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from typing import Annotated, Final

from pydantic import Field

from iowatt.base.problems import KeyPath, Problem
from iowatt.base.quantity import Capacity, Iops, Power, Share
from iowatt.base.strict import Name, Strict, key

MOST_MEMBERS: Final = 1_000_000
_LONGEST: Final = 4096

Decline = Annotated[float, Field(ge=-0.5, lt=1)]


def day(text: str) -> date | None:
    """The day ``YYYY-MM-DD``; None where it is none."""
    with suppress(ValueError):
        return date.fromisoformat(text) if len(text) == 10 else None
    return None


def each_within(value: float | list[float] | None, low: float, high: float, at: KeyPath) -> Iterator[Problem]:
    """The problem of a figure, or of a list of them, that is not within bounds or has none."""
    listed = value if isinstance(value, list) else [] if value is None else [value]
    if value == []:
        yield Problem("empty", at, "expected at least one figure")
    beyond = next((one for one in listed if not low <= one <= high), None)
    if beyond is not None:
        yield Problem("out-of-range", at, f"{beyond:g} is not accepted; expected {low:g} to {high:g}")


class BoughtBefore(Strict):
    """Members bought on a day."""

    count: int = key("How many.", ge=0, le=MOST_MEMBERS, example=12)
    date: str = key("The day, before the start.", example="2023-06-01", pattern=r"^\d{4}-\d{2}-\d{2}$")


class MemberDrives(Strict):
    """The drives of one member: what is left out is as its scenario or Run has it."""

    model: str | None = key(
        "Their model: spares are pooled by it.",
        default=None,
        unset="its scenario's",
        min_length=1,
        max_length=64,
    )
    count: int | None = key("How many in one member.", default=None, unset="its scenario's", ge=0, le=100_000)
    afr: float | list[float] | None = key(
        "Annual failure rate; or one for each year of age, of which the last goes on.",
        default=None, unset="the cost book's", example=[0.01, 0.01, 0.012, 0.02],
    )  # fmt: skip
    price: float | None = key(
        "Price of one.", default=None, unset="the cost book's", unit="USD", ge=0, example=300
    )
    embodied: float | None = key(
        "Embodied carbon of one.", default=None, unset="the cost book's", unit="kg", ge=0
    )


class FleetClass(Strict):
    """Like members: arrays, or clusters, of one design."""

    name: Name = key("Its name.", example="array-2026")
    scenario: str | None = key(
        "The scenario of one member, relative to this file.", default=None, unset="runs has them",
        min_length=1, max_length=_LONGEST, example="array.toml",
    )  # fmt: skip
    set_: list[str] = key(
        "Overrides of the scenario, PATH=VALUE.",
        default=[],
        alias="set",
        example=["array.pool.disks.count=24"],
    )
    runs: list[str] = key(
        "Or Runs of one member, one for each load, relative to this file.", default=[], max_length=1000
    )
    loads: list[Iops] = key(
        "Loads at which one member is simulated.", default=[], unset="those that the plan needs"
    )
    serves: Name | None = key("The demand that it serves.", default=None, unset="the only one")
    load_weight: float = key(
        "Requests for a stored byte, over those of the demand's other classes.", default=1.0, gt=0, le=1e6
    )
    count: int = key("Members at the start, all of one age.", default=0, ge=0, le=MOST_MEMBERS, example=40)
    age: float = key("Their age.", default=0.0, unit="years", ge=0, le=100, example=2.5)
    bought: list[BoughtBefore] = key("Or members by the day of their purchase.", default=[])
    refresh_after: float | None = key(
        "Age at which a member is retired.",
        default=None,
        unset="never",
        unit="years",
        gt=0,
        le=100,
        example=5,
    )
    usable: Capacity | None = key(
        "Usable capacity of one member.", default=None, unset="its scenario's", gt=0, example="400TB"
    )
    price: float | None = key(
        "Price of one at the start, all included.", default=None, unit="USD", ge=0, example=180000,
        unset="drives and parts by the cost book",
    )  # fmt: skip
    price_decline: Decline | None = key(
        "How its price falls by year.", default=None, unset="purchases.price_decline", example=0.1
    )
    residual: Share | None = key(
        "Share of its first price that a retired member brings.", default=None, unset="the cost book's"
    )
    service: float | None = key(
        "Service of one member.", default=None, unset="the cost book's", unit="USD/year", ge=0
    )
    embodied: float | None = key(
        "Embodied carbon of one.", default=None, unset="its drives, by the cost book", unit="kg", ge=0
    )
    drives: MemberDrives | None = key("Its drives.", default=None, unset="its scenario's")
    rack_units: int = key("Rack units of one.", default=2, unit="U", ge=0, le=1000)
    members_per_rack: int | None = key(
        "Members in one rack, at most.", default=None, unset="as its units and its power hold (racks.by)",
        ge=1, le=1000,
    )  # fmt: skip
    nameplate: Power | None = key(
        "Nameplate power of one, for racks with basis nameplate.", default=None, unset="not known", gt=0
    )
    loss_probability: float | list[float] | None = key(
        "Probability that one member loses data in a year; or one for each year of age, of which the last "
        "goes on.",
        default=None,
        unset="that of `iowatt durability`",
        example=1e-9,
    )

    def problems(self, at: KeyPath) -> Iterator[Problem]:
        """What is wrong between keys; ``at`` is the table's own path."""
        if (self.scenario is None) == (not self.runs):
            code = "missing" if self.scenario is None else "conflict"
            yield Problem(code, (*at, "scenario"), "expected either a scenario or runs")
        for name in ("set", "loads"):
            if self.runs and getattr(self, "set_" if name == "set" else name):
                yield Problem(
                    "not-applicable", (*at, name), "is for a class with a scenario; this one has runs"
                )
        if self.bought and {"count", "age"} & self.model_fields_set:
            yield Problem("conflict", (*at, "bought"), "expected either count and age, or bought")
        yield from each_within(self.loss_probability, 0, 1, (*at, "loss_probability"))
        if self.drives is not None:
            yield from each_within(self.drives.afr, 0, 5, (*at, "drives", "afr"))
        for index, one in enumerate(self.bought):
            if day(one.date) is None:
                message = f"{one.date!r} is not a day; expected YYYY-MM-DD"
                yield Problem("bad-syntax", (*at, "bought", index, "date"), message)
