"""The load that ``iowatt tariff bill`` bills: a constant power, a meter's series or a Run, and its bill."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.base.units import parse_power
from iowatt.lenses.cost import START
from iowatt.tariffs import result
from iowatt.tariffs.bill import MONTHS_A_YEAR, bill, incremental_items
from iowatt.tariffs.load import ElectricLoad, read_load
from iowatt.tariffs.result import BillDocument
from iowatt.tariffs.structure import Tariff

#: The start of a load that states none.
FIRST: Final = datetime.fromisoformat(START)
_LAST_DAY_EVERYWHERE: Final = 28
_MOST_MONTHS: Final = 200 * MONTHS_A_YEAR
_YEAR_S: Final = 366 * 86_400.0
_MOST_S: Final = 200 * _YEAR_S


@dataclass(frozen=True)
class LoadToBill:
    """A load, its start, and its name."""

    load: ElectricLoad
    start: datetime
    title: str


def find_load(text: str, start: str | None, months: int | None) -> LoadToBill:
    """The load of ``350W`` or ``5kW``, of a CSV file (time,watts) or of a Run's folder.

    Parameters
    ----------
    start:
        A local date, or date and time; by default the file's own, or ``FIRST``.
    months:
        Calendar months that it is repeated for, end to end. Where none are given, a constant power lasts a
        year, and all else as long as it is.

    Raises
    ------
    InputError
        It is none of these; a part of the Run's power is not known; the file or the date is wrong.
    """
    begins = None if start is None else _date(start)
    path = Path(text)
    if path.suffix.lower() == ".csv":
        load, own = read_load(path)
        title = path.name
    elif _is_folder(path):
        load, own, title = _of_run(path), None, path.resolve().name
    else:
        load, own, title = _constant(text), None, text.strip()
        months = months or MONTHS_A_YEAR
    begins = begins or own or FIRST
    if months is not None:
        seconds = (_later(begins, months) - begins).total_seconds()
        load = load.repeated(seconds / load.duration_s)
    if load.duration_s > _MOST_S:
        raise InputError(
            "out-of-range",
            Argument("load", text),
            f"lasts {load.duration_s / _YEAR_S:,.6g} years; expected 200 at most",
        )
    return LoadToBill(load, begins, title)


def billed(tariff: Tariff, load: LoadToBill, site_watts: float = 0.0) -> BillDocument:
    """The bill of a load, or of what it adds to a site's bill."""
    alone = bill(tariff, load.load, load.start)
    if not site_watts:
        return result.bill_document(alone, said=load.title)
    together = bill(tariff, load.load.plus(site_watts), load.start)
    items = incremental_items(tariff, load.load, site_watts, load.start)
    alone = replace(alone, notes=together.notes)
    return result.bill_document(alone, items, said=load.title, site_kw=site_watts / 1000.0)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a name too long for any
        return False


def _of_run(path: Path) -> ElectricLoad:
    from iowatt.lenses.cost.systems import power_over_time
    from iowatt.run.bundle import Run

    return power_over_time(Run.open(path), str(path))


def _constant(text: str) -> ElectricLoad:
    try:
        watts = parse_power(text)
    except ValueError:
        raise InputError(
            "bad-syntax",
            Argument("load"),
            f"{text[:80]!r} is not a load; expected a power such as 350W or 5kW, a CSV file of time,watts "
            "(PATH.csv) or the folder of a Run",
        ) from None
    return ElectricLoad.constant(watts, 1.0)


def _date(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            "bad-syntax",
            Argument("start"),
            f"{text[:40]!r} is not a date; expected 2026-01-31 or 2026-01-31T08:00",
        ) from None
    if found.tzinfo is not None:
        raise InputError(
            "not-accepted",
            Argument("start"),
            f"{text[:40]!r} has a time zone; expected local time, as the hours of a tariff are",
        )
    return found


def _later(start: datetime, months: int) -> datetime:
    """So many calendar months on; a day that the month has not becomes its last one."""
    if not 0 < months <= _MOST_MONTHS:
        raise InputError(
            "out-of-range",
            Argument("months"),
            f"{months} months are not accepted; expected 1 to {_MOST_MONTHS}",
        )
    count = start.year * MONTHS_A_YEAR + start.month - 1 + months
    year, month = divmod(count, MONTHS_A_YEAR)
    for day in range(start.day, min(start.day, _LAST_DAY_EVERYWHERE) - 1, -1):
        try:
            return start.replace(year=year, month=month + 1, day=day)
        except ValueError:  # the day, or the year
            continue
    raise InputError("out-of-range", Argument("start"), "the bill would end after the year 9999")
