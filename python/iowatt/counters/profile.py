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
from iowatt.model.profile.profile import PROFILE_SCHEMA

Ground = dict[str, Any]


@dataclass(frozen=True)
class _ProfileInputs:
    """All that a profile was made of."""

    log: CountersLog
    acts: Sequence[Activity]
    parts: Sequence[StreamPart]
    asked: ProfileRequest
    arrivals: AssumedArrivals
    seconds: Floats
    phases: int
    origin: str


def _sources(made: _ProfileInputs) -> list[Ground]:
    """The tables ``[[source]]``."""
    counted = (
        f"{made.log.format} counters ({made.origin}): {len(made.seconds)} intervals, "
        f"{float(made.seconds.sum()):.6g} s"
    )
    found = [
        _ground("measured", ["arrivals.rate"], counted),
        _ground("assumed", made.arrivals.assumed, made.arrivals.why),
        *_shares(made, counted),
        _ground(
            "defined",
            [f"stream.{part.name}.read_share" for part in made.parts],
            "a stream for each direction",
        ),
        _sizes(made),
        *_access(made),
    ]
    if made.asked.span is not None:
        text = "as asked; counters do not say how much of a device is used"
        found.append(_ground("assumed", ["span"], text))
    return found


def _ground(quality: str, figures: list[str], text: str) -> Ground:
    return {"figures": figures, "quality": quality, "text": text}


def _shares(made: _ProfileInputs, counted: str) -> Iterator[Ground]:
    names = [f"stream.{part.name}.share" for part in made.parts]
    split = [f"stream.{part.name}.share" for part in made.parts if 0 < part.of_direction < 1]
    why = []
    if any(act.split == "bytes" for act in made.acts):
        why.append(
            "reads and writes are not counted apart: reads are taken to be as large as writes, so that their "
            "share of the requests is that of the bytes"
        )
    elif any(act.split == "given" for act in made.acts):
        share = 100 * (made.asked.read_share or 0)
        why.append(f"reads and writes are not counted apart: {share:g} % of the requests read, as asked")
    guessed = names if why else split
    if split:
        why.append(_sequential_reason(made.asked))
    if guessed:
        yield _ground("assumed", guessed, "; ".join(why))
    if plain := [name for name in names if name not in guessed]:
        yield _ground("measured", plain, counted)
    if made.phases > 1:
        joined = f", joined into {made.phases} phases" if made.phases < len(made.seconds) else ""
        if guessed:
            text = f"rates as recorded, their shares split as those of the streams; {counted}{joined}"
            yield _ground("assumed", ["phase"], text)
        else:
            yield _ground("measured", ["phase"], counted + joined)


def _sizes(made: _ProfileInputs) -> Ground:
    text = (
        "counters have mean sizes only: the mean of each interval is split between the powers of two "
        "around it so "
        "that it is kept; the distribution inside an interval is not known, and sizes do not change over time"
    )
    if any(act.same_sizes for act in made.acts):
        text += "; reads and writes are as large as each other"
    return _ground("assumed", ["stream.*.sizes"], text)


def _access(made: _ProfileInputs) -> Iterator[Ground]:
    pattern = made.asked.access["pattern"]
    rest = ", ".join(f"{key} {value:g}" for key, value in made.asked.access.items() if key != "pattern")
    if drawn := [f"stream.{part.name}.access" for part in made.parts if not part.sequential]:
        words = f"{pattern} ({rest})" if rest else pattern
        yield _ground("assumed", drawn, f"{words}, as asked: counters do not say where requests go")
    if walked := [f"stream.{part.name}.access" for part in made.parts if part.sequential]:
        why = "as asked" if pattern == "sequential" else _sequential_reason(made.asked)
        yield _ground("assumed", walked, f"one cursor over the whole range, without a jump; {why}")
    if len(made.acts) > 1:
        text = "each device has an equal part of the span, in the order given"
        yield _ground("assumed", ["stream.*.range"], text)


def _sequential_reason(asked: ProfileRequest) -> str:
    if asked.sequential is not None:
        return f"{100 * asked.sequential:g} % of the requests are sequential, as asked"
    return (
        "the share of sequential requests is taken to be that of requests merged into neighbours before they "
        "reached the device (rrqm/s, wrqm/s), which shows that there are such requests, not how many are left"
    )


def _remarks(made: _ProfileInputs) -> list[str]:
    """The notes of the profile: what was left out."""
    found = [
        "made from counters of requests as they reached the device, after the host's cache, merging and "
        "splitting; it is open: arrivals that waited for completions do not show"
    ]
    for act in made.acts:
        found += _left_out(made.log, act)
    found += made.log.notes
    if made.log.bad:
        found.append(f"{made.log.bad} malformed records were skipped")
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
    log: CountersLog, devices: Sequence[str], asked: ProfileRequest, *, name: str, origin: str
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
    acts = [activity(log, device, asked.read_share) for device in devices]
    used = np.logical_and.reduce([act.known for act in acts])
    lengths = acts[0].seconds
    if not np.isfinite(lengths[used]).all():
        message = "the log does not say how long its intervals are"
        raise InputError("missing", origin, message, hint="give `interval=10s` (iostat -t records it)")
    used &= lengths > 0
    seconds = lengths[used]
    found = split_streams(log, acts, used, asked)
    requests = sum(part.requests for part in found)
    if not requests > 0:
        raise InputError("empty", origin, f"nothing was read or written on {', '.join(devices)}")
    rates = np.full(len(used), np.nan)
    rates[used] = sum(act.requests[used] for act in acts)
    joined = interval_groups(len(seconds), asked.phases)
    spread = dispersion(rates, lengths)
    arrivals = arrival_law(spread, asked, requests / float(seconds.sum()), len(seconds) / len(joined))
    made = _ProfileInputs(log, acts, found, asked, arrivals, seconds, len(joined), origin)
    notes = _remarks(made)
    sources = _sources(made)
    tables: dict[str, Any] = {"schema": PROFILE_SCHEMA, "name": name, "title": _title(made), "notes": notes}
    if asked.span is None:
        why = "counters do not say how much of a device is used"
        tables["missing"] = [{"figure": "span", "why": why}]
    else:
        tables["span"] = f"{asked.span}B"
    tables["phase"] = phase_tables(found, seconds, joined)
    tables["arrivals"] = arrivals.table
    tables["stream"] = stream_tables(found, asked, len(devices))
    tables["source"] = sources
    assumed = [f"{', '.join(s['figures'])}: {s['text']}" for s in sources if s["quality"] == "assumed"]
    return CountersProfile(tables, notes, assumed, float(seconds.sum()))


def _title(made: _ProfileInputs) -> str:
    names = ["".join(c if c.isprintable() else "?" for c in act.device)[:64] for act in made.acts]
    shown = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
    return f"From counters of {made.log.format}: {shown} over {float(made.seconds.sum()):.6g} s"


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
    with atomic_path.file(target) as made:
        made.write_text(text, "utf-8")


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
