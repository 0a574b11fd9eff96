"""On what ground each figure of a profile stands: counted, or assumed, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from iowatt.counters.activity import Activity
from iowatt.counters.law import Arrivals
from iowatt.counters.log import Floats, Log
from iowatt.counters.parts import Asked, Part

Ground = dict[str, Any]


@dataclass(frozen=True)
class Made:
    """All that a profile was made of."""

    log: Log
    acts: Sequence[Activity]
    parts: Sequence[Part]
    asked: Asked
    arrivals: Arrivals
    seconds: Floats
    phases: int
    origin: str


def grounds(made: Made) -> list[Ground]:
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


def _shares(made: Made, counted: str) -> Iterator[Ground]:
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
        why.append(_sequential(made.asked))
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


def _sizes(made: Made) -> Ground:
    text = (
        "counters have mean sizes only: the mean of each interval is split between the powers of two "
        "around it so "
        "that it is kept; the distribution inside an interval is not known, and sizes do not change over time"
    )
    if any(act.same_sizes for act in made.acts):
        text += "; reads and writes are as large as each other"
    return _ground("assumed", ["stream.*.sizes"], text)


def _access(made: Made) -> Iterator[Ground]:
    pattern = made.asked.access["pattern"]
    rest = ", ".join(f"{key} {value:g}" for key, value in made.asked.access.items() if key != "pattern")
    if drawn := [f"stream.{part.name}.access" for part in made.parts if not part.sequential]:
        words = f"{pattern} ({rest})" if rest else pattern
        yield _ground("assumed", drawn, f"{words}, as asked: counters do not say where requests go")
    if walked := [f"stream.{part.name}.access" for part in made.parts if part.sequential]:
        why = "as asked" if pattern == "sequential" else _sequential(made.asked)
        yield _ground("assumed", walked, f"one cursor over the whole range, without a jump; {why}")
    if len(made.acts) > 1:
        text = "each device has an equal part of the span, in the order given"
        yield _ground("assumed", ["stream.*.range"], text)


def _sequential(asked: Asked) -> str:
    if asked.sequential is not None:
        return f"{100 * asked.sequential:g} % of the requests are sequential, as asked"
    return (
        "the share of sequential requests is taken to be that of requests merged into neighbours before they "
        "reached the device (rrqm/s, wrqm/s), which shows that there are such requests, not how many are left"
    )


def remarks(made: Made) -> list[str]:
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


def _left_out(log: Log, act: Activity) -> Iterator[str]:
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
            f"{act.device}: its requests include discards, which cannot be told from them; they are taken "
            f"for reads "
            "and writes, whose bytes stay as counted"
        )
