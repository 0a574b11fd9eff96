"""A workload profile of a log of counters, with every assumption marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.base.toml_writer import comment, inline
from iowatt.counters.activity import Activity, activity
from iowatt.counters.arrivals import AssumedArrivals, arrival_law, dispersion
from iowatt.counters.log import CountersLog, Floats
from iowatt.counters.streams import (
    ProfileRequest,
    StreamPart,
    interval_groups,
    phase_tables,
    split_streams,
    stream_tables,
    without_negligible,
)
from iowatt.counters.summary import ASSUMED, NO_SPAN, WrittenProfile
from iowatt.model.profile import PROFILE_SCHEMA, parsed

Ground = dict[str, Any]


@dataclass(frozen=True)
class _ProfileInputs:
    """The inputs of a profile."""

    log: CountersLog
    acts: Sequence[Activity]
    parts: Sequence[StreamPart]
    request: ProfileRequest
    arrivals: AssumedArrivals
    seconds: Floats
    phases: int
    origin: str


def _sources(inputs: _ProfileInputs) -> list[Ground]:
    """The tables ``[[source]]``."""
    counted = (
        f"{inputs.log.format} counters ({inputs.origin}): {len(inputs.seconds)} intervals, "
        f"{float(inputs.seconds.sum()):.6g} s"
    )
    found = [
        _ground("measured", ["arrivals.rate"], counted),
        _ground("assumed", inputs.arrivals.assumed, inputs.arrivals.why),
        *_shares(inputs, counted),
        _ground(
            "defined",
            [f"stream.{part.name}.read_share" for part in inputs.parts],
            "a stream for each direction",
        ),
        _sizes(inputs),
        *_access(inputs),
    ]
    if inputs.request.span is not None:
        text = "as requested; counters do not record how much of a device is used"
        found.append(_ground("assumed", ["span"], text))
    return found


def _ground(quality: str, figures: list[str], text: str) -> Ground:
    return {"figures": figures, "quality": quality, "text": text}


def _shares(inputs: _ProfileInputs, counted: str) -> Iterator[Ground]:
    names = [f"stream.{part.name}.share" for part in inputs.parts]
    split = [f"stream.{part.name}.share" for part in inputs.parts if 0 < part.of_direction < 1]
    why = []
    if any(act.split == "bytes" for act in inputs.acts):
        why.append(
            "reads and writes are not counted separately: reads are assumed to be as large as writes, so "
            "that their share of requests equals that of bytes"
        )
    elif any(act.split == "given" for act in inputs.acts):
        share = 100 * (inputs.request.read_share or 0)
        why.append(
            f"reads and writes are not counted separately: {share:g} % of the requests read, as requested"
        )
    guessed = names if why else split
    if split:
        why.append(_sequential_reason(inputs.request))
    if guessed:
        yield _ground("assumed", guessed, "; ".join(why))
    if plain := [name for name in names if name not in guessed]:
        yield _ground("measured", plain, counted)
    if inputs.phases > 1:
        joined = f", joined into {inputs.phases} phases" if inputs.phases < len(inputs.seconds) else ""
        if guessed:
            text = f"rates as recorded, their shares split as those of the streams; {counted}{joined}"
            yield _ground("assumed", ["phase"], text)
        else:
            yield _ground("measured", ["phase"], counted + joined)


def _sizes(inputs: _ProfileInputs) -> Ground:
    text = (
        "counters have mean sizes only: each interval's mean is split between the two nearest powers of two; "
        "the distribution within an interval is not known, and sizes do not change over time"
    )
    if any(act.same_sizes for act in inputs.acts):
        text += "; reads and writes have equal sizes"
    return _ground("assumed", ["stream.*.sizes"], text)


def _access(inputs: _ProfileInputs) -> Iterator[Ground]:
    pattern = inputs.request.access["pattern"]
    rest = ", ".join(f"{key} {value:g}" for key, value in inputs.request.access.items() if key != "pattern")
    if drawn := [f"stream.{part.name}.access" for part in inputs.parts if not part.sequential]:
        words = f"{pattern} ({rest})" if rest else pattern
        yield _ground("assumed", drawn, f"{words}, as requested: counters do not record addresses")
    if walked := [f"stream.{part.name}.access" for part in inputs.parts if part.sequential]:
        why = "as requested" if pattern == "sequential" else _sequential_reason(inputs.request)
        yield _ground("assumed", walked, f"one cursor over the whole range; {why}")
    if len(inputs.acts) > 1:
        text = "each device has an equal part of the span, in the order given"
        yield _ground("assumed", ["stream.*.range"], text)


def _sequential_reason(request: ProfileRequest) -> str:
    if request.sequential is not None:
        return f"{100 * request.sequential:g} % of the requests are sequential, as requested"
    return (
        "the share of sequential requests is assumed to be that of requests merged before they reached the "
        "device (rrqm/s, wrqm/s), which shows that some are sequential, not how many remain"
    )


def _remarks(inputs: _ProfileInputs) -> list[str]:
    """The notes of the profile: what was left out."""
    found = [
        "made from counters of requests at the device, after the host's cache, merging and splitting; "
        "arrivals are open: waiting for completions is not recorded"
    ]
    for act in inputs.acts:
        found += _left_out(inputs.log, act)
    found += inputs.log.notes
    if inputs.log.bad:
        found.append(f"{inputs.log.bad} malformed records were skipped")
    return found


def _left_out(log: CountersLog, act: Activity) -> Iterator[str]:
    unknown = int((~act.known).sum())
    if unknown:
        yield f"{act.device}: {unknown} intervals lack figures and are left out with their time"
    if act.unplaced > 0:
        yield f"{act.device}: {act.unplaced:.3g} requests/s that moved no bytes are left out"
    for name in ("discards", "flushes"):
        if log.has(act.device, name) and (mean := float(np.nanmean(log.column(act.device, name)))) > 0:
            yield f"{act.device}: {mean:.3g} {name}/s are left out"
    discarded = (
        log.has(act.device, "discard_bytes") and np.nansum(log.column(act.device, "discard_bytes")) > 0
    )
    if discarded and not log.has(act.device, "discards"):
        yield (
            f"{act.device}: its requests include discards, which are not counted separately; they count as "
            "reads and writes, whose bytes stay as counted"
        )


@dataclass(frozen=True)
class CountersProfile:
    """The tables of a profile, its notes and assumptions, and its length in seconds."""

    tables: dict[str, Any]
    notes: list[str]
    assumptions: list[str]
    seconds: float


def build_profile(
    log: CountersLog, devices: Sequence[str], request: ProfileRequest, *, name: str, origin: str
) -> CountersProfile:
    """The profile of devices of a log together; ``origin`` names the logs in its sources.

    Raises ``InputError``: too few counters, no interval of known length, no requests.
    """
    acts = [activity(log, device, request.read_share) for device in devices]
    used = np.logical_and.reduce([act.known for act in acts])
    lengths = acts[0].seconds
    if not np.isfinite(lengths[used]).all():
        message = "the log does not say how long its intervals are"
        raise InputError("missing", origin, message, hint="give `interval=10s` (iostat -t records it)")
    used &= lengths > 0
    seconds = lengths[used]
    streams = split_streams(log, acts, used, request)
    requests = sum(stream.requests for stream in streams)
    if not requests > 0:
        raise InputError("empty", origin, f"nothing was read or written on {', '.join(devices)}")
    streams = without_negligible(streams)
    rates = np.full(len(used), np.nan)
    rates[used] = sum(act.requests[used] for act in acts)
    joined = interval_groups(len(seconds), request.phases)
    spread = dispersion(rates, lengths)
    arrivals = arrival_law(spread, request, requests / float(seconds.sum()), len(seconds) / len(joined))
    inputs = _ProfileInputs(log, acts, streams, request, arrivals, seconds, len(joined), origin)
    notes = _remarks(inputs)
    sources = _sources(inputs)
    tables: dict[str, Any] = {"schema": PROFILE_SCHEMA, "name": name, "title": _title(inputs), "notes": notes}
    if request.span is None:
        why = "counters do not record how much of a device is used"
        tables["missing"] = [{"figure": "span", "why": why}]
    else:
        tables["span"] = f"{request.span}B"
    tables["phase"] = phase_tables(streams, seconds, joined)
    tables["arrivals"] = arrivals.table
    tables["stream"] = stream_tables(streams, request, len(devices))
    tables["source"] = sources
    assumed = [f"{', '.join(s['figures'])}: {s['text']}" for s in sources if s["quality"] == "assumed"]
    return CountersProfile(tables, notes, assumed, float(seconds.sum()))


def _title(inputs: _ProfileInputs) -> str:
    names = ["".join(c if c.isprintable() else "?" for c in act.device)[:64] for act in inputs.acts]
    shown = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
    return f"From counters of {inputs.log.format}: {shown} over {float(inputs.seconds.sum()):.6g} s"


_INLINE: Final = ("phase", "sizes")  # lists of tables that read best as rows


def profile_toml(tables: Mapping[str, Any], comments: Sequence[str] = ()) -> str:
    """The TOML of a profile: keys, phases, arrivals, streams, missing figures, sources."""
    lines = [comment(text) for text in comments]
    for key, value in tables.items():
        if key not in ("arrivals", "stream", "missing", "source"):
            lines += _entry(key, value)
    lines += ["", "[arrivals]"]
    for key, value in tables["arrivals"].items():
        lines += _entry(key, value)
    for name in ("stream", "missing", "source"):
        for table in tables.get(name, []):
            lines += ["", f"[[{name}]]"]
            for key, value in table.items():
                lines += _entry(key, value)
    return "\n".join(lines) + "\n"


def write_profile(
    log: CountersLog, devices: Sequence[str], request: ProfileRequest, target: Path, *,
    name: str, origin: str, force: bool = False,
) -> WrittenProfile:  # fmt: skip
    """Write the profile of devices of a log, whole or not at all.

    Raises ``InputError`` as ``build_profile``, and where ``target`` cannot be written.
    """
    check_target(target, force=force)
    built = build_profile(log, devices, request, name=name, origin=origin)
    text = profile_toml(built.tables, [f"Made by `iowatt trace counters` from {origin}."])
    profile = parsed(text, str(target))  # a profile that cannot be read back is not written
    atomic_path.write_text(target, text, force=force)
    notes = [Note(code=ASSUMED, text=text) for text in built.notes]
    if not profile.span:
        message = "the profile has no address space: generating requests from it needs a span"
        notes.append(Note(code=NO_SPAN, text=message, decides=True))
    return WrittenProfile(
        path=str(target), name=profile.name, devices=list(devices), seconds=built.seconds,
        assumptions=built.assumptions, notes=notes,
    )  # fmt: skip


def check_target(target: Path, *, force: bool) -> None:
    """Raise ``InputError`` where ``target`` cannot be a profile."""
    if target.suffix != ".toml":
        raise InputError("not-accepted", str(target), "expected a name that ends in .toml")
    atomic_path.refuse_existing(target, force=force)


def _entry(key: str, value: Any) -> list[str]:
    if (key in _INLINE or key == "notes") and value:
        return [f"{key} = [", *(f"    {_text(row)}," for row in value), "]"]
    return [] if value == [] else [f"{key} = {_text(value)}"]


def _text(value: Any) -> str:
    return inline(value, _number)


def _number(value: float) -> str:
    """Whole numbers without a fraction."""
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return repr(int(value) if whole else value)
