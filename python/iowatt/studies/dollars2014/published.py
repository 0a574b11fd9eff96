"""What Li, Mukker and Zadok published of their systems (HotStorage 2014)."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BeforeValidator

from iowatt.studies.text import StudyFile, printed, study_text

TEXT: Final = study_text("dollars2014")

Range = tuple[float, float]
Threshold = Annotated[int | None, BeforeValidator(lambda key: None if key == "all" else key)]


class PublishedWork(StudyFile):
    """The published figures of one workload; shares in percent."""

    throughput: dict[Threshold, Range]
    hit_caching: Range
    hit_tiering: Range
    hit_linear: float
    long_run: Range
    years: float
    years_range: Range


class DollarsFigures(StudyFile):
    """All published figures; ``published.toml`` says what each is."""

    smallest_kib: int
    smallest_throughput: float
    once: float
    long_run: float
    slightly: Range
    workloads: dict[str, PublishedWork]


PRINTED: Final = printed("dollars2014", DollarsFigures)
