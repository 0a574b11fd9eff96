"""What `iowatt cache` is given as a trace: a file of any format, or a profile to be made on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from iowatt.base.results import Note

RATE_IOPS: Final = 1000.0
"""Of a profile that has no rate: hits do not depend on it."""


@dataclass(frozen=True)
class TraceSource:
    """A trace as a spec, its address space where that is known, and what to know about it."""

    trace: dict[str, Any]
    span_bytes: int | None = None
    notes: tuple[Note, ...] = ()


def is_profile(name: str) -> bool:
    """Whether a name means a profile: it ends in .toml, or the library has it and the folder no such file."""
    from iowatt.model.profile.find import profile_names

    return name.endswith(".toml") or (name in profile_names() and not Path(name).exists())


def profile_source(
    name: str,
    overrides: Sequence[str] = (),
    *,
    seed: int = 1,
    requests: int | None = None,
    duration_s: float | None = None,
    rate_iops: float | None = None,
    span: int | None = None,
) -> TraceSource:
    """A synthetic workload: the profile ``name``, ending after so many requests or seconds.

    Raises
    ------
    InputError
        As of `iowatt.trace.generate.prepare`.
    """
    from iowatt.model.profile.find import load
    from iowatt.trace.generate import prepare

    assumed = []
    arrivals = load(name, overrides).profile.arrivals
    phases = getattr(arrivals, "phases", None)
    if rate_iops is None and phases is None and getattr(arrivals, "rate", 0.0) is None:
        rate_iops = RATE_IOPS
        text = f"the profile has no rate; {RATE_IOPS:g} requests/s are made, hits do not depend on it"
        assumed = [Note(code="assumed-rate", text=text)]
    prepared = prepare(
        name, overrides, seed=seed, requests=requests, duration_s=duration_s, rate_iops=rate_iops, span=span
    )
    remarks = (Note(code="profile", text=text) for text in prepared.notes)
    known = span if span is not None else prepared.loaded.profile.span
    return TraceSource(prepared.trace, known, (*assumed, *remarks))
