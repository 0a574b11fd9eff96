"""The study's conclusions about queues, idle periods and spin-down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from iowatt.render.numbers import significant
from iowatt.studies.arrays2002 import labels
from iowatt.studies.arrays2002.detail import Idle, RunDrives
from iowatt.studies.arrays2002.published import LARGEST_CORRELATION, PRINTED, TEXT, WORKLOADS
from iowatt.studies.result import ClaimVerdict

QUEUES: Final = 4.0
"""Times the queue of its data disks from which a parity disk queues: the study has 1 and some 40."""

LOW: Final = 0.15
"""Autocorrelation up to which it is low; Table 2 goes up to 0.139."""

VISIBLE: Final = 0.01
"""Share of idle periods from which a curve shows them."""


@dataclass(frozen=True)
class Experiment:
    """One run that was made to find a cause: what was changed, and what came of it."""

    change: str
    workload: str
    drives: RunDrives
    idle: Idle


def _of(experiments: Sequence[Experiment], workload: str, shown: Callable[[Experiment], str]) -> str:
    """What experiments on a workload showed."""
    tried = "; ".join(shown(one) for one in experiments if one.workload == workload)
    return tried or "no experiment was run on it"


def parity_queue(drives: Sequence[RunDrives], experiments: Sequence[Experiment]) -> list[ClaimVerdict]:
    """Table 4: the parity disk of RAID-4 queues under TPC-H and not under TPC-C."""
    return [
        TEXT.judge(
            "parity-queue",
            labels.work(one.source, one.workload),
            ours=f"an arrival sees {significant(one.parity_seen)} at the parity disk, "
            f"{significant(one.queue_seen)} at data disks",
            agrees=_queues(one) == (one.workload == "tpch"),
            cause=_parity_cause(one, [each for each in experiments if each.workload == one.workload]),
            experiment=_of(
                experiments,
                one.workload,
                lambda each: (
                    f"{each.change}: parity disk {significant(each.drives.parity_seen)}, "
                    f"data disks {significant(each.drives.queue_seen)}"
                ),
            ),
            queue=WORKLOADS[one.workload].queue[4],
        )
        for one in drives
        if one.level == 4 and one.disks == PRINTED.disks and one.parity_seen is not None
    ]


def _parity_cause(one: RunDrives, tried: Sequence[Experiment]) -> str:
    if one.workload == "tpch":
        return "writes do not come in bursts that one disk cannot take"
    excluded = []
    if any("% of writes" in each.change and not _queues(each.drives) for each in tried):
        excluded.append("not the share of writes: at random times the same share makes no queue")
    if any(each.change.startswith("trace at") and _queues(each.drives) for each in tried):
        excluded.append("not their rate: with the whole trace slowed the disk still queues")
    why = (
        "PostgreSQL writes in bursts, its background writer's and checkpoints', of which each write visits "
        "the one parity disk twice"
    )
    return "; ".join([*excluded, why])


def _queues(drives: RunDrives) -> bool:
    return drives.parity_seen is not None and drives.parity_seen > QUEUES * drives.queue_seen


def correlations(idle: Sequence[Idle], experiments: Sequence[Experiment]) -> list[ClaimVerdict]:
    """Table 2: successive idle periods are hardly correlated."""
    return [
        TEXT.judge(
            "idle-correlation",
            labels.case(one.source, one.workload, one.level),
            ours=_series(one.lag_1_to_5),
            agrees=bool(one.lag_1_to_5) and max(map(abs, one.lag_1_to_5)) <= LOW,
            published=_series(WORKLOADS[one.workload].correlation[one.level]),
            experiment=_of(
                experiments, one.workload, lambda each: f"{each.change}: {_series(each.idle.lag_1_to_5)}"
            ),
            largest_correlation=LARGEST_CORRELATION,
        )
        for one in idle
    ]


def tails(idle: Sequence[Idle], experiments: Sequence[Experiment]) -> list[ClaimVerdict]:
    """Figure 5: hardly any idle period over 1 s (TPC-H), 2 s (TPC-C)."""
    limits = {"tpch": 1.0, "tpcc": 2.0}
    return [
        TEXT.judge(
            "idle-tail",
            labels.case(one.source, one.workload, one.level),
            ours=f"{100 * one.over(1.0):.3f} % over 1 s, {100 * one.over(2.0):.3f} % over 2 s, "
            f"longest {significant(one.longest_s)} s",
            agrees=one.over(limits[one.workload]) < VISIBLE,
            published=WORKLOADS[one.workload].tail,
            experiment=_of(
                experiments,
                one.workload,
                lambda each: f"{each.change}: {100 * each.idle.over(limits[each.workload]):.2f} %",
            ),
        )
        for one in idle
    ]


def spin_down(idle: Sequence[Idle], experiments: Sequence[Experiment]) -> list[ClaimVerdict]:
    """Figure 6: perfect knowledge saves next to nothing under load."""
    found = []
    for one in idle:
        at_41, at_9, at_2 = (one.saved("energy", seconds) for seconds in (41.0, 9.0, 2.0))
        disk = "the parity disk" if one.level == 4 and one.longest == one.last else one.longest
        enough = "long enough even for 41 s" if one.longest_s >= 41 else "too short for 41 s"
        found.append(
            TEXT.judge(
                "spin-down",
                labels.case(one.source, one.workload, one.level),
                ours=f"oracle by energy saves {100 * at_41:.2f} % at 41 s, {100 * at_9:.2f} % at 9 s, "
                f"{100 * at_2:.2f} % at 2 s of all energy",
                agrees=at_41 < 0.005 and at_2 < 0.01,
                experiment="at 2 s: "
                + _of(
                    experiments,
                    one.workload,
                    lambda each: f"{each.change} {100 * each.idle.saved('energy', 2.0):.2f} %",
                ),
                over_1s=100 * one.over(1.0),
                over_2s=100 * one.over(2.0),
                disk=disk,
                longest_s=significant(one.longest_s),
                enough=enough,
            )
        )
    return found


def loss_of_latency_rule(idle: Sequence[Idle], periodic: Sequence[ConstantGaps]) -> list[ClaimVerdict]:
    """Figure 6: the oracle by latency loses on TPC-C. It can only on periods from 41 s to break-even."""
    rule_acts = "; ".join(
        f"gaps of {row.length_s:.0f} s: {100 * row.latency_share:+.1f} %"
        for row in periodic
        if 41 <= row.length_s <= BREAK_EVEN_S
    )
    return [
        TEXT.judge(
            "latency-rule",
            labels.case(one.source, one.workload, one.level),
            ours=f"saves {100 * one.saved('latency', 41.0):.3f} %; longest idle period "
            f"{significant(one.longest_s)} s",
            agrees=one.saved("latency", 41.0) < 0,
            longest_s=significant(one.longest_s),
            acted=rule_acts,
        )
        for one in idle
        if one.workload == "tpcc"
    ]


@dataclass(frozen=True)
class ConstantGaps:
    """What oracles save on a disk with constant gaps between requests, and what follows from the watts."""

    length_s: float
    periods: int
    latency_j: float
    #: Of the energy of idling.
    latency_share: float
    energy_j: float
    derived_j: float


def oracles(periodic: Sequence[ConstantGaps]) -> list[ClaimVerdict]:
    """Derived from the watts: the oracle by latency loses this much, the oracle by energy never loses."""
    worst = max(
        (abs(row.latency_j - row.derived_j) / abs(row.derived_j) for row in acted(periodic)), default=0.0
    )
    losing = [row for row in acted(periodic) if row.derived_j < 0]
    derived = "; ".join(
        f"{row.length_s:.1f} s: {row.latency_j:+.1f} J, derived {row.derived_j:+.1f} J" for row in losing
    )
    return [
        TEXT.judge(
            "oracle-latency-derived",
            "one disk, constant gaps",
            ours=f"{derived}; largest deviation {100 * worst:.4f} %",
            agrees=bool(losing) and worst < 1e-3,
        ),
        TEXT.judge(
            "oracle-energy-never-loses",
            "one disk, constant gaps",
            ours="; ".join(f"{row.length_s:.0f} s: {row.energy_j:+.1f} J" for row in periodic),
            agrees=all(row.energy_j >= 0 for row in periodic),
        ),
    ]


_CYCLE_S: Final = PRINTED.spin_down_s + PRINTED.spin_up_s
_SAVED_W: Final = PRINTED.idle_w - PRINTED.standby_w
BREAK_EVEN_S: Final = (PRINTED.spin_up_w - PRINTED.standby_w) * PRINTED.spin_up_s / _SAVED_W
"""Length of an idle period from which stopping saves; what it saves is linear in the length."""


def derived_saving_j(length_s: float) -> float:
    """J that stopping in a period saves, where the drive is up again when it ends; 0 where it cannot be."""
    return _SAVED_W * (length_s - BREAK_EVEN_S) if length_s >= _CYCLE_S else 0.0


def acted(periodic: Sequence[ConstantGaps]) -> list[ConstantGaps]:
    """Rows in which the oracle by latency stopped the disk."""
    return [row for row in periodic if row.derived_j != 0]


def disks_against_processors() -> ClaimVerdict:
    """Figure 1: the disks of a server draw more than its processors."""
    disks, processors = PRINTED.disks * PRINTED.idle_w, PRINTED.processors * PRINTED.processor_w
    return TEXT.judge(
        "server-power",
        f"{PRINTED.disks} disks, {PRINTED.processors} processors",
        ours=f"disks {disks:.0f} W without any work, processors {processors:.0f} W at full work "
        f"({PRINTED.processor})",
        agrees=disks > processors,
    )


def _series(values: Sequence[float]) -> str:
    return " ".join(f"{value:.3f}".replace("0.", ".", 1) for value in values)
