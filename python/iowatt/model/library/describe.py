"""The library for readers: what the figures of a device suffice for, a row for each, and all about one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pydantic import BaseModel

from iowatt.base.keys import Key, catalogue
from iowatt.base.units import format_bytes, format_duration
from iowatt.model.library import derive
from iowatt.model.library.class_rules import complete
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.evidence import BARS, Evidence, device_evidence
from iowatt.model.library.find import device_file, device_names
from iowatt.model.library.result import (
    CheckedError,
    DerivedFigure,
    DeviceDescription,
    DeviceFigure,
    DeviceList,
    DeviceListing,
)
from iowatt.model.library.ssd import derive as ssd
from iowatt.model.library.ssd import joules

_WATTS: Final = ("active", "positioning", "idle")
ON_SALE_SINCE: Final = 2018
"""Drives that came out earlier are taken as no longer sold, whether or not their file says so."""
_SPIN_DOWN: Final = ("standby", "spin_up", "spin_down", "spin_up_time", "spin_down_time")


def missing_figures(file: DeviceFile) -> dict[str, list[str]]:
    """Key paths that are missing for each purpose that applies to the kind of device.

    ``mechanics``: response times. ``power``: joules of work and idling. ``simulation``: both. ``spin-down``:
    also what stopping costs. ``price``: what one cost. What the rules of its class supply is not missing.
    """
    file = complete(file, derive.Steps())
    price = [] if file.price.usd is not None else ["price.usd"]
    if file.kind == "ssd":
        idle = [] if file.usable_watts("idle") is not None else ["power.idle"]
        works = joules.work(file, derive.Steps()).sequential_write is not None
        times, watts = ssd.missing_figures(file), idle + ([] if works else ["power.active"])
        return {"simulation": [*times, *watts], "mechanics": times, "power": watts, "price": price}
    states = derive.state_watts(file)
    watts, stopping = (
        [f"power.{name}" for name in names if getattr(states, name) is None] for names in (_WATTS, _SPIN_DOWN)
    )
    times = derive.missing_mechanics(file)
    return {
        "simulation": [*times, *watts],
        "mechanics": times,
        "power": watts,
        "spin-down": stopping,
        "price": price,
    }


def good_for(file: DeviceFile) -> list[str]:
    """The purposes for which nothing is missing."""
    return [purpose for purpose, missing in missing_figures(file).items() if not missing]


def file_ratings(file: DeviceFile) -> tuple[dict[str, float], tuple[str, ...]]:
    """What a device is rated to last, and notes on what was derived or assumed; simulated or not.

    Of a disk :meth:`iowatt.model.library.device.Endurance.ratings`; of an SSD ``bytes_written``, what hosts
    may write (``tbw``, else ``dwpd`` over the warranty), and ``pe_cycles``.
    """
    if file.kind == "hdd":
        return file.endurance.ratings(), ()
    steps = derive.Steps()
    ratings = ssd.wear(file, steps).ratings()
    return ratings, tuple(f"{file.name}: {text}" for text in steps.notes())


def list_devices(
    kind: str | None = None, needs: Sequence[str] = (), since: int | None = None, *, buyable: bool = False
) -> DeviceList:
    """The library's devices that satisfy all that is asked.

    ``needs`` are purposes that they must be good for, ``since`` is the earliest year in which they came out.
    ``buyable`` leaves out stand-ins and what is discontinued or came out before ``ON_SALE_SINCE``.
    """
    files = [device_file(name) for name in device_names()]
    return DeviceList(
        devices=[
            DeviceListing(**_summary(file, device_evidence(file.name)))
            for file in files
            if (kind is None or file.kind == kind)
            and (since is None or (file.year or 0) >= since)
            and (not buyable or is_buyable(file))
            and (not needs or set(needs) <= set(good_for(file)))
        ]
    )


def is_buyable(file: DeviceFile) -> bool:
    """Whether a drive can be ordered new, as far as its file says."""
    on_sale = file.year is not None and file.year >= ON_SALE_SINCE and file.discontinued is None
    return on_sale and file.stand_in is None


def describe_device(file: DeviceFile) -> DeviceDescription:
    """All figures of one device with their sources, what follows from them, and what is missing for what."""
    keys = catalogue(DeviceFile)
    checked = _evidence(file)
    steps = derive.Steps()
    whole = complete(file, steps)
    if file.kind == "hdd":
        derive.mechanics(whole, steps)
        derive.state_watts(whole, steps)
    elif ssd.missing_figures(whole):
        ssd.watts(whole, steps)
    else:
        ssd.make(whole, steps)
    return DeviceDescription(
        **_summary(file, checked),
        vendor=file.vendor,
        based_on=file.based_on,
        stand_in=file.stand_in,
        figures=[_figure(file, path, value, keys[path]) for path, value in file.figures().items()],
        derived=[
            DerivedFigure(
                figure=step.figure,
                value=step.value,
                unit=keys[step.figure].unit,
                text=step.text,
                quality=step.quality,
                rule=step.rule,
            )
            for step in steps.taken
        ],
        checked=[
            CheckedError(figure=figure, bar=BARS[figure], **vars(errors))
            for figure, errors in checked.errors.items()
        ],
        missing={purpose: missing for purpose, missing in missing_figures(file).items() if missing},
        assumptions=file.assumptions,
        notes=file.notes,
    )


def _evidence(file: DeviceFile) -> Evidence:
    """The evidence for a file's device; a file of one's own has none, whatever its name."""
    of_library = file.name in device_names() and device_file(file.name) == file
    return device_evidence(file.name) if of_library else Evidence(file.name, "sheet only")


def _summary(file: DeviceFile, checked: Evidence) -> dict[str, Any]:
    missing = missing_figures(file)
    by: str | None = None
    if not missing["mechanics"]:
        flash = file.kind == "ssd" and ssd.why_not_flash(file) is None
        by = "mechanics" if file.kind == "hdd" else "flash" if flash else "data sheet"
    return {
        "name": file.name,
        "kind": file.kind,
        "title": file.title,
        "year": file.year,
        "capacity_bytes": file.capacity,
        "rpm": file.rpm,
        "idle_w": file.power.idle,
        "price_usd": file.price.usd,
        "power_grade": file.grade(),
        "simulated_by": by,
        "simulated_for": [] if by is None else ["time"] if missing["power"] else ["time", "energy"],
        "good_for": [purpose for purpose, keys in missing.items() if not keys],
        "evidence": checked.grade,
        "trusted_for": list(checked.trusted_for),
    }


def _figure(file: DeviceFile, path: str, value: Any, key: Key) -> DeviceFigure:
    source = file.source_of(path)
    about = ("quality", "grade", "basis", "caution", "text")
    quality, grade, basis, caution, text = (source and getattr(source, name) for name in about)
    return DeviceFigure(
        figure=path,
        value=[_plain(part) for part in value] if isinstance(value, list | tuple) else _plain(value),
        unit=key.unit,
        text=figure_text(value, key.unit),
        meaning=key.description,
        quality=quality,
        grade=grade,
        basis=basis,
        caution=caution,
        source=text,
    )


def _plain(part: Any) -> Any:
    return part.model_dump(exclude_unset=True) if isinstance(part, BaseModel) else part


def figure_text(value: Any, unit: str | None) -> str:
    """A figure in the unit in which people read it."""
    if isinstance(value, list):
        return f"{len(value)} entries"
    if isinstance(value, tuple):
        return ", ".join(figure_text(part, unit) for part in value)
    if isinstance(value, BaseModel):
        return ", ".join(f"{name} {part}" for name, part in value.model_dump(exclude_unset=True).items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _number_text(value, unit)


def _number_text(value: Any, unit: str | None) -> str:
    if unit == "bytes":
        return format_bytes(value)
    if unit == "bytes/s":
        return f"{value / 1e6:g} MB/s"
    if unit == "s":
        return f"-{format_duration(-value)}" if value < 0 else format_duration(value)
    text = f"{value:,.10g}" if isinstance(value, int | float) and unit is not None else str(value)
    return f"{text} {unit}" if unit and unit not in ("USD", "1/s", "1/d") else text
