"""The study's conclusions about queues, idle periods and spin-down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from iowatt.studies.arrays2002 import words
from iowatt.studies.arrays2002.detail import Drives, Idle, Rule
from iowatt.studies.arrays2002.published import (
    DISKS,
    IDLE_W,
    LARGEST_CORRELATION,
    PROCESSOR,
    PROCESSOR_W,
    PROCESSORS,
    SPIN_DOWN_S,
    SPIN_UP_S,
    SPIN_UP_W,
    STANDBY_W,
    WORKLOADS,
)
from iowatt.studies.results import RecordedIdle
from iowatt.studies.verdict import Verdict

QUEUES: Final = 4.0
"""Times the queue of its data disks from which a parity disk queues: the study has 1 and some 40."""

LOW: Final = 0.15
"""Autocorrelation up to which it is low; Table 2 goes up to 0.139."""

VISIBLE: Final = 0.01
"""Share of idle periods from which a curve shows them."""


@dataclass(frozen=True)
class Experiment:
    """One run that was made to find a cause: what was changed, and what came of it."""

    what: str
    workload: str
    drives: Drives
    idle: RecordedIdle

    @property
    def lag_1_to_5(self) -> list[float]:
        """Mean autocorrelation over disks."""
        return self.idle.found.autocorrelation.mean[:5]

    def over(self, seconds: float) -> float:
        """Share of idle periods that are longer."""
        return self._periods.over(seconds)

    def saved(self, rule: Rule, transition_s: float) -> float:
        """Share of all energy that an oracle saves."""
        return self._periods.saved(rule, transition_s)

    @property
    def _periods(self) -> Idle:
        return Idle(self.drives.source, self.workload, self.drives.level, self.idle)


def parity_queue(drives: Sequence[Drives], experiments: Sequence[Experiment]) -> list[Verdict]:
    """Table 4: the parity disk of RAID-4 queues under TPC-H and not under TPC-C."""
    found = []
    for one in drives:
        if one.level != 4 or one.disks != DISKS or one.parity_seen is None:
            continue
        queues = _queues(one)
        should = one.workload == "tpch"
        agrees = queues == should
        cause = experiment = ""
        if not agrees:
            tried = [each for each in experiments if each.workload == one.workload]
            cause = _parity_cause(one, tried)
            experiment = "; ".join(
                f"{each.what}: parity disk {words.significant(each.drives.parity_seen)}, "
                f"data disks {words.significant(each.drives.queue_seen)}"
                for each in tried
            )
        found.append(
            Verdict(
                "parity-queue",
                "RAID-4's parity disk queues under TPC-H and not under TPC-C",
                words.work(one.source, one.workload),
                f"data disks {WORKLOADS[one.workload].queue[4]}",
                f"an arrival sees {words.significant(one.parity_seen)} at the parity disk, "
                f"{words.significant(one.queue_seen)} at data disks",
                agrees,
                cause,
                experiment or ("" if agrees else "no experiment was run on it"),
            )
        )
    return found


def _parity_cause(one: Drives, tried: Sequence[Experiment]) -> str:
    if one.workload == "tpch":
        return "writes do not come in bursts that one disk cannot take"
    queueing = [each.what for each in tried if _queues(each.drives)]
    calm = [each.what for each in tried if not _queues(each.drives)]
    said = []
    if any("% of writes" in what for what in calm):
        said.append("not the share of writes: at random times the same share makes no queue")
    if any(what.startswith("trace at") for what in queueing):
        said.append("not their rate: with the whole trace slowed the disk still queues")
    why = "PostgreSQL writes in bursts, its background writer's and checkpoints', of which each write visits "
    why += "the one parity disk twice"
    return "; ".join([*said, why])


def _queues(drives: Drives) -> bool:
    return drives.parity_seen is not None and drives.parity_seen > QUEUES * drives.queue_seen


def correlations(idle: Sequence[Idle], experiments: Sequence[Experiment]) -> list[Verdict]:
    """Table 2: successive idle periods are hardly correlated."""
    found = []
    for one in idle:
        ours = [mean for mean, _ in one.correlation[:5]]
        theirs = WORKLOADS[one.workload].correlation[one.level]
        agrees = bool(ours) and max(abs(r) for r in ours) <= LOW
        cause = experiment = ""
        if not agrees:
            tried = [each for each in experiments if each.workload == one.workload]
            cause = (
                "the requests themselves come in bursts that last longer than an idle period, and no array "
                "undoes that: it is a property of the arrivals"
            )
            experiment = "; ".join(f"{each.what}: {_series(each.lag_1_to_5)}" for each in tried)
        found.append(
            Verdict(
                "idle-correlation",
                f"Autocorrelations of idle periods are low (the study's largest is {LARGEST_CORRELATION})",
                words.case(one.source, one.workload, one.level),
                _series(theirs),
                _series(ours),
                agrees,
                cause,
                experiment or ("" if agrees else "no experiment was run on it"),
            )
        )
    return found


def tails(idle: Sequence[Idle], experiments: Sequence[Experiment]) -> list[Verdict]:
    """Figure 5: hardly any idle period over 1 s (TPC-H), 2 s (TPC-C)."""
    found = []
    for one in idle:
        limit = 1.0 if one.workload == "tpch" else 2.0
        share = one.over(limit)
        agrees = share < VISIBLE
        cause = experiment = ""
        if not agrees:
            tried = [each for each in experiments if each.workload == one.workload]
            cause = (
                "the trace comes in bursts with pauses between them, which is what slowing it down to the "
                "study's rate stretches"
            )
            experiment = "; ".join(f"{each.what}: {100 * each.over(limit):.2f} %" for each in tried)
        found.append(
            Verdict(
                "idle-tail",
                "No visible idle period over 1 s under TPC-H, under 1 % over 2 s under TPC-C",
                words.case(one.source, one.workload, one.level),
                WORKLOADS[one.workload].tail,
                f"{100 * one.over(1.0):.3f} % over 1 s, {100 * one.over(2.0):.3f} % over 2 s, "
                f"longest {words.significant(one.longest_s)} s",
                agrees,
                cause,
                experiment or ("" if agrees else "no experiment was run on it"),
            )
        )
    return found


def spin_down(idle: Sequence[Idle], experiments: Sequence[Experiment]) -> list[Verdict]:
    """Figure 6: perfect knowledge saves next to nothing under load."""
    found = []
    for one in idle:
        at_41, at_9, at_2 = (one.saved("energy", seconds) for seconds in (41.0, 9.0, 2.0))
        agrees = at_41 < 0.005 and at_2 < 0.01
        cause = experiment = ""
        if not agrees:
            tried = [each for each in experiments if each.workload == one.workload]
            name, longest_s = one.longest
            of_all = "the parity disk" if one.level == 4 and name == one.last else name
            enough = "long enough even for 41 s" if longest_s >= 41 else "too short for 41 s"
            cause = (
                f"requests come in bursts with pauses between them: {100 * one.over(1.0):.2f} % of the idle "
                f"periods are longer than 1 s, {100 * one.over(2.0):.2f} % longer than 2 s, and the "
                f"longest, of {of_all}, is {words.significant(longest_s)} s, {enough}"
            )
            experiment = "at 2 s: " + "; ".join(
                f"{each.what} {100 * each.saved('energy', 2.0):.2f} %" for each in tried
            )
        found.append(
            Verdict(
                "spin-down",
                "Spinning down does not pay: an oracle saves under 0.5 % at best, under 1 % even at 2 s",
                words.case(one.source, one.workload, one.level),
                "TPC-C loses at 41 s; RAID-4 TPC-H under 0.5 %",
                f"oracle by energy saves {100 * at_41:.2f} % at 41 s, {100 * at_9:.2f} % at 9 s, "
                f"{100 * at_2:.2f} % at 2 s of all energy",
                agrees,
                cause,
                experiment,
            )
        )
    return found


def loss_of_latency_rule(idle: Sequence[Idle], periodic: Sequence[Mapping[str, float]]) -> list[Verdict]:
    """Figure 6: the oracle by latency loses on TPC-C. It can only on periods from 41 s to break-even."""
    tried = "; ".join(
        f"gaps of {row['length_s']:.0f} s: {100 * row['latency_share']:+.1f} %"
        for row in periodic
        if 41 <= row["length_s"] <= BREAK_EVEN_S
    )
    found = []
    for one in idle:
        if one.workload != "tpcc":
            continue
        saved = one.saved("latency", 41.0)
        agrees = saved < 0
        found.append(
            Verdict(
                "latency-rule",
                "Spinning down in every idle period of 41 s or more loses energy under TPC-C",
                words.case(one.source, one.workload, one.level),
                "loses",
                f"saves {100 * saved:.3f} %; longest idle period {words.significant(one.longest_s)} s",
                agrees,
                ""
                if agrees
                else "it has no idle period of 41 s (the longest is "
                f"{words.significant(one.longest_s)} s), so the rule never acts",
                "" if agrees else f"one disk with constant gaps, where it does act: {tried}",
            )
        )
    return found


def oracles(periodic: Sequence[Mapping[str, float]]) -> list[Verdict]:
    """Derived: by latency the oracle loses what the watts say, by energy it never does."""
    worst = max(
        (abs(row["latency_j"] - row["derived_j"]) / abs(row["derived_j"]) for row in acted(periodic)),
        default=0.0,
    )
    never = all(row["energy_j"] >= 0 for row in periodic)
    losing = [row for row in acted(periodic) if row["derived_j"] < 0]
    derived = "; ".join(
        f"{row['length_s']:.1f} s: {row['latency_j']:+.1f} J, derived {row['derived_j']:+.1f} J"
        for row in losing
    )
    return [
        Verdict(
            "oracle-latency-derived",
            "The oracle by latency loses on idle periods between 41 s and break-even, as derived",
            "one disk, constant gaps",
            "derived: (P_idle - P_standby)(t - 59.9 s) a period",
            f"{derived}; largest deviation {100 * worst:.4f} %",
            bool(losing) and worst < 1e-3,
            "the evaluation does not follow the watts" if not losing or worst >= 1e-3 else "",
            "table of oracles on constant gaps",
        ),
        Verdict(
            "oracle-energy-never-loses",
            "The oracle by energy never loses",
            "one disk, constant gaps",
            "derived: 0 or more",
            "; ".join(f"{row['length_s']:.0f} s: {row['energy_j']:+.1f} J" for row in periodic),
            never,
            "" if never else "the evaluation does not follow the watts",
            "table of oracles on constant gaps",
        ),
    ]


#: Length of an idle period in s from which stopping saves, and what it saves is linear in the length.
BREAK_EVEN_S: Final = (
    SPIN_UP_W * SPIN_UP_S + STANDBY_W * SPIN_DOWN_S - STANDBY_W * (SPIN_DOWN_S + SPIN_UP_S)
) / (IDLE_W - STANDBY_W)


def derived_saving_j(length_s: float) -> float:
    """J that stopping in a period saves, where the drive is up again when it ends; 0 where it cannot be."""
    if length_s < SPIN_DOWN_S + SPIN_UP_S:
        return 0.0
    return (IDLE_W - STANDBY_W) * (length_s - BREAK_EVEN_S)


def acted(periodic: Sequence[Mapping[str, float]]) -> list[Mapping[str, float]]:
    """Rows in which the oracle by latency stopped the disk."""
    return [row for row in periodic if row["derived_j"] != 0]


def disks_against_processors() -> Verdict:
    """Figure 1: the disks of a server draw more than its processors."""
    disks, processors = DISKS * IDLE_W, PROCESSORS * PROCESSOR_W
    return Verdict(
        "server-power",
        "The disks of a transaction-processing server draw more than its processors",
        f"{DISKS} disks, {PROCESSORS} processors",
        "disks more",
        f"disks {disks:.0f} W without any work, processors {processors:.0f} W at full work ({PROCESSOR})",
        disks > processors,
        "" if disks > processors else "more processors",
        "" if disks > processors else "Figure 1",
    )


def _series(values: Sequence[float]) -> str:
    return " ".join(f"{value:.3f}".replace("0.", ".", 1) for value in values)
