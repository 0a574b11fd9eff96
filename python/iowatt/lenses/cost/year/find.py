"""Duty cycles by the specification of a command line, and of a profile's envelopes.

Envelopes repeat from the profile's second 0, midnight before a Monday. Several multiply, each scaled to a
mean of 1 as in the generator; an hour's load is the mean of their product.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from iowatt.base.document import TomlDocument, read_text
from iowatt.base.errors import Argument, InputError
from iowatt.base.results import Note
from iowatt.lenses.cost.year import file, measured
from iowatt.lenses.cost.year.cycle import DAYS_A_WEEK, HOURS_A_DAY, Cycle, Floats
from iowatt.model.profile import Envelope, Loaded, Profile, load
from iowatt.run.bundle import Run

EXPECTED: Final = (
    "a duty cycle (.toml), a profile (profile:NAME), a log of iostat, sar or perfmon (LOG or "
    "LOG:DEVICE,...), a Run's folder, or flat"
)
_PROFILE: Final = "profile:"
_FLAT: Final = "flat"


def find_cycle(spec: str) -> Cycle:
    """The cycle of ``spec``; raises ``InputError`` where there is none or it is not accepted.

    ``spec`` is ``PATH.toml`` (a duty cycle or a profile), ``profile:NAME``, a log of counters as ``LOG`` or
    ``LOG:DEVICE,DEVICE``, a Run's folder, or ``flat`` (the highest load at all hours). With ``@SHARE`` at its
    end only the shape counts, with its highest hour at that share of the highest load: ``flat@0.6``.
    """
    name, at, text = spec.rpartition("@")
    if at and not _exists(spec):
        return replace(_cycle(name), where=name).as_share(_share(text))
    return replace(_cycle(spec), where=spec)  # a hint repeats its place


def _cycle(spec: str) -> Cycle:
    if spec == _FLAT:
        return _flat()
    if spec.startswith(_PROFILE):
        return of_profile(load(spec.removeprefix(_PROFILE)))
    if spec.endswith(".toml"):
        return _of_toml(spec)
    path = Path(spec)
    if _exists(spec):
        if path.is_dir() or path.name == "run.json":
            return measured.of_run(Run.open(path))
        return measured.of_log(path)
    for colon, letter in enumerate(spec):  # Windows' devices have colons in their names
        if letter == ":" and _exists(spec[:colon]):
            names = [name for name in spec[colon + 1 :].split(",") if name]
            return measured.of_log(Path(spec[:colon]), names)
    raise InputError("not-found", Argument("duty"), f"there is no {spec!r}; expected {EXPECTED}")


def _of_toml(spec: str) -> Cycle:
    """A duty cycle or a profile, as its schema says."""
    document = TomlDocument(read_text(Path(spec)), spec)
    if str(document.raw.get("schema", "")).startswith("iowatt.profile/"):
        return of_profile(load(spec))
    return file.of_document(document)


def _exists(spec: str) -> bool:
    try:
        return bool(spec) and Path(spec).exists()
    except (OSError, ValueError):  # a name that is too long, or has a NUL in it
        return False


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = float("nan")
    if not 0.0 < share <= 1.0:
        raise InputError(
            "out-of-range",
            Argument("duty"),
            f"{text!r} is not a share of the highest load; expected above 0 up to 1",
        )
    return share


def _flat() -> Cycle:
    return Cycle(
        name=_FLAT, title="the same load at all hours", where=_FLAT, measure="share",
        week=np.ones((DAYS_A_WEEK, HOURS_A_DAY)), source="the command line", quality="given",
    )  # fmt: skip


_WEEK_S: Final = 604_800.0
_HOURS: Final = DAYS_A_WEEK * HOURS_A_DAY
_MOST_BORDERS: Final = 2_000_000


def of_profile(loaded: Loaded) -> Cycle:
    """The load of a profile over the week, in requests/s, or as a share of its highest hour without a rate.

    Raises ``InputError``: closed or recorded arrivals, no envelope, a period that does not divide a week.
    """
    profile, where = loaded.profile, loaded.document.source
    if profile.arrivals is not None and profile.arrivals.law in ("closed", "recorded"):
        raise InputError(
            "not-applicable",
            f"{where}: arrivals",
            f"{profile.arrivals.law} arrivals have no clock, so there is no load by hour",
            hint="write the hours down; examples/cost/office-hours.toml is one to start from",
        )
    for missing in profile.missing:
        if missing.figure == "envelope" and not profile.envelope:
            raise InputError(
                "missing-figure",
                f"{where}: envelope",
                f"the profile has no envelope: {missing.why}",
                hint="write the hours down, starting from examples/cost/office-hours.toml; flat is the same "
                "load at all hours",
            )
    shape = _week(profile, where)
    if not shape.any():
        raise InputError("empty", f"{where}: envelope", "the envelopes together leave no hour with requests")
    rate = profile.mean_rate or None
    notes = [Note(code="profile", text=text) for text in profile.notes]
    if not profile.envelope:
        text = f"the profile {profile.name} has no envelope: the load is the same at all hours"
        notes.append(Note(code="flat-load", text=text))
    else:
        text = f"the envelopes of the profile {profile.name} begin at midnight; those of a week on Monday"
        notes.append(Note(code="start-of-envelope", text=text))
    if rate is None:
        text = (
            f"the profile {profile.name} has no rate: its highest hour is set to the highest load that has a "
            "Run"
        )
        notes.append(Note(code="no-rate", text=text))
    week = shape / shape.max() if rate is None else shape * rate
    source, quality = _source(profile)
    return Cycle(
        name=profile.name, title=profile.title, where=where, measure="share" if rate is None else "iops",
        week=week, source=source, quality=quality, notes=tuple(notes),
    )  # fmt: skip


def _source(profile: Profile) -> tuple[str, str]:
    """Source and quality of the profile's envelope."""
    for source in profile.source:
        if any(figure.split(".")[0] == "envelope" for figure in source.figures):
            return source.text, source.quality
    return f"the profile {profile.name}", "stated" if not profile.envelope else "given"


def _week(profile: Profile, where: str) -> Floats:
    """Factors of each hour of a week, (7, 24), with a mean of 1 (of several envelopes, about 1)."""
    borders = [np.arange(_HOURS + 1) * 3600.0]
    for index, envelope in enumerate(profile.envelope):
        if not any(envelope.factors):
            raise InputError(
                "out-of-range",
                f"{where}: envelope[{index}].factors",
                "all factors are 0; expected at least one above 0",
            )
        times = _WEEK_S / envelope.period
        if not math.isclose(times, round(times), rel_tol=1e-9) or round(times) < 1:
            raise InputError(
                "not-accepted",
                f"{where}: envelope[{index}].period",
                f"a week is not a multiple of {envelope.period:g} s; expected daily, weekly, or a period "
                "that divides them, such as 8h",
            )
        count = round(times) * len(envelope.factors)
        if count > _MOST_BORDERS:
            raise InputError(
                "too-large",
                f"{where}: envelope[{index}].factors",
                f"they cut a week into {count} parts; expected at most {_MOST_BORDERS}",
            )
        borders.append(np.arange(1, count) * (_WEEK_S / count))
    at = np.unique(np.concatenate(borders))
    middle, width = at[:-1] + np.diff(at) / 2, np.diff(at)
    product = np.ones(len(middle))
    for envelope in profile.envelope:
        product *= _factor(envelope, middle)
    hour = np.minimum((middle // 3600.0).astype(np.int64), _HOURS - 1)
    means = np.bincount(hour, weights=product * width, minlength=_HOURS) / 3600.0
    return means.reshape(DAYS_A_WEEK, HOURS_A_DAY)


def _factor(envelope: Envelope, at_s: Floats) -> Floats:
    factors = np.array(envelope.factors)
    part = envelope.period / len(factors)
    which = ((at_s % envelope.period) // part).astype(np.int64)
    at: Floats = factors[np.minimum(which, len(factors) - 1)] / factors.mean()
    return at
