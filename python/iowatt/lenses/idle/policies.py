"""What each two-state policy makes of exactly these idle periods, and what perfect knowledge would save.

The policies and their evaluation are those of the simulator (the crate iowatt-power); here they are named,
fed and summed up. Every period is taken as it stands: an arrival that waits for a spin-up delays none of the
following ones, as it would in a simulation. A period that is cut by the end of the window counts like any
other: its end is taken for an arrival. So the delays are those of arrivals that end a period, and a lower
bound: requests that follow while a drive spins up wait as well.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from iowatt.lenses.idle.periods import NS_PER_S, PeriodBatch, ShortPeriods
from iowatt.lenses.idle.power import TwoStates
from iowatt.lenses.idle.result import OraclePoint, PolicyOutcome

#: Fixed thresholds in s: 2 s is that of Li et al. (1994), a minute that of Helmbold et al. (2000).
THRESHOLDS_S: Final = (2.0, 10.0, 60.0, 300.0)
#: As a scenario has them by default: begins at 10 s; a spin-up that delays by more than 5 % of the idle time
#: before it adds 1 s, another takes off 0.5 s.
ADAPTATION: Final = {
    "initial_s": 10.0,
    "acceptable": 0.05,
    "raise_s": 1.0,
    "lower_s": 0.5,
    "least_s": 1.0,
    "most_s": 300.0,
}
#: 100 experts, eta = 4 and alpha = 0.08.
SHARING: Final = {"experts": 100, "learning_rate": 4.0, "share": 0.08}
#: As a scenario has it by default: ARIMA(1, 1, 1).
ORDER: Final = {"autoregressive": 1, "differences": 1, "moving_average": 1}
#: Shares of the arrivals that are to find the drive up.
CERTAINTIES: Final = (0.5, 0.9)


@dataclass(frozen=True)
class NamedPolicy:
    """A policy: its key, how people call it, and ``PolicyPlan`` of iowatt-power."""

    key: str
    title: str
    plan: dict[str, Any]


def idles_through(policy: NamedPolicy, drives: Sequence[TwoStates]) -> float:
    """Seconds up to which a policy idles through a period on each of these drives, and learns nothing."""
    pays = [seconds for drive in drives if (seconds := drive.break_even_s) is not None]
    break_even = min(pays, default=math.inf)
    transition = min((drive.transition_s for drive in drives), default=0.0)
    match policy.plan:
        case {"policy": "never"}:
            longest = math.inf
        case {"policy": "fixed-threshold", "threshold_s": seconds}:
            longest = float(seconds)
        case {"policy": "oracle-energy"}:
            longest = max(break_even, transition)
        case {"policy": "oracle-latency"}:
            longest = transition
        case {"policy": "two-competitive"}:
            longest = break_even
        case {"policy": "adaptive", "adaptation": {"least_s": seconds}}:
            longest = float(seconds)
        case {"policy": "arima" | "law-driven"}:
            # An eighth of the longer of both, as of the crate iowatt-power (policies/outlook.rs).
            longest = min((max(d.break_even_s or 0.0, d.transition_s) for d in drives), default=0.0) / 8
        case {"policy": "share"}:
            longest = 0.0  # learns from every period
        case _:
            raise ValueError(f"it is not known up to which length {policy.key} idles through periods")
    return longest


_ORACLES: Final = {
    "energy": NamedPolicy("oracle-energy", "Oracle by energy", {"policy": "oracle-energy", "level": 1}),
    "latency": NamedPolicy("oracle-latency", "Oracle by latency", {"policy": "oracle-latency", "level": 1}),
}


def policies() -> list[NamedPolicy]:
    """The two-state policies, the oracles first."""
    fixed = [
        NamedPolicy(
            f"fixed-threshold-{threshold:g}s",
            f"Fixed threshold, {threshold:g} s",
            {"policy": "fixed-threshold", "threshold_s": threshold, "level": 1},
        )
        for threshold in THRESHOLDS_S
    ]
    return [
        *_ORACLES.values(),
        NamedPolicy("two-competitive", "2-competitive", {"policy": "two-competitive", "level": 1}),
        NamedPolicy(
            "adaptive", "Adaptive (Douglis)", {"policy": "adaptive", "level": 1, "adaptation": ADAPTATION}
        ),
        NamedPolicy("share", "Share (Helmbold)", {"policy": "share", "level": 1, "sharing": SHARING}),
        *_predicting(),
        *fixed,
        NamedPolicy("never", "Never", {"policy": "never"}),
    ]


def _predicting() -> Iterator[NamedPolicy]:
    """The policies that come back before the arrival that they expect."""
    kinds: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("arima", "ARIMA", {"order": ORDER}),
        ("law-driven", "Law-driven", {"law": None}),
    )
    for key, title, parameters in kinds:
        for certainty in CERTAINTIES:
            percent = f"{100 * certainty:g}"
            plan = {"policy": key, "level": 1, "prediction": {"certainty": certainty, "memory": 500}}
            yield NamedPolicy(f"{key}-{percent}", f"{title}, {percent} %", {**plan, **parameters})


class Trial:
    """One policy on every drive of a Run, fed batch by batch; on each drive it learns alone."""

    def __init__(self, policy: NamedPolicy, drives: Sequence[TwoStates]) -> None:
        from iowatt import core  # the compiled core, for those who evaluate

        self.policy, self._idled, self._idled_j = policy, 0, 0.0
        self._idle_w = [drive.idle_w for drive in drives]
        plan = json.dumps(policy.plan)
        self._foresees = core.policy_foresees(plan)
        self._drives = [
            core.PolicyTrial(json.dumps(drive.levels()), plan, seed) for seed, drive in enumerate(drives)
        ]

    def add(self, batch: PeriodBatch) -> None:
        """Let the policy manage the drives through the periods."""
        for drive, length_ns in batch.by_drive:
            self._drives[drive].add(length_ns)

    def add_short(self, short: ShortPeriods) -> None:
        """Add periods that are only counted; all are shorter than the policy idles through."""
        self._idled = short.periods
        idle_s = short.idle_s(len(self._idle_w))
        self._idled_j = math.fsum(s * w for s, w in zip(idle_s.tolist(), self._idle_w, strict=True))

    def result(self, total_j: float | None, accesses: int | None = None) -> PolicyOutcome:
        """Sums over drives.

        ``total_j`` is what the drives drew in all, where that is known of these very drives, and
        ``accesses`` are all their operations: most of them begin no period and are not delayed.
        """
        found: list[Any] = [drive.result() for drive in self._drives]

        def total(key: str) -> float:
            return float(sum(one[key] for one in found))

        periods, delayed = int(total("periods")) + self._idled, int(total("delayed"))
        baseline_j, energy_j = total("baseline_j") + self._idled_j, total("energy_j") + self._idled_j
        saved_j = baseline_j - energy_j
        return PolicyOutcome(
            policy=self.policy.key, title=self.policy.title, oracle=self._foresees, energy_j=energy_j,
            saved_j=saved_j, saved_share=saved_j / baseline_j if baseline_j > 0 else 0.0,
            saved_share_of_total=saved_j / total_j if total_j else None, delayed=delayed,
            delayed_share=delayed / periods if periods else 0.0,
            added_delay_per_access_s=total("added_s") / accesses if accesses else None,
            added_delay_per_period_s=total("added_s") / periods if periods else 0.0,
            added_delay_of_delayed_s=total("added_s") / delayed if delayed else None,
            added_delay_max_s=max((one["longest_wait_s"] for one in found), default=0.0),
            start_stops=int(total("spin_downs")),
        )  # fmt: skip


#: Eight points a decade over three decades, from the drive's own transitions (1) down.
FACTORS: Final = tuple(10 ** (-step / 8) for step in range(25))


class OracleBound:
    """Both oracles over every point of the curve for which the periods are long enough."""

    def __init__(
        self, drives: Sequence[TwoStates], short: ShortPeriods, factors: Sequence[float] = FACTORS
    ) -> None:
        self._points = []
        for factor in factors:
            quicker = [drive.quicker(factor) for drive in drives]
            if any(idles_through(one, quicker) * NS_PER_S < short.longest_ns for one in _ORACLES.values()):
                break  # and so on at every quicker one
            trials = {name: Trial(oracle, quicker) for name, oracle in _ORACLES.items()}
            for trial in trials.values():
                trial.add_short(short)
            self._points.append((max(drive.transition_s for drive in drives) * factor, trials))

    def add(self, batch: PeriodBatch) -> None:
        """Add a batch."""
        for _, trials in self._points:
            for trial in trials.values():
                trial.add(batch)

    def points(self, total_j: float | None) -> list[OraclePoint]:
        """One row for each transition time (of the slowest drive), the drives' own first."""
        rows = []
        for transition_s, trials in self._points:
            energy, latency = (trials[name].result(total_j) for name in ("energy", "latency"))
            rows.append(
                OraclePoint(
                    transition_s=transition_s,
                    energy_saved_share=energy.saved_share,
                    energy_saved_share_of_total=energy.saved_share_of_total,
                    latency_saved_share=latency.saved_share,
                    latency_saved_share_of_total=latency.saved_share_of_total,
                )
            )
        return rows
