"""A place on an axis in other words: repetitions as years, a factor of all prices as a price of energy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from iowatt.lenses.cost.horizon import Horizon
from iowatt.lenses.cost.uncertainty.course import Course


@dataclass(frozen=True)
class Elsewhere:
    """What a place comes to for one system."""

    text: str
    value: float
    unit: str

    def as_dict(self) -> dict[str, object]:
        """For the document."""
        return {"text": self.text, "value": self.value, "unit": self.unit}


def elsewhere(
    course: Course, names: tuple[str, ...], at: float, work_s: Mapping[str, float] | None
) -> Iterator[Elsewhere]:
    """Years of each system at an ``alpha``, repetitions at ``years``, mean prices at an ``energy.factor``."""
    of = course.axis.of
    for name in names:
        if of == "alpha" and work_s is not None:
            yield Elsewhere(f"time that {name} takes", Horizon("work", at).years(work_s[name]), "years")
        elif of == "years" and work_s is not None:
            yield Elsewhere(
                f"repetitions of the work by {name}", Horizon("time", at).repeats(work_s[name]), "times"
            )
        elif of == "energy.factor":
            price = course.usd_per_kwh(name, at)
            if price is not None:
                yield Elsewhere(f"mean price of energy and demand, {name}", price, "USD/kWh")
