"""What the power calculator returns: ``iowatt.power/1``. Watts are at the wall unless stated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.model.power.efficiency import EfficiencyCurve, Mode

Activity = Literal["idle", "active"]
ACTIVITIES: Final[tuple[Activity, ...]] = ("idle", "active")


class PowerTotal(Result):
    """The whole array in one mode and activity."""

    wall_w: float
    #: Lost in the supplies.
    loss_w: float
    #: None where a supply has no power factor.
    va: float | None
    btu_per_h: float
    #: Tons of refrigeration.
    tons: float
    #: With the building's cooling and distribution; None without a PUE.
    facility_w: float | None


class ComponentPower(Result):
    """All drives of a pool, all like parts of an enclosure kind, or its supplies' losses."""

    name: str
    kind: str
    enclosure: str
    count: int
    #: The drives' model, the part's law, or the supplies' efficiency curve.
    what: str
    #: Where its watts apply: behind the supplies, or at the wall.
    basis: Literal["dc", "wall"]
    watts: Mapping[Mode, Mapping[Activity, float]]


class SupplyState(Result):
    """A group of supplies in one mode and activity."""

    output_w: float
    #: Load of one supply as a share of its rating.
    load: float
    efficiency: float | None


class Supply(Result):
    """The supplies of one enclosure; ``fullest`` is the enclosure that draws most."""

    rating_w: float
    count: int
    needed: int
    sharing: Literal["active-standby", "load-sharing"]
    efficiency: str
    #: Load and efficiency, both as shares.
    points: list[tuple[float, float]]
    power_factor: float
    fullest: Mapping[Mode, Mapping[Activity, SupplyState]]

    def efficiency_at(self, load: float) -> float:
        """Efficiency at a load, both as shares."""
        return EfficiencyCurve(tuple(self.points)).efficiency(load)


class PartFailure(Result):
    """The whole array while one part that has a spare has failed; the supplies share as configured.

    The others take its work, and the fans of its enclosure run at their failover speed.
    """

    component: str
    kind: str
    #: How many of them one enclosure has that work before the failure.
    count: int
    needed: int
    total: Mapping[Activity, PowerTotal]


class EnclosureKind(Result):
    """All enclosures of a kind together."""

    name: str
    count: int
    slots: int
    drives: int
    supply: Supply | None

    @property
    def has_redundancy(self) -> bool:
        """Whether it has more supplies than it needs."""
        return self.supply is not None and self.supply.count > self.supply.needed


class DriveStart(Result):
    """The drives' start."""

    peak_w: float
    #: The peak if all drives started at once.
    at_once_peak_w: float
    #: At the lowest power factor of the array; None where one is not known.
    peak_va: float | None
    #: None where the length of a step is not known.
    duration_s: float | None
    #: Seconds (or the number of the step) and watts.
    steps: list[tuple[float, float]]
    #: How many drives start together; None where all do.
    at_once: int | None
    scope: Literal["array", "enclosure"] | None


class CalculatedPower(ResultDocument):
    """What an array draws idle and active, in normal, redundant and failover operation."""

    schema_id: Literal["iowatt.power/1"] = Field(default="iowatt.power/1", alias="schema")
    name: str
    drives: int
    raw_gb: float
    #: Over idle watts in normal operation, as SNIA Emerald's ready idle.
    raw_gb_per_w: float | None
    pue: float | None
    btu_per_wh: float
    #: Failover is as normal in an enclosure without redundant supplies: there is none.
    modes: Mapping[Mode, Mapping[Activity, PowerTotal]]
    components: list[ComponentPower]
    #: One for each part of which fewer are needed than are there.
    failures: list[PartFailure] = Field(default_factory=list)
    enclosures: list[EnclosureKind]
    #: None where a drive's start-up watts are not known.
    spin_up: DriveStart | None
    notes: list[Note]
    sources: list[str]
