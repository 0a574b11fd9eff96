"""A place on an axis in other words: repetitions as years, a factor of all prices as a price of energy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from iowatt.lenses.cost.horizon import Horizon
from iowatt.lenses.cost.result import Elsewhere
from iowatt.lenses.cost.uncertainty.cost_curve import Course


def elsewhere(
    course: Course, names: tuple[str, ...], at: float, work_s: Mapping[str, float] | None
) -> Iterator[Elsewhere]:
    """Years of each system at an ``alpha``, repetitions at ``years``, mean prices at an ``energy.factor``."""
    of = course.axis.of
    for name in names:
        if of == "alpha" and work_s is not None:
            years = Horizon("work", at).years(work_s[name])
            yield Elsewhere(text=f"time that {name} takes", value=years, unit="years")
        elif of == "years" and work_s is not None:
            repeats = Horizon("time", at).repeats(work_s[name])
            yield Elsewhere(text=f"repetitions of the work by {name}", value=repeats, unit="times")
        elif of == "energy.factor":
            price = course.usd_per_kwh(name, at)
            if price is not None:
                yield Elsewhere(text=f"mean price of energy and demand, {name}", value=price, unit="USD/kWh")
