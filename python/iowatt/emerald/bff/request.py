"""The request of a search for the best foot forward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import suggestion
from iowatt.emerald.family import EmeraldMetric, Family, all_metrics, find_metric


@dataclass(frozen=True)
class BffRequest:
    """A family, and of it the metrics, drive options, levels and controller classes; none: all of them."""

    family: Family
    metrics: Sequence[str] = ()
    drives: Sequence[str] = ()
    levels: Sequence[str] = ()
    controllers: Sequence[str] = ()
    simulate: bool = True  #: Whether peaks are simulated, or left as estimated.
    #: Whether curves are estimated first; without it every point by whole shelves is simulated.
    estimate: bool = True
    #: Which curves are simulated: those estimated near the best and the best of each level; or all.
    confirm: Literal["near", "all"] = "near"
    near_percent: float = 10.0
    tolerance: float = 0.01  #: Of the rates found, as a share.
    within_percent: float = 5.0  #: How near its peak a metric must come in the reduced list.
    command: str | None = None

    def __post_init__(self) -> None:
        if not (self.simulate or self.estimate):
            text = "without simulations and estimates there are no figures"
            raise InputError("conflict", Argument("simulate"), text)
        for value, argument, most in (
            (self.tolerance, "tolerance", 0.2),
            (self.within_percent, "near_peak", 50.0),
            (self.near_percent, "near_percent", 100.0),
        ):
            if not 0 < value <= most:
                text = f"{value:g} is out of range; expected more than 0, at most {most:g}"
                raise InputError("out-of-range", Argument(argument), text)

    def as_dict(self) -> dict[str, Any]:
        """The request as a search's folder has it."""
        family, keys = self.family, ("metrics", "drives", "levels", "controllers")
        shown = {"family": family.document.source, "sha256": family.sha256, "set": list(family.sets)}
        shown |= {key: list(getattr(self, key)) for key in keys}
        more = ("simulate", "confirm", "tolerance", "within_percent", "command")
        return shown | {key: getattr(self, key) for key in more}

    def chosen_metrics(self) -> list[EmeraldMetric]:
        """The chosen metrics in the family's order. Raises ``InputError`` where one does not exist."""
        chosen = {find_metric(self.family, name).name for name in self.metrics}
        return [one for one in all_metrics(self.family) if not chosen or one.name in chosen]

    def chosen_drives(self) -> list[str]:
        """Names of drive options."""
        return self._chosen(self.drives, "drive")

    def chosen_levels(self) -> list[str]:
        """Names of levels."""
        return self._chosen(self.levels, "raid")

    def chosen_controllers(self) -> list[str]:
        """Names of controller classes."""
        return self._chosen(self.controllers, "controller")

    def _chosen(self, names: Sequence[str], kind: str) -> list[str]:
        known = [one.name for one in getattr(self.family.file, kind)]
        for name in names:
            if name not in known:
                hint = suggestion(name, known, "names")
                text = f"the family has no {kind} {name!r}"
                raise InputError("unknown-name", Argument(kind), text, hint=hint)
        return [name for name in known if not names or name in names]
