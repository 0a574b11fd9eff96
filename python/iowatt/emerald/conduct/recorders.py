"""The instruments of a plan, recorded beside the stages: power and temperature alike."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from iowatt.emerald.plan.model import Instrument, Plan
from iowatt.sources.meters import recorders
from iowatt.sources.meters.recorders import InstrumentRequest, Note, Recorders

#: How often they are read, in s. Facts of the rules: power at most 5 s apart, temperature at most a minute.
_EVERY_S: Final = {"power": 1.0, "temperature": 10.0}
#: More often only where an interval of the figures, in a rehearsal, would else be without a sample: an answer
#: may be late by a fifth of the interval. Meters on a network follow down to about a second.
_INTERVAL_SHARE: Final = 0.8
_LEAST_S: Final = 0.05


def of(plan: Plan, folder: Path, note: Note) -> Recorders:
    """Recorders of all instruments of a plan, into a folder. Raises ``InputError``."""
    wanted = [InstrumentRequest(one.name, one.source, sampling_s(plan, one.role)) for one in plan.instruments]
    return Recorders(wanted, folder, note)


def file_name(instrument: Instrument) -> str:
    """What an instrument's files are called."""
    return recorders.file_name(instrument.name)


def sampling_s(plan: Plan, role: str) -> float:
    """Time between two samples in s: as in a measurement, unless an interval of the figures is shorter."""
    shortest = min(stage.interval_s for stage in plan.stages)
    return max(_LEAST_S, min(_EVERY_S[role], _INTERVAL_SHARE * shortest))
