"""The parts of a path for readers: one line a part, and all that is known of one; as data and as text."""

from __future__ import annotations

from typing import Any, Final

from iowatt.base.keys import catalogue
from iowatt.base.units import format_duration
from iowatt.model.library import fabric_parts
from iowatt.model.library.describe import figure_text
from iowatt.model.library.fabric_parts import (
    AdapterFile,
    LinkFile,
    PartFile,
    SwitchFile,
)

LIST_SCHEMA: Final = "iowatt.fabric/1"
PART_SCHEMA: Final = "iowatt.fabric-part/1"
_ABOUT: Final = ("name", "kind", "title", "medium", "assumptions", "notes", "source")


def parts(kind: str | None = None) -> list[dict[str, Any]]:
    """The library's parts of one kind, or all: one row each."""
    return [summary(fabric_parts.part(name)) for name in fabric_parts.names(kind)]


def summary(part: PartFile) -> dict[str, Any]:
    """One part in one row; ``unverified``: figures that rest on memory or on an assumption."""
    media = part.medium if isinstance(part.medium, list) else [part.medium]
    weak = {"assumed", "common-knowledge"}
    return {
        "name": part.name,
        "kind": part.kind,
        "title": part.title,
        "media": media,
        "in_short": _in_short(part),
        "unverified": [one["figure"] for one in _figures(part) if one["quality"] in weak],
    }


def described(part: PartFile) -> dict[str, Any]:
    """All figures of one part with their sources."""
    return {
        "schema": PART_SCHEMA,
        **summary(part),
        "figures": _figures(part),
        "assumptions": part.assumptions,
        "notes": part.notes,
    }


def _figures(part: PartFile) -> list[dict[str, Any]]:
    keys = catalogue(type(part))
    found = []
    for name in type(part).model_fields:
        if name in _ABOUT or name not in part.model_fields_set:
            continue
        value, source = getattr(part, name), part.source_of(name)
        found.append(
            {
                "figure": name,
                "value": value,
                "unit": keys[name].unit,
                "text": _text(value, keys[name].unit),
                "meaning": keys[name].description,
                "quality": None if source is None else source.quality,
                "date": None if source is None else getattr(source, "date", None),
                "source": None if source is None else source.text,
            }
        )
    return found


def _text(value: Any, unit: str | None) -> str:
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)
    return f"{value:,} B" if unit == "bytes" else figure_text(value, unit)


def _in_short(part: PartFile) -> str:
    if isinstance(part, LinkFile):
        payload, wire = part.frame or 0, (part.frame or 0) + (part.overhead or 0)
        return f"{(part.rate or 0.0) / 1e6:,.6g} MB/s on the wire, frames of {payload:,} in {wire:,} B"
    if isinstance(part, SwitchFile):
        return f"{format_duration(part.latency or 0.0)}, {part.forwarding or 'cut-through'}"
    if isinstance(part, AdapterFile):
        said = []
        if part.iops is not None:
            said.append(f"{part.iops:,.0f} commands a second")
        if part.bandwidth is not None:
            said.append(f"{part.bandwidth / 1e6:,.6g} MB/s")
        if part.queue_depth is not None:
            said.append(f"{part.queue_depth} outstanding")
        return ", ".join(said)
    sizes = f"command {part.command}, ready {part.ready}, response {part.response} B"
    return sizes + (f", {format_duration(part.stack)} of software" if part.stack else "")


def table(rows: list[dict[str, Any]]) -> list[str]:
    """``parts`` as lines of text, the first one the heads."""
    heads = ("name", "kind", "goes over", "in short", "unverified")
    lines = [
        (
            row["name"],
            row["kind"],
            ", ".join(row["media"]),
            row["in_short"],
            ", ".join(row["unverified"]) or "-",
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(heads, *lines, strict=True)]
    return ["  ".join(map(str.ljust, line, widths)).rstrip() for line in (heads, *lines)]


def page(found: dict[str, Any]) -> list[str]:
    """``described`` as lines of text: figures with numbered sources, then remarks."""
    sources: dict[str, int] = {}
    rows = []
    for one in found["figures"]:
        number = sources.setdefault(f"{one['source']} ({one['date']})", len(sources) + 1)
        rows.append((one["figure"], one["text"], f"{one['quality']} [{number}]"))
    widths = [max((len(row[i]) for row in rows), default=0) for i in (0, 1)]
    lines = [f"{found['name']} ({found['kind']}): {found['title']}", ""]
    lines += [f"  {name:{widths[0]}}  {text:{widths[1]}}  {rest}" for name, text, rest in rows]
    sections = {
        "sources": [f"[{number}] {text}" for text, number in sources.items()],
        "assumptions": found["assumptions"],
        "notes": found["notes"],
    }
    for title, entries in sections.items():
        if entries:
            lines += ["", title, *(f"  {entry}" for entry in entries)]
    return lines
