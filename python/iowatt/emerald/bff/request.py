"""What is asked of a search for the best foot forward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import suggestion
from iowatt.emerald.family import Family, Metric, metric, metrics

Confirm = Literal["near", "all"]


@dataclass(frozen=True)
class Asked:
    """A family, and of it the metrics, drive options, levels and controller classes; none: all of them."""

    family: Family
    metrics: Sequence[str] = ()
    drives: Sequence[str] = ()
    levels: Sequence[str] = ()
    controllers: Sequence[str] = ()
    #: Whether peaks are simulated, or left as estimated.
    simulate: bool = True
    #: Whether curves are estimated first; without it every point by whole shelves is simulated.
    estimate: bool = True
    #: Which curves are simulated: those estimated near the best and the best of each level; or all.
    confirm: Confirm = "near"
    near_percent: float = 10.0
    #: Of the rates found, as a share.
    tolerance: float = 0.01
    #: How near its peak a metric must come in the reduced list.
    within_percent: float = 5.0
    command: str | None = None

    def __post_init__(self) -> None:
        if not (self.simulate or self.estimate):
            raise InputError(
                "conflict", Argument("simulate"), "without simulations and estimates nothing can be judged"
            )
        for value, argument, most in (
            (self.tolerance, "tolerance", 0.2),
            (self.within_percent, "within", 50.0),
            (self.near_percent, "near_percent", 100.0),
        ):
            if not 0 < value <= most:
                raise InputError(
                    "out-of-range",
                    Argument(argument),
                    f"{value:g} is out of range; expected more than 0, at most {most:g}",
                )

    def chosen_metrics(self) -> list[Metric]:
        """The metrics asked for in the family's order. Raises ``InputError`` where one does not exist."""
        known = metrics(self.family)
        if not self.metrics:
            return list(known)
        asked = {metric(self.family, name).name for name in self.metrics}
        return [one for one in known if one.name in asked]

    def chosen_drives(self) -> list[str]:
        """Names of drive options."""
        return _chosen(self.drives, [one.name for one in self.family.file.drive], "drive")

    def chosen_levels(self) -> list[str]:
        """Names of levels."""
        return _chosen(self.levels, [one.name for one in self.family.file.raid], "raid")

    def chosen_controllers(self) -> list[str]:
        """Names of controller classes."""
        return _chosen(self.controllers, [one.name for one in self.family.file.controller], "controller")


def _chosen(asked: Sequence[str], known: list[str], argument: str) -> list[str]:
    for name in asked:
        if name not in known:
            raise InputError(
                "unknown-name",
                Argument(argument),
                f"the family has no {argument} {name!r}",
                hint=suggestion(name, known, "names"),
            )
    return [name for name in known if not asked or name in asked]
