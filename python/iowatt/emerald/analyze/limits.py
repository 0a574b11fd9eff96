"""The rules for a plan's category, looked up only where needed: every look-up is recorded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.analyze.checks.instruments import InstrumentLimits
from iowatt.emerald.analyze.checks.stability import READINGS, Reading
from iowatt.emerald.plan import Plan
from iowatt.emerald.rules import Rules


@dataclass(frozen=True)
class StabilityLimits:
    """The stability rule: weights, tolerance, reading."""

    weights_name: str
    weights: Sequence[float]
    tolerance: float  #: A fraction.
    reading: Reading


class PlanRules:
    """The rules as the category of a plan sees them."""

    def __init__(self, rules: Rules, plan: Plan) -> None:
        self.plan = plan
        self.rules = rules.fresh()
        self.name = rules.name
        self._category = plan.category

    def number(self, key: str) -> float:
        """A rule that every profile has. Raises ``InputError`` where it is missing or not known."""
        return self.rules.number(key, self._category)

    def known(self, key: str) -> Any:
        """A rule's value; None where the rule or its value is not known."""
        return self.rules.known(key, self._category)

    def names(self, key: str) -> tuple[str, ...]:
        """A rule that is a list of names."""
        return self.rules.names(key, self._category)

    def access(self, workload: str) -> str | None:
        """``random`` or ``sequential``."""
        return cast("str | None", self.known(f"workloads.{workload}.access"))

    def stability(self, weights: str | None, reading: str | None) -> StabilityLimits:
        """Weights and reading by name, else by the rules."""
        name = weights or str(self.rules.value("stability.weights_set", self._category))
        chosen = reading or str(self.rules.value("stability.reading", self._category))
        if chosen not in READINGS:
            place = Argument("reading") if reading else f"{self.rules.name}: stability.reading"
            text = f"there is no reading {chosen!r} of the stability rule; expected a, b or c"
            raise InputError("unknown-name", place, text)
        if self.rules.find(f"stability.weights.{name}", self._category) is None:
            known = [rule.key.rpartition(".")[2] for rule in self.rules.matching("stability.weights.*")]
            place = Argument("weights") if weights else f"{self.rules.name}: stability.weights_set"
            text = f"the rules have no weights {name!r}; expected {' or '.join(known)}"
            raise InputError("unknown-name", place, text)
        values = self.rules.value(f"stability.weights.{name}", self._category)
        points = int(self.number("stability.points"))
        if len(values) != points or abs(sum(values) - 1) > 1e-9:
            text = f"expected {points} numbers that add to 1, not {values}"
            raise InputError("out-of-range", f"{self.rules.name}: stability.weights.{name}", text)
        tolerance = self.number("stability.tolerance_percent") / 100
        return StabilityLimits(name, values, tolerance, chosen)

    def instruments(self, power_w: float | None, quantities: Collection[str]) -> InstrumentLimits:
        """Limits of instruments at a power, of the ``quantities`` that they recorded."""
        volts = self.known("instruments.voltage.ranges") if "volts" in quantities else []
        off = self._at("instruments.voltage.tolerance_percent", power_w) if volts else None
        thd = "thd_percent" in quantities
        return InstrumentLimits(
            power_sampling_s=self.number("instruments.power.sampling_s"),
            power_accuracy_percent=self.number("instruments.power.accuracy_percent"),
            samples_percent=self.number("instruments.power.samples_percent"),
            temperature_sampling_s=self.number("instruments.temperature.sampling_s"),
            clock_apart_s=self.number("instruments.clock.apart_s"),
            celsius=self._range("instruments.temperature.range_celsius") if "celsius" in quantities else None,
            hertz=self._range("instruments.frequency.range_hz") if "hertz" in quantities else None,
            volts=[(float(row["from_v"]), float(row["to_v"])) for row in volts or []],
            volts_tolerance_percent=off or 0.0,
            thd_percent=self._at("instruments.voltage.thd_percent", power_w) if thd else None,
        )

    def resolution(self) -> Sequence[Mapping[str, float]]:
        """The rules' table of resolutions by power."""
        return cast("Sequence[Mapping[str, float]]", self.known("instruments.power.resolution") or [])

    def _range(self, key: str) -> tuple[float, float] | None:
        low_high = self.known(key)
        return (float(low_high[0]), float(low_high[1])) if low_high else None

    def _at(self, key: str, power_w: float | None) -> float | None:
        """A rule that is stated by power: ``[{up_to_w, percent}, {percent}]``."""
        for row in self.known(key) or []:
            if "up_to_w" not in row or (power_w is not None and power_w <= row["up_to_w"]):
                return float(row["percent"])
        return None
