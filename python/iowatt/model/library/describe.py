"""The library for readers: one line a device, and all that is known of one; as data and as text."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel

from iowatt.base.keys import Key, catalogue
from iowatt.base.units import format_bytes, format_duration
from iowatt.model.library import derive, uses
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.find import device_file, device_names
from iowatt.model.library.ssd import derive as ssd

LIST_SCHEMA: Final = "iowatt.devices/1"
DEVICE_SCHEMA: Final = "iowatt.device/1"


def devices(kind: str | None = None, needs: str | None = None) -> list[dict[str, Any]]:
    """The library's devices of one kind that are good for one purpose; None asks for all."""
    files = [device_file(name) for name in device_names()]
    return [
        summary(file)
        for file in files
        if (kind is None or file.kind == kind) and (needs is None or needs in uses.good_for(file))
    ]


def summary(file: DeviceFile) -> dict[str, Any]:
    """One device in one row; figures in SI units, None where not known."""
    return {
        "name": file.name,
        "kind": file.kind,
        "title": file.title,
        "capacity_bytes": file.capacity,
        "rpm": file.rpm,
        "idle_w": file.power.idle,
        "price_usd": file.price.usd,
        "power_grade": file.grade(),
        "simulated_by": simulated_by(file),
        "simulated_for": simulated_for(file),
        "good_for": uses.good_for(file),
    }


def simulated_by(file: DeviceFile) -> str | None:
    """What stands for the device: its mechanics, its flash, its data sheet alone; None where nothing can."""
    if uses.lacks(file)["mechanics"]:
        return None
    if file.kind == "hdd":
        return "mechanics"
    return "flash" if ssd.why_not_flash(file) is None else "data sheet"


def simulated_for(file: DeviceFile) -> list[str]:
    """What a simulation tells: ``time``, and ``energy`` where watts are known; nothing without mechanics."""
    lacking = uses.lacks(file)
    if lacking["mechanics"]:
        return []
    return ["time"] if lacking["power"] else ["time", "energy"]


def device(file: DeviceFile) -> dict[str, Any]:
    """All figures of one device with their sources, what follows from them, and what is missing for what."""
    keys = catalogue(DeviceFile)
    steps = derive.Steps()
    if file.kind == "hdd":
        derive.mechanics(file, steps)
        derive.power(file, steps)
    elif ssd.missing(file):
        ssd.watts(file, steps)
    else:
        ssd.make(file, steps)
    return {
        "schema": DEVICE_SCHEMA,
        **summary(file),
        "vendor": file.vendor,
        "based_on": file.based_on,
        "stand_in": file.stand_in,
        "figures": [_figure(file, path, value, keys[path]) for path, value in file.figures().items()],
        "derived": [
            {
                "figure": step.figure,
                "value": step.value,
                "unit": keys[step.figure].unit,
                "text": step.text,
                "quality": step.quality,
                "rule": step.rule,
            }
            for step in steps.taken
        ],
        "missing": {purpose: missing for purpose, missing in uses.lacks(file).items() if missing},
        "assumptions": file.assumptions,
        "notes": file.notes,
    }


def _figure(file: DeviceFile, path: str, value: Any, key: Key) -> dict[str, Any]:
    source = file.source_of(path)
    return {
        "figure": path,
        "value": [_plain(part) for part in value] if isinstance(value, list | tuple) else _plain(value),
        "unit": key.unit,
        "text": figure_text(value, key.unit),
        "meaning": key.description,
        "quality": source.quality if source else None,
        "grade": source.grade if source else None,
        "basis": source.basis if source else None,
        "caution": source.caution if source else None,
        "source": source.text if source else None,
    }


def _plain(part: Any) -> Any:
    return part.model_dump(exclude_unset=True) if isinstance(part, BaseModel) else part


def figure_text(value: Any, unit: str | None) -> str:
    """A figure for people."""
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


def table(summaries: list[dict[str, Any]]) -> list[str]:
    """``devices`` as lines of text, the first one the heads."""
    heads = ("name", "kind", "capacity", "rpm", "idle W", "grade", "USD", "model", "good for")
    rows = [
        (
            found["name"],
            found["kind"],
            format_bytes(found["capacity_bytes"]) if found["capacity_bytes"] else "-",
            _number(found["rpm"]),
            _number(found["idle_w"]),
            found["power_grade"],
            _number(found["price_usd"]),
            _model(found),
            ", ".join(found["good_for"]) or "-",
        )
        for found in summaries
    ]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in (heads, *rows)]


_PURPOSES: Final = {"simulation": "simulation of time and energy"}


def _model(found: dict[str, Any]) -> str:
    by = found["simulated_by"]
    return "-" if by is None else by if "energy" in found["simulated_for"] else f"{by}, time only"


def page(found: dict[str, Any]) -> list[str]:
    """``device`` as lines of text: figures with numbered sources, then what follows and what is missing."""
    sources: dict[str, int] = {}
    figures = []
    for figure in found["figures"]:
        text = figure["source"] or "no source"
        number = sources.setdefault(text, len(sources) + 1)
        grade = f", grade {figure['grade']}" if figure["grade"] else ""
        warning = f"  NOT FOR WORK: {figure['caution']}" if figure["caution"] else ""
        figures.append((figure["figure"], figure["text"], f"{figure['quality']}{grade} [{number}]{warning}"))
    widths = [max((len(row[i]) for row in figures), default=0) for i in (0, 1)]
    lines = [f"{found['name']} ({found['kind']}): {found['title']}"]
    if found["stand_in"]:
        lines.append(f"a stand-in: {found['stand_in']}")
    lines += ["", *(f"  {name:{widths[0]}}  {text:{widths[1]}}  {rest}" for name, text, rest in figures)]
    derived = [f"{d['figure']} = {d['text']}, {d['quality']}: {d['rule']}" for d in found["derived"]]
    bases = {f["basis"]: None for f in found["figures"] if f["basis"]}
    sections = {
        "sources": [f"[{number}] {text}" for text, number in sources.items()],
        "what a watt means": list(bases),
        "derived or assumed where a scenario uses it": derived,
        "assumptions": found["assumptions"],
        "notes": found["notes"],
        "missing": [
            f"for {_PURPOSES.get(purpose, purpose)}: {', '.join(keys)}"
            for purpose, keys in found["missing"].items()
        ],
    }
    for title, entries in sections.items():
        if entries:
            lines += ["", title, *(f"  {entry}" for entry in entries)]
    simulated = " and ".join(found["simulated_for"]) or "nothing"
    lines += ["", f"a simulation tells: {simulated}{' only' if simulated == 'time' else ''}"]
    return [*lines, f"good for: {', '.join(found['good_for']) or 'its figures only'}"]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"
