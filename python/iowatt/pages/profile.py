"""What ``iowatt trace profiles`` shows: the library of profiles, or one with the sources of its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from iowatt.base.units import format_bytes
from iowatt.model.profile.result import FigureMark, ProfileListing, ProfileSummary, ShownProfile
from iowatt.render.document import Document, Section, aligned

_IN_BYTES: Final = ("size", "extent", "leaf", "block", "align", "run", "cache")


def listing(found: ProfileListing) -> Document:
    """All profiles of the library."""
    rows = [(entry.name, f"{entry.title}{_marks(entry)}") for entry in found.profiles]
    return Document(
        key="profiles",
        kind="profiles",
        title="profiles",
        meta=f"{len(rows)} in the library; `iowatt trace profiles NAME` prints all of one",
        sections=[Section("profiles", "Profiles", [], aligned(rows))],
    )


def _marks(entry: ProfileSummary) -> str:
    marks = {"unverified": entry.unverified, "assumed": entry.assumed, "needs": entry.missing}
    shown = ", ".join(mark for mark, figures in marks.items() if figures)
    return f"  [{shown}]" if shown else ""


def document(found: ShownProfile) -> Document:
    """One profile."""
    rate = "to be given" if found.rate_iops is None else f"{found.rate_iops:g} IOPS"
    span = "to be given" if found.span_bytes is None else format_bytes(found.span_bytes, binary=True)
    verdict = f"rate {rate}, span {span}"
    if found.read_percent is not None and found.mean_bytes is not None:
        size = format_bytes(round(found.mean_bytes), binary=True)
        verdict += f", {found.read_percent:.4g} % reads, mean {size}"
    remarks = [f"note: {note}" for note in found.notes]
    remarks += [f"missing: {missing.figure}: {missing.why}" for missing in found.missing]
    return Document(
        key="profile",
        kind="profile",
        title=found.name,
        meta=found.title,
        verdict=[verdict, *remarks],
        sections=[
            Section("tables", "Tables", [], [*_tables(found), ""]),
            Section("sources", "Sources", [], list(_sources(found.figures))),
        ],
    )


def _tables(found: ShownProfile) -> Iterator[str]:
    common = {"size": found.size, "sizes": found.sizes}
    if any(common.values()):
        yield f"all streams  {_keys({name: value for name, value in common.items() if value})}"
    if found.arrivals:
        yield f"arrivals  {_keys(found.arrivals)}"
    for kind, tables in (("stream", found.stream), ("envelope", found.envelope), ("phase", found.phase)):
        for table in tables:
            keys = {name: value for name, value in table.items() if name != "name"}
            yield f"{kind} {table['name']}  {_keys(keys)}" if "name" in table else f"{kind}  {_keys(keys)}"


def _keys(table: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {_value(key, value)}" for key, value in table.items())


def _value(key: str, value: Any) -> str:
    if isinstance(value, dict):
        return "{" + _keys(value) + "}"
    if isinstance(value, list):
        if value and isinstance(value[0], dict) and set(value[0]) == {"size", "share"}:
            return " / ".join(f"{format_bytes(p['size'], binary=True)} {p['share']:g} %" for p in value)
        return "[" + ", ".join(_value(key, part) for part in value) + "]"
    if key in _IN_BYTES and isinstance(value, int):
        return format_bytes(value, binary=True)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _sources(figures: Mapping[str, FigureMark | None]) -> Iterator[str]:
    """The sources, each with its figures."""
    by_source: dict[tuple[str, str], list[str]] = {}
    for figure, mark in figures.items():
        source = ("no mark", "") if mark is None else (mark.quality, mark.source)
        by_source.setdefault(source, []).append(figure)
    for (quality, text), paths in by_source.items():
        yield f"{'UNVERIFIED (recalled)' if quality == 'recalled' else quality}: {text}"
        of_streams = [path.split(".", 2) for path in paths if path.startswith("stream.")]
        listed = [path for path in paths if not path.startswith("stream.")]
        if of_streams:
            keys, streams = ({step[at] for step in of_streams} for at in (2, 1))
            count = f"{len(streams)} stream{'' if len(streams) == 1 else 's'}"
            listed.append(f"{', '.join(sorted(keys))} of {count}")
        yield f"  {'; '.join(listed)}"
