"""Drives of members in a quarter: those that fail, by the age of their members, and SSDs worn out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iowatt.evaluate.fleet.demand import QUARTERS

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.member import DriveGroup
    from iowatt.evaluate.fleet.timeline import Cohort

_WHOLE = 1e-9


class DriveUse:
    """Follows the wear of each cohort's SSDs; ``warranty`` is in years of a drive's age."""

    def __init__(self, warranty: float) -> None:
        self.warranty = warranty
        #: Lives of SSDs that a cohort has used up so far.
        self._used: dict[int, float] = {}

    def quarter(
        self, groups: Sequence[DriveGroup], cohorts: Sequence[Cohort], start: float, wear_per_year: float
    ) -> tuple[dict[str, tuple[float, float]], dict[str, float]]:
        """Expected failures with those beyond the warranty, and worn-out drives, by model.

        To be called once for each quarter, in order. Members that are there at the start wore as much before.
        """
        failures = {group.model: (0.0, 0.0) for group in groups}
        worn = {group.model: 0.0 for group in groups}
        for cohort in cohorts:
            age, length = start - cohort.bought, 1.0 / QUARTERS
            used = self._used.get(id(cohort), wear_per_year * age)
            self._used[id(cohort)] = used + wear_per_year * length
            lives = int(self._used[id(cohort)] + _WHOLE) - int(used + _WHOLE)
            for group in groups:
                drives = cohort.count * group.count
                all_, late = failures[group.model]
                beyond = group.failures(max(age, self.warranty), max(age + length, self.warranty))
                failures[group.model] = (
                    all_ + drives * group.failures(age, age + length),
                    late + drives * beyond,
                )
                if group.kind == "ssd":
                    worn[group.model] += drives * lives
        return failures, worn
