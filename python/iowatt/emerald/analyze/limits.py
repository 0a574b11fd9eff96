"""What the rules ask of a stage, asked for only where needed: every question is recorded by them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.judge.instruments import Limits as InstrumentLimits
from iowatt.emerald.judge.stability import READINGS, Reading
from iowatt.emerald.plan.model import Plan
from iowatt.emerald.rules import Rules

RANDOM: Literal["random"] = "random"


@dataclass(frozen=True)
class Stability:
    """How stability is judged."""

    weights_name: str
    weights: Sequence[float]
    #: A fraction.
    tolerance: float
    reading: Reading


class Asked:
    """The rules as the category of a plan sees them."""

    def __init__(self, rules: Rules, plan: Plan) -> None:
        self.plan = plan
        self.rules = rules.fresh()
        self._category = plan.category

    def number(self, key: str) -> float:
        """A rule that every profile has. Raises ``InputError`` where it is not there or not known."""
        return self.rules.number(key, self._category)

    def known(self, key: str) -> Any:
        """A rule's value; None where there is no such rule or nobody knows it."""
        return self.rules.known(key, self._category)

    def names(self, key: str) -> tuple[str, ...]:
        """A rule that is a list of names."""
        return self.rules.names(key, self._category)

    def access(self, workload: str) -> str | None:
        """``random`` or ``sequential``."""
        return cast("str | None", self.known(f"workloads.{workload}.access"))

    def stability(self, weights: str | None, reading: str | None) -> Stability:
        """Weights and reading by the rules, or by name, which spares the rules the question."""
        name = weights or str(self.rules.value("stability.weights_set", self._category))
        chosen = reading or str(self.rules.value("stability.reading", self._category))
        if chosen not in READINGS:
            raise InputError(
                "unknown-name",
                Argument("reading") if reading else f"{self.rules.name}: stability.reading",
                f"there is no reading {chosen!r} of the stability rule; expected a, b or c",
            )
        if self.rules.find(f"stability.weights.{name}", self._category) is None:
            known = [rule.key.rpartition(".")[2] for rule in self.rules.matching("stability.weights.*")]
            raise InputError(
                "unknown-name",
                Argument("weights") if weights else f"{self.rules.name}: stability.weights_set",
                f"the rules have no weights {name!r}; expected {' or '.join(known)}",
            )
        values = self.rules.value(f"stability.weights.{name}", self._category)
        points = int(self.number("stability.points"))
        if len(values) != points or abs(sum(values) - 1) > 1e-9:
            raise InputError(
                "out-of-range",
                f"{self.rules.name}: stability.weights.{name}",
                f"expected {points} numbers that add to 1, not {values}",
            )
        tolerance = self.number("stability.tolerance_percent") / 100
        return Stability(name, values, tolerance, chosen)

    def instruments(self, power_w: float | None, quantities: Collection[str]) -> InstrumentLimits:
        """What instruments must do at a power; of what they do not say (``quantities``) nothing is asked."""
        volts = self.known("instruments.voltage.ranges") if "volts" in quantities else []
        off = self._at("instruments.voltage.tolerance_percent", power_w) if volts else None
        return InstrumentLimits(
            power_sampling_s=self.number("instruments.power.sampling_s"),
            power_accuracy_percent=self.number("instruments.power.accuracy_percent"),
            samples_percent=self.number("instruments.power.samples_percent"),
            temperature_sampling_s=self.number("instruments.temperature.sampling_s"),
            clock_apart_s=self.number("instruments.clock.apart_s"),
            celsius=_pair(self._said("celsius", "instruments.temperature.range_celsius", quantities)),
            hertz=_pair(self._said("hertz", "instruments.frequency.range_hz", quantities)),
            volts=[(float(row["from_v"]), float(row["to_v"])) for row in volts or []],
            volts_tolerance_percent=off or 0.0,
            thd_percent=self._at("instruments.voltage.thd_percent", power_w)
            if "thd_percent" in quantities
            else None,
        )

    def resolution(self) -> Sequence[Mapping[str, float]]:
        """The table of watts."""
        return cast("Sequence[Mapping[str, float]]", self.known("instruments.power.resolution") or [])

    def _said(self, quantity: str, key: str, quantities: Collection[str]) -> Any:
        return self.known(key) if quantity in quantities else None

    def _at(self, key: str, power_w: float | None) -> float | None:
        """A rule that is stated by power: ``[{up_to_w, percent}, {percent}]``."""
        for row in self.known(key) or []:
            if "up_to_w" not in row or (power_w is not None and power_w <= row["up_to_w"]):
                return float(row["percent"])
        return None


def _pair(value: Any) -> tuple[float, float] | None:
    return (float(value[0]), float(value[1])) if value else None
