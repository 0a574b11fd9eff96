"""A log as a workload profile: what was counted, and every assumption marked as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from iowatt.base.errors import InputError
from iowatt.counters.activity import activity
from iowatt.counters.dispersion import dispersion
from iowatt.counters.law import law
from iowatt.counters.log import Log
from iowatt.counters.parts import Asked, groups, parts, phases, streams
from iowatt.counters.provenance import Made, grounds, remarks
from iowatt.model.profile.profile import PROFILE_SCHEMA


@dataclass(frozen=True)
class Built:
    """The tables of a profile, its notes and its assumptions in sentences, and the seconds that it lasts."""

    tables: dict[str, Any]
    notes: list[str]
    assumptions: list[str]
    seconds: float


def build(log: Log, devices: Sequence[str], asked: Asked, *, name: str, origin: str) -> Built:
    """The profile of some devices of a log together.

    Parameters
    ----------
    name:
        The profile's name.
    origin:
        The logs, for its sources.

    Raises
    ------
    InputError
        Too few counters; no interval of known length; nothing was read or written.
    """
    acts = [activity(log, device, asked.read_share) for device in devices]
    used = np.logical_and.reduce([act.known for act in acts])
    lengths = acts[0].seconds
    if not np.isfinite(lengths[used]).all():
        raise InputError(
            "missing",
            origin,
            "the log does not say how long its intervals are",
            hint="give `interval=10s` (iostat -t records it)",
        )
    used &= lengths > 0
    seconds = lengths[used]
    found = parts(log, acts, used, asked)
    requests = sum(part.requests for part in found)
    if not requests > 0:
        raise InputError("empty", origin, f"nothing was read or written on {', '.join(devices)}")
    rates = np.full(len(used), np.nan)
    rates[used] = sum(act.requests[used] for act in acts)
    joined = groups(len(seconds), asked.phases)
    spread = dispersion(rates, lengths)
    arrivals = law(spread, asked, requests / float(seconds.sum()), len(seconds) / len(joined))
    made = Made(log, acts, found, asked, arrivals, seconds, len(joined), origin)
    notes = remarks(made)
    sources = grounds(made)
    tables: dict[str, Any] = {"schema": PROFILE_SCHEMA, "name": name, "title": _title(made), "notes": notes}
    if asked.span is None:
        why = "counters do not say how much of a device is used"
        tables["missing"] = [{"figure": "span", "why": why}]
    else:
        tables["span"] = f"{asked.span}B"
    tables["phase"] = phases(found, seconds, joined)
    tables["arrivals"] = arrivals.table
    tables["stream"] = streams(found, asked, len(devices))
    tables["source"] = sources
    assumed = [f"{', '.join(s['figures'])}: {s['text']}" for s in sources if s["quality"] == "assumed"]
    return Built(tables, notes, assumed, float(seconds.sum()))


def _title(made: Made) -> str:
    names = ["".join(c if c.isprintable() else "?" for c in act.device)[:64] for act in made.acts]
    shown = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
    return f"From counters of {made.log.format}: {shown} over {float(made.seconds.sum()):.6g} s"
