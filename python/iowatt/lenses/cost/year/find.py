"""Duty cycles by what a command line says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from iowatt.base.document import Document, read_text
from iowatt.base.errors import Argument, InputError
from iowatt.lenses.cost.year import completed, envelope, file, recorded
from iowatt.lenses.cost.year.cycle import DAYS_A_WEEK, HOURS_A_DAY, Cycle
from iowatt.model.profile.find import load
from iowatt.run.bundle import Run

EXPECTED: Final = (
    "a duty cycle (.toml), a profile (profile:NAME), a log of iostat, sar or perfmon (LOG or "
    "LOG:DEVICE,...), a Run's folder, or flat"
)
_PROFILE: Final = "profile:"
_FLAT: Final = "flat"


def find_cycle(spec: str) -> Cycle:
    """The cycle of ``spec``.

    Parameters
    ----------
    spec:
        ``PATH.toml`` (a duty cycle or a profile), ``profile:NAME``, a log of counters as ``LOG`` or
        ``LOG:DEVICE,DEVICE``, a Run's folder, or ``flat`` (the highest load at all hours). With ``@SHARE``
        behind it only its shape counts, the highest hour at that share of the highest load: ``flat@0.6``.

    Raises
    ------
    InputError
        There is none such, or something in it is wrong.
    """
    name, at, text = spec.rpartition("@")
    if at and not _exists(spec):
        return _named(name).as_share(_share(text))
    return _named(spec)


def _named(spec: str) -> Cycle:
    """With ``spec`` as its place, so that a hint can repeat it."""
    return replace(_found(spec), where=spec)


def _found(spec: str) -> Cycle:
    if spec == _FLAT:
        return _flat()
    if spec.startswith(_PROFILE):
        return envelope.of_profile(load(spec.removeprefix(_PROFILE)))
    if spec.endswith(".toml"):
        return _of_toml(spec)
    path = Path(spec)
    if _exists(spec):
        if path.is_dir() or path.name == "run.json":
            return completed.of_run(Run.open(path))
        return recorded.of_log(path)
    for colon, letter in enumerate(spec):  # Windows' devices have colons in their names
        if letter == ":" and _exists(spec[:colon]):
            names = [name for name in spec[colon + 1 :].split(",") if name]
            return recorded.of_log(Path(spec[:colon]), names)
    raise InputError("not-found", Argument("duty"), f"there is no {spec!r}; expected {EXPECTED}")


def _of_toml(spec: str) -> Cycle:
    """A duty cycle or a profile, as its schema says."""
    document = Document(read_text(Path(spec)), spec)
    if str(document.raw.get("schema", "")).startswith("iowatt.profile/"):
        return envelope.of_profile(load(spec))
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
            f"{text!r} is not a share of the highest load; expected more than 0 and at most 1",
        )
    return share


def _flat() -> Cycle:
    return Cycle(
        name=_FLAT,
        title="the same load at all hours",
        where=_FLAT,
        measure="share",
        week=np.ones((DAYS_A_WEEK, HOURS_A_DAY)),
        source="asked for on the command line",
        quality="given",
    )
