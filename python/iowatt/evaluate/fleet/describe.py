"""Members and the flat table of a fleet's document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from iowatt.evaluate.fleet.curve import MemberLimit
from iowatt.evaluate.fleet.result import Fleet, FleetDrive, FleetMember, MemberLoadPoint

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.evaluate import FleetOutcome
    from iowatt.evaluate.fleet.member import MemberSource
    from iowatt.evaluate.fleet.quarters import ModelledMember
    from iowatt.evaluate.fleet.search import SimulatedMember

TB = 1e12


def failover(source: MemberSource) -> float:
    """Watts of an active member with its redundant supplies lost over those with all; 1 if not modelled."""
    if source.given is None:
        return 1.0
    from iowatt.model.scenario import Scenario, failover_factor

    return failover_factor(source.given.document().validate(Scenario), source.given.base)


def member(one: ModelledMember, simulated: SimulatedMember, found: FleetOutcome) -> FleetMember:
    """One member of a class as the document has it."""
    name, limit = one.stated.name, MemberLimit.of(one.demand.most_load)
    bad = one.curve.first_bad(limit)
    source = simulated.source
    return FleetMember(
        name=name,
        serves=one.demand.name,
        source=one.stated.scenario or ", ".join(one.stated.runs),
        modelled=source.given is not None,
        usable_tb=one.capacity.usable_bytes / TB,
        most_iops=one.capacity.most_iops,
        breaks_at_iops=None if bad is None else bad.load_iops,
        idle_w=one.curve.idle_w,
        failover=one.failover,
        usd=one.price.usd,
        embodied_kg=one.price.embodied_kg,
        unpriced=list(one.price.unpriced),
        drives=[
            FleetDrive(model=group.model, count=group.count, afr=list(group.afr), usd=group.usd)
            for group in one.price.drives
        ],
        in_rack=found.racks.in_one[name],
        units_hold=found.racks.by_units[name],
        cap_carries=found.racks.by_power[name],
        loss_by_age=None if one.loss_by_age is None else list(one.loss_by_age),
        points=[
            MemberLoadPoint(**vars(point) | {"within": limit.kept_by(point)}) for point in one.curve.points
        ],
    )


_YEAR_CELLS = ("watts", "kwh", "total_usd", "failures")


def flat_years(made: Fleet) -> tuple[list[str], list[list[Any]]]:
    """The years as a flat table: its head and its rows."""
    head: list[str] = []
    rows: list[list[Any]] = []
    for year in made.years:
        cells: dict[str, Any] = {"year": year.year, "starts": year.starts}
        for demand in year.demands:
            for key in ("stored_tb", "usable_tb", "fill", "load_iops"):
                cells[f"{demand.name}.{key}"] = getattr(demand, key)
        for one in year.classes:
            for key, value in one.as_dict().items():
                if key != "name":
                    cells[f"{one.name}.{key}"] = value
        for key in _YEAR_CELLS:
            figure = getattr(year, key)
            cells |= {key: figure.expected, f"{key}.low": figure.low, f"{key}.high": figure.high}
        cells |= {f"usd.{part}": usd for part, usd in year.usd.items()}
        for key in (
            "present_usd",
            "operational_kg",
            "embodied_kg",
            "spares_bought",
            "loss_probability",
            "peak_w",
            "racks",
            "rack_peak_w",
        ):
            cells[key] = getattr(year, key)
        head = list(cells)
        rows.append(list(cells.values()))
    return head, rows
