"""The live part of a workbook: the expressions that are formulas, and the assumptions they follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from iowatt.lenses.cost.result import Cost, CostComponent, DriveCost, SystemCost
from iowatt.pages.cost import expression

HORIZON: Final = "horizon"
"""The horizon, among the keys that something is live for."""
RATE: Final = "discount.rate"
NOT_FOLLOWED: Final = "not followed: no formula uses it"
ONLY_CARBON: Final = "live in kg of carbon only: no dollars use it"

OF_DRIVE: Final = ("price", "lives", "served")
_TIME: Final = ("repeats", "years")
#: Largest deviation of an expression from its dollars: rounding, or less than half a cent where the horizon
#: cuts the last repetition of the work.
_CLOSE: Final = 1e-9
_CUT: Final = 1e-6
_HALF_CENT: Final = 0.005
#: Half the format's 8,192 characters of a formula, as names of cells are longer than those of figures.
_LONGEST: Final = 4000


def numbers(found: Cost) -> dict[str, float]:
    """The assumptions that are numbers, by key."""
    return {one.key: float(one.value) for one in found.assumptions if not isinstance(one.value, str)}


class Live:
    """The live part of one system."""

    def __init__(self, system: SystemCost, figures: Mapping[str, float]) -> None:
        self._system = system
        self._figures = figures
        self._values = expression.values(system, figures)
        self._drives = {one.name: one for one in system.drives}
        self._components = {one.key: one for one in system.components}

    def of_component(self, component: CostComponent) -> str | None:
        """Its expression, where it can be computed and its value is the component's dollars."""
        text = component.expression
        value = self._values.get(component.key)
        if text is None or value is None or len(text) > _LONGEST:
            return None
        return text if component.usd is not None and _close(value, component.usd) else None

    def of_drive(self, drive: DriveCost) -> str | None:
        """The expression of a drive's price, the same way."""
        return self._plain(drive.price_expression, drive.price_usd)

    def of_lives(self, drive: DriveCost) -> str | None:
        """That of the horizon in lives of the drives in its place."""
        return self._plain(drive.lives_expression, drive.lives)

    def of_carbon(self, which: str) -> str | None:
        """That of ``operational`` or ``embodied`` carbon."""
        carbon = self._system.carbon
        if which == "operational":
            return self._plain(carbon.operational_expression, carbon.operational_kg)
        return self._plain(carbon.embodied_expression, carbon.embodied_kg)

    def _plain(self, text: str | None, value: float | None) -> str | None:
        """An expression of figures and the horizon only."""
        if text is None or value is None or len(text) > _LONGEST:
            return None
        try:
            found = expression.evaluate(
                text, lambda name: expression.value_of(name, self._system, None, self._figures)
            )
        except (ValueError, KeyError):
            return None
        return text if _close(found, value) else None

    def keys(self, component: CostComponent) -> tuple[set[str], set[str]]:
        """Keys that its dollars follow, and those that they rest on but do not follow."""
        text = self.of_component(component)
        live = set() if text is None else self._of_text(text, component)
        rests = {key for key in component.rests_on if key in self._figures}
        if component.scales != "once":
            rests.add(HORIZON)
        return live, rests - live

    def carbon_keys(self) -> tuple[set[str], set[str]]:
        """Keys that carbon follows, and those that it rests on and does not follow."""
        live: set[str] = set()
        stays: set[str] = set()
        carbon = self._system.carbon
        for which, rests_on in (
            ("operational", carbon.operational_rests_on), ("embodied", carbon.embodied_rests_on)
        ):  # fmt: skip
            text = self.of_carbon(which)
            follows = set() if text is None else self._of_text(text, None)
            rests = {key for key in rests_on if key in self._figures}
            stays |= (rests if text is not None else rests | {HORIZON}) - follows
            live |= follows
        return live, stays

    def _of_text(self, text: str, component: CostComponent | None) -> set[str]:
        found: set[str] = set()
        for name in expression.names(text):
            if name in _TIME:
                found.add(HORIZON)
            elif name in self._figures:
                found.add(name)
            elif name.partition(":")[0] in OF_DRIVE:
                kind, _, other = name.partition(":")
                drive = self._drives[other or (component.device if component else None) or ""]
                of_it = self.of_drive(drive) if kind == "price" else self.of_lives(drive)
                found |= set() if of_it is None else self._of_text(of_it, None)
            elif name.startswith("usd:"):
                found |= self.keys(self._components[name.removeprefix("usd:")])[0]
            elif name.startswith("kg."):
                carbon = self.of_carbon(name.removeprefix("kg."))
                found |= set() if carbon is None else self._of_text(carbon, None)
        return found


def _close(value: float, stated: float) -> bool:
    apart, size = abs(value - stated), max(abs(value), abs(stated))
    return apart <= _CLOSE * size or (apart <= _CUT * size and apart < _HALF_CENT)


def follows(cost: Cost) -> dict[str, str]:
    """For each number of the assumptions and the horizon: whether the workbook follows it, in words."""
    figures = numbers(cost)
    live_in: dict[str, set[str]] = {}
    stated_in: dict[str, set[str]] = {}
    for system in cost.systems:
        live = Live(system, figures)
        keys = [(component.group, live.keys(component)) for component in system.components]
        for group, (yes, no) in [*keys, ("carbon", live.carbon_keys())]:
            for key in yes:
                live_in.setdefault(key, set()).add(group)
            for key in no:
                stated_in.setdefault(key, set()).add(group)
    texts = {}
    for key in [HORIZON, *figures]:
        if key == RATE:
            texts[key] = "live (present value)"
        elif key in stated_in:
            parts = "live in part; stays as stated in" if key in live_in else "stays as stated in"
            texts[key] = f"{parts} {', '.join(sorted(stated_in[key]))}"
        elif key not in live_in:
            texts[key] = NOT_FOLLOWED
        else:
            only = live_in[key] == {"carbon"} and not key.startswith("carbon.") and key != HORIZON
            texts[key] = ONLY_CARBON if only else "live"
    return texts
