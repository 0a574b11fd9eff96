"""Calculations that were published with their inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from iowatt.studies.text import StudyFile, printed, study_text

TEXT: Final = study_text("durability")


class Calculation(StudyFile):
    """Inputs and result of a calculation; rates a year, times in hours."""

    key: str
    who: str
    #: ``mttdl``: the mean time to data loss in hours. ``windows``: the probability of no loss in a year.
    formula: Literal["mttdl", "windows"]
    members: int
    losses: int
    groups: int
    rate_a_year: float
    repair_h: float
    figure: str
    value: float
    #: Digits after the point of a printed probability.
    places: int = 0


class WeibullCase(StudyFile):
    """The laws of Elerath and Pecht, and how many times the losses of an MTTDL they found."""

    shape: float
    scale_h: float
    members: int
    hours: float
    repair_h: float
    latent_h: float
    scrub_h: float
    least: float
    most: float


class DurabilityFigures(StudyFile):
    """All of it."""

    calculation: Sequence[Calculation]
    weibull: WeibullCase


PRINTED: Final = printed("durability", DurabilityFigures)
