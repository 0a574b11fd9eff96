"""Periods, tiers and schedules of a record of URDB, with the place of all that is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, get_args

from iowatt.tariffs.fields import Fields
from iowatt.tariffs.structure import EnergyUnit, FlatDemand, Schedule, TariffTier, Tiers, TimeOfUse

MONTHS: Final = 12
_HOURS: Final = 24
_ENERGY_UNITS: Final[tuple[EnergyUnit, ...]] = get_args(EnergyUnit)
#: Mechanical horsepower, 550 ft lbf/s.
_KW_PER_HP: Final = 0.745_699_871_582_270_22
_KW_OF_UNIT: Final = {"kW": 1.0, "kVA": 1.0, "hp": _KW_PER_HP}
_DAILY: Final = " daily"
#: The database writes the end of the last tier as 1e38 where it has none.
_ENDLESS: Final = 1e30
_LARGEST_RATE: Final = 1e6
SAY_NEGATIVE: Final = (
    'where that is meant, say "negative" or "credit" in iowatt.notes or in a comment of the record'
)


@dataclass(frozen=True)
class _StructureKeys:
    """Keys of a structure, its schedules and its unit ("" for energy, whose tiers have units)."""

    structure: str
    weekdays: str
    weekends: str
    unit: str = ""


_ENERGY: Final = _StructureKeys("energyratestructure", "energyweekdayschedule", "energyweekendschedule")
_DEMAND: Final = _StructureKeys(
    "demandratestructure", "demandweekdayschedule", "demandweekendschedule", "demandrateunit"
)
_COINCIDENT: Final = _StructureKeys(
    "coincidentratestructure", "coincidentrateschedule", "coincidentrateschedule", "coincidentrateunit"
)
_FLAT: Final = _StructureKeys("flatdemandstructure", "flatdemandmonths", "flatdemandmonths", "flatdemandunit")


def energy(record: Fields, *, negative: bool) -> TimeOfUse | None:
    """The energy charge, in $/kWh; ``negative`` rates are refused unless the record says they are meant."""
    return _time_of_use(record, _ENERGY, negative=negative)


def demand(record: Fields, *, negative: bool) -> TimeOfUse | None:
    """The demand charge by time of use, in $/kW."""
    return _time_of_use(record, _DEMAND, negative=negative)


def coincident(record: Fields, *, negative: bool) -> TimeOfUse | None:
    """The charge of demand while the grid peaks: one schedule for all days, in $/kW."""
    return _time_of_use(record, _COINCIDENT, negative=negative)


def flat_demand(record: Fields, *, negative: bool) -> FlatDemand | None:
    """The charge of demand at any time, in $/kW."""
    names = _FLAT
    periods = _periods(record, names, negative=negative)
    rows = record.rows("flatdemandmonths")
    if not periods:
        _refuse_schedules(record, names)
        return None
    if rows is None:
        if len(periods) > 1:
            raise record.wrong(
                "missing", "flatdemandmonths", "it is needed: flatdemandstructure has several periods"
            )
        rows = [0] * MONTHS
    if len(rows) != MONTHS:
        raise record.wrong(
            "wrong-type", "flatdemandmonths", f"there are {len(rows)} values; expected 12, one for each month"
        )
    months = tuple(
        record.index(value, f"flatdemandmonths[{month}]", len(periods), names.structure)
        for month, value in enumerate(rows)
    )
    return FlatDemand(periods, months, kw_of(record, names.unit)[1])


def kw_of(record: Fields, key: str) -> tuple[float, bool]:
    """What one of the unit at ``key`` is in kW, and whether it is counted by the day. kVA count as kW."""
    unit = record.text(key, "kW") or "kW"
    kind = unit.removesuffix(_DAILY)
    if kind not in _KW_OF_UNIT:
        known = [name + end for end in ("", _DAILY) for name in _KW_OF_UNIT]
        raise record.wrong(
            "not-accepted", key, f"{unit!r} is not a unit of demand; expected {', '.join(known)}"
        )
    return _KW_OF_UNIT[kind], unit != kind


def _time_of_use(record: Fields, names: _StructureKeys, *, negative: bool) -> TimeOfUse | None:
    periods = _periods(record, names, negative=negative)
    if not periods:
        _refuse_schedules(record, names)
        return None
    schedules = [
        _schedule(record, name, len(periods), names.structure) for name in (names.weekdays, names.weekends)
    ]
    return TimeOfUse(periods, schedules[0], schedules[1], bool(names.unit) and kw_of(record, names.unit)[1])


def _refuse_schedules(record: Fields, names: _StructureKeys) -> None:
    """A schedule of periods that are not there is an error; one of zeros, as editors leave it, is none."""
    for name in (names.weekdays, names.weekends):
        rows = record.rows(name)
        if rows and any(
            value not in (0, []) for row in rows for value in (row if isinstance(row, list) else [row])
        ):
            raise record.wrong("not-applicable", name, f"there is no {names.structure} that it applies to")


def _schedule(record: Fields, name: str, periods: int, structure: str) -> Schedule:
    rows = record.rows(name)
    if rows is None:
        if periods > 1:
            raise record.wrong("missing", name, f"it is needed: {structure} has several periods")
        return ((0,) * _HOURS,) * MONTHS
    if len(rows) != MONTHS:
        raise record.wrong(
            "wrong-type", name, f"there are {len(rows)} rows; expected 12 of 24, a row for each month"
        )
    found = []
    for month, row in enumerate(rows):
        place = f"{name}[{month}]"
        hours = record.listed(row, place)
        if len(hours) != _HOURS:
            raise record.wrong(
                "wrong-type", place, f"there are {len(hours)} values; expected 24, one for each hour"
            )
        found.append(
            tuple(
                record.index(value, f"{place}[{hour}]", periods, structure)
                for hour, value in enumerate(hours)
            )
        )
    return tuple(found)


def _periods(record: Fields, names: _StructureKeys, *, negative: bool) -> tuple[Tiers, ...]:
    rows = record.rows(names.structure) or ()
    kw = kw_of(record, names.unit)[0] if names.unit else 1.0
    found = []
    for period, row in enumerate(rows):
        place = f"{names.structure}[{period}]"
        listed = record.listed(row, place)
        if not listed:
            raise record.wrong("empty", place, "there is no tier; expected at least one")
        tiers = []
        for index, tier in enumerate(listed):
            fields = Fields.of(tier, record.where, f"{record.prefix}{place}[{index}].")
            last = index == len(listed) - 1
            tiers.append(_tier(fields, kw, last=last, of_energy=not names.unit, negative=negative))
        _refuse_disorder(record, place, tiers)
        found.append(tuple(tiers))
    return tuple(found)


def _tier(fields: Fields, kw: float, *, last: bool, of_energy: bool, negative: bool) -> TariffTier:
    rate = fields.number("rate", 0.0, low=-_LARGEST_RATE, high=_LARGEST_RATE) or 0.0
    adjustment = fields.number("adj", 0.0, low=-_LARGEST_RATE, high=_LARGEST_RATE) or 0.0
    if (rate < 0 or rate + adjustment < 0) and not negative:
        name = "rate" if rate < 0 else "adj"
        said = f"{rate:g} is negative" if rate < 0 else f"{rate:g} + {adjustment:g} is negative"
        raise fields.wrong("out-of-range", name, said, SAY_NEGATIVE)
    limit = fields.number("max", low=0.0, high=1e300)
    if limit is not None and (limit >= _ENDLESS or (last and limit == 0.0)):
        limit = None
    if limit == 0.0:
        raise fields.wrong("out-of-range", "max", "0 ends the tier where it begins; expected more")
    if limit is None and not last:
        raise fields.wrong("missing", "max", "it is needed: only the last tier has no end")
    unit = fields.text("unit", "kWh") or "kWh"
    if of_energy and unit not in _ENERGY_UNITS:
        raise fields.wrong(
            "not-accepted", "unit", f"{unit!r} is not a unit of energy; expected {', '.join(_ENERGY_UNITS)}"
        )
    return TariffTier(
        rate / kw, adjustment / kw, None if limit is None else limit * kw,
        fields.number("sell", low=0.0, high=_LARGEST_RATE) if of_energy else None,
        _energy_unit(unit) if of_energy else "kWh",
    )  # fmt: skip


def _energy_unit(text: str) -> EnergyUnit:
    return next(unit for unit in _ENERGY_UNITS if unit == text)


def _refuse_disorder(record: Fields, place: str, tiers: Sequence[TariffTier]) -> None:
    below: dict[str, float] = {}
    for index, tier in enumerate(tiers):
        if tier.limit is None:
            continue
        if tier.limit <= below.get(tier.unit, 0.0):
            message = f"{tier.limit:g} is not above the tier before, {below[tier.unit]:g}"
            raise record.wrong("out-of-order", f"{place}[{index}].max", message)
        below[tier.unit] = tier.limit
