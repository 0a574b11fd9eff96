"""The parts of a path, and those of a cluster's nodes, for readers: a row each, and all figures of one."""

from __future__ import annotations

from typing import Any, Final

from iowatt.base.keys import catalogue
from iowatt.base.units import format_duration
from iowatt.model.library import servers
from iowatt.model.library.describe import figure_text
from iowatt.model.library.fabric.parts import AdapterFile, LinkFile, PathPart, SwitchFile, names, part
from iowatt.model.library.fabric.result import (
    PathPartDescription,
    PathPartFigure,
    PathPartList,
    PathPartSummary,
)

_Part = PathPart | servers.NodePartFile

_ABOUT: Final = ("name", "kind", "title", "medium", "assumptions", "notes", "source")


def list_parts(kind: str | None = None) -> PathPartList:
    """The library's parts of one kind, or all parts of paths; kinds of clusters' nodes by name alone."""
    if kind in servers.KINDS:
        found: list[_Part] = [servers.part(name) for name in servers.names(kind)]
    else:
        found = [part(name) for name in names(kind)]
    return PathPartList(parts=[PathPartSummary(**_summary(one)) for one in found])


def describe_part(name: str) -> PathPartDescription:
    """All figures of one part with their sources. Raises ``InputError`` where there is no such part."""
    known: _Part = servers.part(name) if name in servers.names() else part(name)
    return PathPartDescription(
        **_summary(known), figures=_figures(known), assumptions=known.assumptions, notes=known.notes
    )


def _summary(known: _Part) -> dict[str, Any]:
    weak = {"assumed", "common-knowledge"}
    return {
        "name": known.name,
        "kind": known.kind,
        "title": known.title,
        "media": _media(known),
        "in_short": _in_short(known),
        "unverified": [figure.figure for figure in _figures(known) if figure.quality in weak],
    }


def _media(known: _Part) -> list[str | None]:
    if not hasattr(known, "medium"):
        return []
    return list(known.medium) if isinstance(known.medium, list) else [known.medium]


def _figures(known: _Part) -> list[PathPartFigure]:
    keys = catalogue(type(known))
    figures = []
    for name in type(known).model_fields:
        if name in _ABOUT or name not in known.model_fields_set:
            continue
        value, source, unit = getattr(known, name), known.source_of(name), keys[name].unit
        figures.append(
            PathPartFigure(
                figure=name,
                value=value,
                unit=unit,
                text=_text(value, unit),
                meaning=keys[name].description,
                quality=source and source.quality,
                date=getattr(source, "date", None),
                source=source and source.text,
            )
        )
    return figures


def _text(value: Any, unit: str | None) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,} B" if unit == "bytes" else figure_text(value, unit)


def _in_short(known: _Part) -> str:
    if isinstance(known, servers.ServerFile):
        return (
            f"{known.idle:g} W idle to {known.busy:g} W busy, {known.cores} cores, {known.bays} bays of "
            f"{known.form_factor} inches, {known.rack_units}U"
        )
    if isinstance(known, servers.NetworkAdapterFile | servers.RackSwitchFile):
        return f"{known.watts:g} W, {known.ports} ports"
    if isinstance(known, LinkFile):
        payload, wire = known.frame or 0, (known.frame or 0) + (known.overhead or 0)
        return f"{(known.rate or 0.0) / 1e6:,.6g} MB/s on the wire, frames of {payload:,} in {wire:,} B"
    if isinstance(known, SwitchFile):
        return f"{format_duration(known.latency or 0.0)}, {known.forwarding or 'cut-through'}"
    if isinstance(known, AdapterFile):
        texts = [] if known.iops is None else [f"{known.iops:,.0f} commands a second"]
        texts += [] if known.bandwidth is None else [f"{known.bandwidth / 1e6:,.6g} MB/s"]
        texts += [] if known.queue_depth is None else [f"{known.queue_depth} outstanding"]
        return ", ".join(texts)
    sizes = f"command {known.command}, ready {known.ready}, response {known.response} B"
    return sizes + (f", {format_duration(known.stack)} of software" if known.stack else "")
