"""A tariff of a record of OpenEI's Utility Rate Database (URDB, version 7 and the older names of fields).

Read is what is billed: energy, demand and coincident structures with their schedules, flat demand, ratchets
and look-back, fixed and minimum charges, fuel adjustments, the demand window, units. What a record says of
charges that are not billed here becomes a note. Source of the fields' meaning: the database's description
of its API, https://openei.org/services/doc/rest/util_rates/?version=7.

The object ``iowatt`` beside the fields is ours: ``source``, ``date``, ``verified``, ``notes``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import PurePath
from typing import Final, Literal

from iowatt.base.errors import InputError
from iowatt.tariffs.fields import LARGEST, Fields, shown
from iowatt.tariffs.structure import FixedCharge, Ratchet, Tariff
from iowatt.tariffs.urdb_structures import (
    MONTHS,
    SAY_NEGATIVE,
    coincident,
    demand,
    energy,
    flat_demand,
    kw_of,
)

_WINDOW_MIN: Final = 15.0
_HOUR_MIN: Final = 60
_LONGEST_LOOKBACK: Final = 12
#: Until the year 9999, in seconds since 1970.
_LATEST_S: Final = 253_402_300_799.0
_PER: Final[Mapping[str, Literal["day", "month", "year"]]] = {
    "$/day": "day", "$/month": "month", "$/year": "year",
}  # fmt: skip
#: Names of the fields in the database's export, where they differ from those of its API; in lower case.
_EXPORTED: Final[Mapping[str, str]] = {
    "mindemand": "peakkwcapacitymin", "maxdemand": "peakkwcapacitymax",
    "minenergy": "peakkwhusagemin", "maxenergy": "peakkwhusagemax", "flatdemandunits": "flatdemandunit",
    "demandrateunits": "demandrateunit", "coincidentrateunits": "coincidentrateunit",
    "demandratchetpct": "demandratchetpercentage", "demandreactpwrcharge": "demandreactivepowercharge",
    "coincidentsched": "coincidentrateschedule", "sourcereference": "source",
}  # fmt: skip
#: Where a record may say that a negative rate is meant.
_COMMENTS: Final = ("energycomments", "demandcomments", "basicinformationcomments", "description")
_MEANT: Final = ("negative", "credit")


def parse(document: object, where: str, *, key: str | None = None) -> Tariff:
    """The tariff of a record, or of the API's ``{"items": [record]}``.

    Parameters
    ----------
    document:
        What ``json.loads`` gave.
    where:
        The file, for messages.
    key:
        What the tariff is called; left out, the file's name without its ending.

    Raises ``InputError``: something of it cannot be billed, with the place, such as
    ``energyweekdayschedule[3][7]``.
    """
    record = _record(document, where)
    ours = Fields.of(record.values.get("iowatt", {}), where, record.prefix + "iowatt.")
    notes = ours.texts("notes")
    comments = [record.text(name) for name in _COMMENTS]
    meant = any(word in text.lower() for text in (*notes, *comments) for word in _MEANT)
    tariff = Tariff(
        key=key or PurePath(where).stem,
        name=record.text("name") or record.text("label") or PurePath(where).stem,
        utility=record.text("utility"),
        source=ours.text("source") or record.text("source") or record.text("uri"),
        effective=_effective(record),
        verified=ours.flag("verified") if "verified" in ours else record.flag("approved"),
        energy=energy(record, negative=meant),
        demand=demand(record, negative=meant),
        flat_demand=flat_demand(record, negative=meant),
        coincident=coincident(record, negative=meant),
        ratchet=_ratchet(record),
        demand_window_s=_window_s(record),
        fixed=tuple(_fixed(record)),
        minimum=tuple(_minimum(record)),
        fuel=_fuel(record, negative=meant),
        applicable_kw=_applicable_kw(record),
        applicable_kwh=_range(record, "peakkwhusagemin", "peakkwhusagemax"),
        date=_date(ours, "date"),
        country=record.text("country"),
        notes=(*notes, *_not_billed(record)),
    )
    charges = (tariff.energy, tariff.demand, tariff.flat_demand, tariff.coincident)
    if not any(charges) and not tariff.fixed and not tariff.minimum and not any(tariff.fuel):
        message = "this tariff charges nothing"
        raise InputError("empty", where, message, hint="a record of URDB has energyratestructure or the like")
    return tariff


def _record(document: object, where: str) -> Fields:
    fields = Fields.of(document, where)
    items = fields.rows("items")
    if items is None:
        return _named(fields)
    if len(items) != 1:
        raise fields.wrong(
            "ambiguous" if items else "empty",
            "items",
            f"there are {len(items)} tariffs; expected one",
            "keep the record of one of them",
        )
    return _named(Fields.of(items[0], where, "items[0]."))


def _named(record: Fields) -> Fields:
    """The record with its fields by the names that the API has, whichever it had."""
    values = {_EXPORTED.get(key, key): value for key, value in record.values.items()}
    return replace(record, values=values | {k: v for k, v in record.values.items() if k not in _EXPORTED})


def _effective(record: Fields) -> tuple[str | None, str | None]:
    """From and until."""
    began, ended = _date(record, "startdate"), _date(record, "enddate")
    if began is not None and ended is not None and ended < began:
        raise record.wrong("conflict", "enddate", f"{ended} is before the startdate, {began}")
    return began, ended


def _date(fields: Fields, key: str) -> str | None:
    """Seconds since 1970, or an ISO 8601 date, as such a date."""
    value = fields.values.get(key)
    if isinstance(value, Mapping):  # as the database's export has it
        value = value.get("$date")
    if value is None or value == "":
        return None
    if isinstance(value, str):
        try:
            return date.fromisoformat(value[:10]).isoformat()
        except ValueError:
            raise fields.wrong(
                "bad-syntax", key, f"{shown(value)} is not a date; expected 2026-01-31"
            ) from None
    seconds = fields.measure(value, key, -_LATEST_S / 10, _LATEST_S)
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _window_s(record: Fields) -> float:
    minutes = record.number("demandwindow", _WINDOW_MIN) or _WINDOW_MIN
    if minutes != int(minutes) or minutes < 1 or _HOUR_MIN % minutes:
        message = f"{minutes:g} minutes do not divide an hour; expected 1 to 60, such as 15, 30, 60"
        raise record.wrong("not-accepted", "demandwindow", message)
    return minutes * 60.0


def _ratchet(record: Fields) -> Ratchet:
    shares = record.numbers("demandratchetpercentage", MONTHS, low=0.0, high=1.0)
    lookback = record.number("lookbackpercent", 0.0, low=0.0, high=1.0) or 0.0
    months = record.number("lookbackrange", 0.0, low=0.0, high=_LONGEST_LOOKBACK) or 0.0
    if months != int(months):
        raise record.wrong("not-accepted", "lookbackrange", f"{months:g} is not a whole number of months")
    flags = _flags(record)
    if lookback and not months and not any(flags):
        raise record.wrong(
            "missing", "lookbackpercent", "it applies to no month", "set lookbackrange or lookbackmonths"
        )
    if months and any(flags):
        raise record.wrong(
            "conflict", "lookbackmonths", "lookbackrange names months, too; expected one of the two"
        )
    return Ratchet(
        shares=tuple(shares) if shares else (0.0,) * MONTHS,
        lookback_months=int(months) if lookback else 0,
        lookback_share=lookback,
        lookback_flags=flags if lookback and any(flags) else None,
    )


def _flags(record: Fields) -> tuple[bool, ...]:
    rows = record.rows("lookbackmonths") or ()
    if len(rows) not in (0, MONTHS):
        raise record.wrong(
            "wrong-type", "lookbackmonths", f"there are {len(rows)} values; expected 12, one for each month"
        )
    for month, value in enumerate(rows):
        if value not in (0, 1):
            raise record.wrong(
                "not-accepted", f"lookbackmonths[{month}]", f"{shown(value)} is neither 0 nor 1"
            )
    return tuple(bool(value) for value in rows)


def _per(record: Fields, key: str, default: str) -> Literal["day", "month", "year"]:
    unit = record.text(key, default) or default
    if unit not in _PER:
        raise record.wrong("not-accepted", key, f"{unit!r} is not a unit; expected {', '.join(_PER)}")
    return _PER[unit]


def _fixed(record: Fields) -> Iterator[FixedCharge]:
    per = _per(record, "fixedchargeunits", "$/month")
    usd = record.number("fixedchargefirstmeter", low=0.0)
    if not usd:
        usd, per = record.number("fixedmonthlycharge", low=0.0), "month"
    if usd:
        yield FixedCharge(usd, per)


def _minimum(record: Fields) -> Iterator[FixedCharge]:
    per = _per(record, "minchargeunits", "$/month")
    usd = record.number("mincharge", low=0.0)
    if usd:
        yield FixedCharge(usd, per)
    monthly = record.number("minmonthlycharge", low=0.0)
    if monthly and not usd:
        yield FixedCharge(monthly, "month")
    yearly = record.number("annualmincharge", low=0.0)
    if yearly:
        yield FixedCharge(yearly, "year")


def _fuel(record: Fields, *, negative: bool) -> tuple[float, ...]:
    fuel = record.numbers("fueladjustmentsmonthly", MONTHS) or [0.0] * MONTHS
    for month, rate in enumerate(fuel):
        if rate < 0 and not negative:
            raise record.wrong(
                "out-of-range", f"fueladjustmentsmonthly[{month}]", f"{rate:g} is negative", SAY_NEGATIVE
            )
    return tuple(fuel)


def _range(record: Fields, low: str, high: str) -> tuple[float | None, float | None]:
    return record.number(low, low=0.0) or None, record.number(high, low=0.0, high=1e300) or None


def _applicable_kw(record: Fields) -> tuple[float | None, float | None]:
    kw = kw_of(record, "demandunits")[0]
    low, high = _range(record, "peakkwcapacitymin", "peakkwcapacitymax")
    return low and low * kw, None if high is None or high >= LARGEST else high * kw


def _not_billed(record: Fields) -> Iterator[str]:
    reactive = record.number("demandreactivepowercharge")
    if reactive:
        yield f"not billed: reactive power, ${reactive:g}/kVAR"
    further = record.number("fixedchargeeaaddl")
    if further:
        yield f"not billed: further meters, ${further:g} each"
    if record.number("fixedchargefirstmeter") and record.number("fixedmonthlycharge"):
        yield "fixedchargefirstmeter is billed, fixedmonthlycharge is the same by its older name"
    for name in ("energyattrs", "demandattrs", "fixedattrs"):
        if record.values.get(name):
            yield f"not billed: {name} of the record (riders, discounts)"
    for name in ("flatdemandunit", "demandrateunit", "coincidentrateunit"):
        if record.text(name).startswith("kVA"):
            yield f"{name} is kVA: billed as kW, a power factor of 1"
