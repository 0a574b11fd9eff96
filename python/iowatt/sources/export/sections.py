"""A profile ready for export: found, checked, and cut into sections of constant rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.model.profile import Profile, ProfilePhase, load
from iowatt.model.profile.laws import Recorded
from iowatt.sources.export.loads import PreparedProfile, RateSection

PLAIN_S: Final = 60.0
_MOST: Final = 1000


def sections(profile: Profile, duration_s: float | None) -> list[RateSection]:
    """Sections of constant rates that fill ``duration_s`` (not given: one round of the phases or of the
    longest envelope, else a minute).

    Raises ``InputError``: more than a thousand sections.
    """
    end = duration_s or _one_round(profile)
    if not profile.rated:
        return [RateSection("", 0.0, end, None)]
    if not profile.phase and not profile.envelope:
        return [RateSection("", 0.0, end, _rates(profile, 1.0, None))]
    found: list[RateSection] = []
    at, number = 0.0, 0
    while at < end * (1 - 1e-12):
        if len(found) >= _MOST:
            message = f"{end:g} s of phases and envelopes are more than {_MOST} sections"
            raise InputError("too-large", None, message, hint="a shorter `duration=`")
        number += 1
        phase, phase_end = _phase(profile, at)
        factor, envelope_end = _envelope(profile, at)
        until = min(end, phase_end, envelope_end)
        name = f"{phase.name}-{number}" if phase is not None else f"part-{number}"
        found.append(RateSection(name, at, until - at, _rates(profile, factor, phase)))
        at = until
    if profile.phase and len(found) == len(profile.phase):
        names = [phase.name for phase in profile.phase]
        if len(set(names)) == len(names):
            found = [
                RateSection(n, s.start_s, s.length_s, s.rates) for n, s in zip(names, found, strict=True)
            ]
    return found


def _one_round(profile: Profile) -> float:
    if profile.phase:
        return math.fsum(phase.duration for phase in profile.phase)
    return max((envelope.period for envelope in profile.envelope), default=PLAIN_S)


def _phase(profile: Profile, at: float) -> tuple[ProfilePhase | None, float]:
    """The phase at a time, and when it ends."""
    if not profile.phase:
        return None, math.inf
    total = math.fsum(phase.duration for phase in profile.phase)
    rounds = math.floor((at + 1e-9) / total)
    end = rounds * total
    for phase in profile.phase:
        end += phase.duration
        if at < end - 1e-9:
            return phase, end
    return profile.phase[0], (rounds + 1) * total + profile.phase[0].duration


def _envelope(profile: Profile, at: float) -> tuple[float, float]:
    """The product of all envelopes at a time, and when it changes."""
    factor, until = 1.0, math.inf
    for envelope in profile.envelope:
        step = envelope.period / len(envelope.factors)
        index = math.floor((at + 1e-9) / step)
        mean = math.fsum(envelope.factors) / len(envelope.factors)
        factor *= envelope.factors[index % len(envelope.factors)] / mean
        until = min(until, (index + 1) * step)
    return factor, until


def _rates(profile: Profile, factor: float, phase: ProfilePhase | None) -> dict[str, float]:
    common = 0.0 if profile.arrivals is None else profile.arrivals.mean_rate or 0.0
    if phase is not None:
        factor *= phase.factor
    rates = {}
    for stream in profile.stream:
        if stream.share is not None:
            shares = None if phase is None else phase.shares
            share = stream.share if shares is None else shares.get(stream.name, 0.0)
            rate = common * share / 100
        elif stream.rate_iops is not None:
            rate = stream.rate_iops
        else:
            rate = 0.0 if stream.arrivals is None else stream.arrivals.mean_rate or 0.0
        rates[stream.name] = rate * factor
    return rates


def prepare(
    name: str,
    overrides: Sequence[str] = (),
    *,
    target: str | None = None,
    seed: int = 1,
    duration_s: float | None = None,
    rate_iops: float | None = None,
    span: int | None = None,
    outstanding: int | None = None,
) -> PreparedProfile:
    """A profile, by name or file, for a load generator on ``target`` (a file or device).

    ``outstanding`` is how many requests it may keep outstanding at a rate; None: as many as the rate needs.

    Raises ``InputError`` with file, line and fix, for all that is wrong with the profile; where nothing says
    how large the span is; and for recorded arrivals, which no generator makes.
    """
    if target is not None and any(ord(character) < 32 or ord(character) == 127 for character in target):
        # A line break in a job file could name another file to write to.
        message = f"{target!r} has control characters, which a job file cannot hold"
        raise InputError("bad-syntax", Argument("target"), message)
    loaded = load(name, overrides, rate_iops=rate_iops)
    profile = loaded.profile
    size = span or profile.span
    loaded.check(size)
    if size is None:
        message = f"the profile {profile.name!r} has no address space (`span`)"
        raise InputError("missing", loaded.document.source, message, hint="add `span=1TiB`")
    if isinstance(profile.arrivals, Recorded):
        message = "fio and vdbench cannot replay recorded time stamps"
        hint = 'give other arrivals: `set=arrivals={law="poisson",rate=500}`'
        raise InputError("unsupported", loaded.document.place(("arrivals", "law")), message, hint=hint)
    cut = sections(profile, duration_s)
    return PreparedProfile(loaded, size, seed, target or f"{profile.name}.dat", cut, outstanding)
