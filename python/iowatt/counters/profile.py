"""A log of counters as a workload profile: every assumption is marked as one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
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
)
from iowatt.model.profile import PROFILE_SCHEMA

Ground = dict[str, Any]


@dataclass(frozen=True)
class _ProfileInputs:
    """All that a profile was made of."""

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
        text = "as asked; counters do not say how much of a device is used"
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
            "reads and writes are not counted apart: reads are taken to be as large as writes, so that their "
            "share of the requests is that of the bytes"
        )
    elif any(act.split == "given" for act in inputs.acts):
        share = 100 * (inputs.request.read_share or 0)
        why.append(f"reads and writes are not counted apart: {share:g} % of the requests read, as asked")
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
        "counters have mean sizes only: the mean of each interval is split between the powers of two "
        "around it so "
        "that it is kept; the distribution inside an interval is not known, and sizes do not change over time"
    )
    if any(act.same_sizes for act in inputs.acts):
        text += "; reads and writes are as large as each other"
    return _ground("assumed", ["stream.*.sizes"], text)


def _access(inputs: _ProfileInputs) -> Iterator[Ground]:
    pattern = inputs.request.access["pattern"]
    rest = ", ".join(f"{key} {value:g}" for key, value in inputs.request.access.items() if key != "pattern")
    if drawn := [f"stream.{part.name}.access" for part in inputs.parts if not part.sequential]:
        words = f"{pattern} ({rest})" if rest else pattern
        yield _ground("assumed", drawn, f"{words}, as asked: counters do not say where requests go")
    if walked := [f"stream.{part.name}.access" for part in inputs.parts if part.sequential]:
        why = "as asked" if pattern == "sequential" else _sequential_reason(inputs.request)
        yield _ground("assumed", walked, f"one cursor over the whole range, without a jump; {why}")
    if len(inputs.acts) > 1:
        text = "each device has an equal part of the span, in the order given"
        yield _ground("assumed", ["stream.*.range"], text)


def _sequential_reason(request: ProfileRequest) -> str:
    if request.sequential is not None:
        return f"{100 * request.sequential:g} % of the requests are sequential, as asked"
    return (
        "the share of sequential requests is taken to be that of requests merged into neighbours before they "
        "reached the device (rrqm/s, wrqm/s), which shows that there are such requests, not how many are left"
    )


def _remarks(inputs: _ProfileInputs) -> list[str]:
    """The notes of the profile: what was left out."""
    found = [
        "made from counters of requests as they reached the device, after the host's cache, merging and "
        "splitting; it is open: arrivals that waited for completions do not show"
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
            f"{act.device}: its requests include discards, which are not counted apart; they are taken for "
            "reads and writes, whose bytes stay as counted"
        )


@dataclass(frozen=True)
class CountersProfile:
    """The tables of a profile, its notes and its assumptions in sentences, and the seconds that it lasts."""

    tables: dict[str, Any]
    notes: list[str]
    assumptions: list[str]
    seconds: float


def build_profile(
    log: CountersLog, devices: Sequence[str], request: ProfileRequest, *, name: str, origin: str
) -> CountersProfile:
    """The profile of some devices of a log together.

    Parameters
    ----------
    name:
        The profile's name.
    origin:
        The logs, for its sources.

    Raises ``InputError``: too few counters; no interval of known length; nothing was read or written.
    """
    acts = [activity(log, device, request.read_share) for device in devices]
    used = np.logical_and.reduce([act.known for act in acts])
    lengths = acts[0].seconds
    if not np.isfinite(lengths[used]).all():
        message = "the log does not say how long its intervals are"
        raise InputError("missing", origin, message, hint="give `interval=10s` (iostat -t records it)")
    used &= lengths > 0
    seconds = lengths[used]
    found = split_streams(log, acts, used, request)
    requests = sum(part.requests for part in found)
    if not requests > 0:
        raise InputError("empty", origin, f"nothing was read or written on {', '.join(devices)}")
    rates = np.full(len(used), np.nan)
    rates[used] = sum(act.requests[used] for act in acts)
    joined = interval_groups(len(seconds), request.phases)
    spread = dispersion(rates, lengths)
    arrivals = arrival_law(spread, request, requests / float(seconds.sum()), len(seconds) / len(joined))
    inputs = _ProfileInputs(log, acts, found, request, arrivals, seconds, len(joined), origin)
    notes = _remarks(inputs)
    sources = _sources(inputs)
    tables: dict[str, Any] = {"schema": PROFILE_SCHEMA, "name": name, "title": _title(inputs), "notes": notes}
    if request.span is None:
        why = "counters do not say how much of a device is used"
        tables["missing"] = [{"figure": "span", "why": why}]
    else:
        tables["span"] = f"{request.span}B"
    tables["phase"] = phase_tables(found, seconds, joined)
    tables["arrivals"] = arrivals.table
    tables["stream"] = stream_tables(found, request, len(devices))
    tables["source"] = sources
    assumed = [f"{', '.join(s['figures'])}: {s['text']}" for s in sources if s["quality"] == "assumed"]
    return CountersProfile(tables, notes, assumed, float(seconds.sum()))


def _title(inputs: _ProfileInputs) -> str:
    names = ["".join(c if c.isprintable() else "?" for c in act.device)[:64] for act in inputs.acts]
    shown = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
    return f"From counters of {inputs.log.format}: {shown} over {float(inputs.seconds.sum()):.6g} s"


_INLINE: Final = ("phase", "sizes")  # lists of tables that are rows, and read best as such


def profile_toml(tables: Mapping[str, Any], comments: Sequence[str] = ()) -> str:
    """The TOML of a profile: keys, the table of phases, arrivals, streams, what is missing, sources."""
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


def write_profile(text: str, target: Path, *, force: bool = False) -> None:
    """Write a profile; whole or not at all.

    Raises ``InputError``: it exists and ``force`` is not set, or cannot be written.
    """
    check_target(target, force=force)
    with atomic_path.file(target) as inputs:
        inputs.write_text(text, "utf-8")


def check_target(target: Path, *, force: bool) -> None:
    """Raise an ``InputError`` where ``target`` cannot be a profile."""
    if target.suffix != ".toml":
        raise InputError("not-accepted", str(target), "expected a name that ends in .toml")
    if target.exists() and not force:
        raise InputError("exists", str(target), "the file exists already", hint="`force=True` replaces it")


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
