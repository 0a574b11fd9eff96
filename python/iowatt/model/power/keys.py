"""Keys of the array's own power: enclosures with their parts and supplies, and how all of it is started.

docs/models/array-power.md describes the model.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from iowatt.base.errors import BadValueError
from iowatt.base.quantity import Duration, Power
from iowatt.base.strict import Name, Strict, key
from iowatt.model.power.efficiency import check
from iowatt.model.power.part import PartFigures, certificates

Points = tuple[tuple[float, float], ...]

_EFFICIENCY = "a certificate such as '80plus-gold', a share such as 0.9, or points [[load, efficiency], ...]"


def _efficiency(value: Any) -> Any:
    """A certificate's name, or the points of a curve."""
    if isinstance(value, str):
        if value not in certificates():
            message = f"unknown certificate {value!r}; expected one of {', '.join(certificates())}"
            raise BadValueError("unknown-name", None, message)
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = [[1.0, value]]
    pairs = isinstance(value, list | tuple) and all(isinstance(point, list | tuple) for point in value)
    if not pairs or not all(_is_number(part) for point in value for part in point):
        raise BadValueError("wrong-type", None, f"expected {_EFFICIENCY}")
    check(value)
    return tuple((float(load), float(eta)) for load, eta in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


Efficiency = Annotated[
    str | Points,
    BeforeValidator(_efficiency),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
                {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
            ],
            "examples": ["80plus-gold", 0.9, [[0.2, 0.88], [0.5, 0.92], [1.0, 0.88]]],
            "x-accepts": _EFFICIENCY,
        }
    ),
]


class SupplyKeys(Strict):
    """Like power supplies of one enclosure."""

    rating: Power = key("Continuous output rating of one supply.", gt=0, example="750W")
    peak: Power | None = key(
        "Peak output of one supply for a few seconds, as during spin-up.",
        unset="the rating",
        gt=0,
        example="1000W",
    )
    count: int = key("Number per enclosure.", default=2, within=(1, 64), example=2)
    needed: int | None = key(
        "Number required: 1 of 2 is 1+1, 2 of 3 is N+1, 2 of 4 is N+N.",
        unset="half of them, rounded up",
        within=(1, 64),
        example=1,
    )
    sharing: Literal["load-sharing", "active-standby"] = key(
        "Load sharing. load-sharing: all supplies equally. active-standby: only the needed ones, at better "
        "efficiency, while the others stand by (a high-efficiency mode).",
        default="load-sharing",
        example="active-standby",
    )
    standby: Power = key("Draw of one supply on standby.", default=3.0, example="3W")
    efficiency: Efficiency = key(
        "Efficiency by load: a certificate, one value for every load, or points [load, efficiency] with load "
        "as a share of the rating, up to full load.",
        default="80plus-gold",
        accepts=_EFFICIENCY,
        example="80plus-gold",
    )
    input: Literal["115V", "230V", "230V-eu"] = key(
        "Table of the certificate to use: 115 V, 230 V redundant (data centre), or 230 V EU.",
        default="230V",
        example="230V",
    )
    power_factor: float = key(
        "Power factor: watts per volt-ampere. The default is the EU minimum at half load since 2023.",
        default=0.95,
        gt=0,
        le=1,
        example=0.98,
    )


class PartKeys(PartFigures):
    """Like parts of one enclosure."""

    name: Name = key("Name in results.", example="controller")
    model: str | None = key(
        "A library part or a .toml file; the other keys override its figures.",
        unset="none; the keys of this table give the figures",
        min_length=1,
        example="stand-in-controller",
    )
    count: int = key("Number per enclosure.", default=1, within=(1, 10_000), example=2)
    needed: int | None = key(
        "Number required for the array to keep working: 1 of 2 controllers. `iowatt power` then also gives "
        "the power with one failed.",
        unset="all of them",
        within=(1, 10_000),
        example=1,
    )
    failed: int = key(
        "Number that have failed: they draw nothing, and the others take over their work.",
        default=0,
        within=(0, 9_999),
        example=1,
    )
    of: str | None = key(
        "What it carries or terminates, for the law transfer: bus.NAME, path.NAME.HOP, path.NAME.hba, "
        "path.NAME.port, controller.host_link or controller.mirror_link. Of a hop both directions count, "
        "and all lanes: at full rate both ways in all of them it draws its active watts.",
        unset="the law is another",
        example="path.wan.fibre",
        min_length=1,
    )


class EnclosureKeys(Strict):
    """Like enclosures (shelves, controller chassis, frames), each with its own supplies."""

    name: Name = key("Name in results.", example="shelf")
    count: int | None = key(
        "Number of enclosures.",
        unset="as many as the drives need; one if it has no drives",
        within=(1, 10_000),
        example=2,
    )
    slots: int | None = key("Drive slots per enclosure.", unset="none", within=(1, 10_000), example=25)
    form_factor: Literal["2.5", "3.5"] | None = key(
        "Form factor of the slots. A 3.5-inch drive does not fit a 2.5-inch slot; a 2.5-inch drive fits a "
        "3.5-inch slot with a carrier.",
        unset="any drive",
        example="2.5",
    )
    pools: list[Name] = key("Pools whose drives are in it.", default=[], example=["disks"])
    fill: Literal["in-order", "even"] = key(
        "Distribution of drives. in-order: fill the first enclosure first. even: spread equally.",
        default="in-order",
        example="even",
    )
    part: list[PartKeys] = key("Parts besides drives.", default=[])
    supply: SupplyKeys | None = key(
        "Power supplies.",
        unset="none: component watts count as wall power",
        example={"rating": "750W", "count": 2, "needed": 1, "efficiency": "80plus-gold"},
    )


class SpinUpKeys(Strict):
    """How drives are started when the array is switched on."""

    at_once: int = key("Drives started together.", within=(1, 100_000), example=2)
    interval: Duration | None = key(
        "Time between starts.", unset="when those before are up", gt=0, example="6s"
    )
    per: Literal["enclosure", "array"] = key(
        "Whether each enclosure starts its own drives, all enclosures at the same time, or the array all of "
        "them one after another.",
        default="enclosure",
        example="array",
    )


class ArrayPower(Strict):
    """What the array draws besides its drives, and how it gets its power."""

    enclosure: Annotated[list[EnclosureKeys], Field(min_length=1)] = key(
        "Enclosures: what holds drives and parts, and feeds them."
    )
    controller: Literal["inside", "none"] = key(
        "Where the controllers are. inside: parts of kind controller; without any it is no array. none: "
        "there are none, the shelves hang on a host.",
        default="inside",
        example="none",
    )
    spin_up: SpinUpKeys | None = key(
        "How drives are started when the array is switched on.", unset="all at once", example={"at_once": 2}
    )
    pue: float | None = key(
        "Power usage effectiveness of the building: what it draws for each watt at this wall.",
        unset="not asked",
        within=(1, 10),
        example=1.5,
    )
    btu_factor: Literal["exact", "p9500-slip"] = key(
        "BTU/h for a watt. exact: 3.412142. p9500-slip: the 3.14 that a published calculator of the P9500 "
        "multiplied by, to reproduce its figures.",
        default="exact",
        example="exact",
    )
