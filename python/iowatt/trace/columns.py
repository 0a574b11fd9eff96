"""Which columns of a Parquet trace mean what, and in which unit.

Two layouts are recognised: our own (``time_ns``, ``device``, ``op``, ``offset``, ``size``, ``response_ns``,
``stream``) and that of our captures (``time_s``, ``op``, ``lba`` in 512-byte sectors, ``size``, ``stream``,
``lat_us``). They differ in names and units only, so one table serves both; for other names the user says
which is which (``columns=time=ts``). The rules are those of headed CSV in Rust: a unit is in the name or is
given, never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from iowatt.base.errors import InputError

SECTOR_BYTES: Final = 512

TIME_UNITS_NS: Final = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}

# Field of a request -> the headers that are recognised.
_KNOWN: Final[dict[str, tuple[str, ...]]] = {
    "time": tuple(f"time_{unit}" for unit in TIME_UNITS_NS),
    "op": ("op",),
    "offset": ("offset", "lba"),
    "size": ("size", "sectors"),
    "device": ("device",),
    "response": ("response_ns", "lat_us"),
    "stream": ("stream",),
}
_REQUIRED: Final = ("time", "op", "offset", "size")
# Headers, and words of ``columns``, that say that the column counts sectors.
_IN_SECTORS: Final = {"lba": "offset", "sectors": "size"}

ACCEPTED: Final = (
    "time_ns (or time_us, time_ms, time_s), op, offset in bytes (or lba in sectors) and size in bytes (or "
    "sectors); device, response_ns (or lat_us) and stream are optional"
)


@dataclass(frozen=True)
class TraceColumn:
    """One column of the file: its name and how many nanoseconds or bytes one of its units is."""

    name: str
    unit: int = 1


@dataclass(frozen=True)
class TraceLayout:
    """Where each field of a request is found in a Parquet file."""

    time: TraceColumn
    op: TraceColumn
    offset: TraceColumn
    size: TraceColumn
    device: TraceColumn | None
    response: TraceColumn | None
    stream: TraceColumn | None

    @property
    def names(self) -> list[str]:
        """The columns to read, in a fixed order."""
        fields = (self.time, self.op, self.offset, self.size, self.device, self.response, self.stream)
        return list(dict.fromkeys(field.name for field in fields if field is not None))


def recognise(
    headers: list[str],
    *,
    where: str,
    columns: Mapping[str, str] | None = None,
    time_unit: str | None = None,
    sector_bytes: int | None = None,
) -> TraceLayout:
    """Match the headers of a file to the fields of a request.

    Parameters
    ----------
    columns:
        Field to header, where the user said so; other fields are matched by name. ``lba`` and ``sectors`` in
        place of ``offset`` and ``size`` say that those count sectors.
    time_unit:
        ``s``, ``ms``, ``us`` or ``ns``: the unit of a time column whose name does not end in it.
    sector_bytes:
        Bytes of a sector; 512 where not given.

    Raises ``InputError``: a required field has no column, or two; a named column does not exist; an option
    does not apply.
    """
    given = _given(columns or {}, headers, where)
    found = {field: given.get(field) or _by_name(field, headers, where) for field in _KNOWN}
    missing = [field for field in _REQUIRED if found[field] is None]
    if missing:
        message = (
            f"there is no column for {', '.join(missing)} among {', '.join(headers) or 'none at all'}; "
            f"accepted are {ACCEPTED}"
        )
        hint = "name the columns, for example `columns=time=ts,offset=addr` `time_unit=us`"
        raise InputError("missing", where, message, hint=hint)
    in_sectors = [header for header in found.values() if header in _IN_SECTORS]
    in_sectors += [header for word, header in (columns or {}).items() if word in _IN_SECTORS]
    if sector_bytes is not None and not in_sectors:
        message = "a sector size is given, but offset and size are in bytes"
        hint = "where they count sectors, say so: `columns=lba=...,sectors=...`"
        raise InputError("not-applicable", where, message, hint=hint)

    def column(field: str, unit: int = 1) -> TraceColumn | None:
        header = found[field]
        return None if header is None else TraceColumn(header, unit)

    def needed(field: str, unit: int = 1) -> TraceColumn:
        return TraceColumn(found[field] or "", unit)

    def byte_unit(field: str) -> int:
        return (sector_bytes or SECTOR_BYTES) if found[field] in in_sectors else 1

    time_ns = _time_unit(found["time"] or "", time_unit, where)
    return TraceLayout(
        time=needed("time", time_ns),
        op=needed("op"),
        offset=needed("offset", byte_unit("offset")),
        size=needed("size", byte_unit("size")),
        device=column("device"),
        response=column("response", _labelled(found["response"] or "") or time_ns),
        stream=column("stream"),
    )


def _given(columns: Mapping[str, str], headers: list[str], where: str) -> dict[str, str]:
    """Field to header, as the user said."""
    fields: dict[str, str] = {}
    for word, header in columns.items():
        field = _IN_SECTORS.get(word, word)
        if field not in _KNOWN:
            accepted = ", ".join([*_KNOWN, *_IN_SECTORS])
            raise InputError("unknown-key", where, f"columns has no field {word!r}; accepted are {accepted}")
        if field in fields:
            raise InputError("duplicate", where, f"columns names the {field} twice")
        if header not in headers:
            present = ", ".join(headers)
            raise InputError(
                "unknown-name", where, f"there is no column {header!r} (for {word}); the file has {present}"
            )
        fields[field] = header
    return fields


def _by_name(field: str, headers: list[str], where: str) -> str | None:
    matches = [header for header in headers if header in _KNOWN[field]]
    if len(matches) > 1:
        message = f"the columns {' and '.join(matches)} could both be the {field}"
        raise InputError("ambiguous", where, message, hint=f"say which: `columns={field}={matches[0]}`")
    return matches[0] if matches else None


def _labelled(header: str) -> int | None:
    """Nanoseconds of the unit that a header ends in."""
    return TIME_UNITS_NS.get(header.rpartition("_")[2]) if "_" in header else None


def _time_unit(header: str, time_unit: str | None, where: str) -> int:
    if time_unit is not None and time_unit not in TIME_UNITS_NS:
        raise InputError(
            "not-accepted", where, f"{time_unit!r} is not a unit of time; accepted are s, ms, us, ns"
        )
    said = _labelled(header)
    given = None if time_unit is None else TIME_UNITS_NS[time_unit]
    if said is not None and given is not None and said != given:
        raise InputError(
            "conflict", where, f"the column {header} and `time_unit={time_unit}` contradict each other"
        )
    unit = said or given
    if unit is None:
        message = f"the column {header!r} does not say the unit of its times"
        raise InputError("missing", where, message, hint="add `time_unit=us`, or s, ms or ns")
    return unit


_NAMED: Final = ("csv", "parquet", "regex")


def sector_doubt(trace: Mapping[str, Any], said: Mapping[str, Any]) -> list[str]:
    """The warning that most reads and writes are not of whole sectors.

    ``trace`` is the spec that was read, ``said`` what its reader counted; its ``format`` may name several.
    Empty where all formats define their unit.
    """
    named = [one for one in said["format"].split(", ") if one in _NAMED]
    if not named or 2 * said["partial_sectors"] <= said["reads"] + said["writes"]:
        return []
    if named == ["regex"]:
        remedy = "name that group of the pattern sectors, and lba that of offsets that count sectors too"
    else:
        header = (trace.get("columns") or {}).get("size", "size")
        shown = header if isinstance(header, int) else f'"{header}"'
        remedy = f"columns = {{ sectors = {shown} }}, and lba for an offset that counts sectors too"
    return [
        f"most sizes are not whole sectors of {SECTOR_BYTES} bytes. If they count sectors, say so: {remedy}"
    ]
