"""From the sweeps to tables, figures and verdicts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from iowatt.base.results import Note
from iowatt.render import numbers
from iowatt.render.document import Section
from iowatt.studies.arrays2002 import (
    conclusions,
    detail,
    drive_conclusions,
    figures,
    idle_figures,
    labels,
    points,
    tables,
)
from iowatt.studies.arrays2002.detail import RunDrives
from iowatt.studies.arrays2002.drive_conclusions import ConstantGaps, Experiment, derived_saving_j
from iowatt.studies.arrays2002.published import PRINTED, TEXT
from iowatt.studies.arrays2002.systems import (
    COUNT,
    FULL,
    IDLE,
    LEVEL,
    QUICK,
    RECORDED_TPCH_IOPS,
    SPEED,
    SPEEDS,
    TRACES,
    DesignScale,
    stages,
)
from iowatt.studies.arrays2002.tables import SimulatedWorkload
from iowatt.studies.stages import Results
from iowatt.studies.study import Findings

__all__ = ["FULL", "QUICK", "findings", "stages"]


def findings(results: Results, scale: DesignScale) -> Findings:
    """Everything that the study finds."""
    results.analyse_idle(detail.recorded(results))
    design = points.read(results)
    drives = detail.drives(results)
    idle = detail.idle(results)
    tried = experiments(results)
    constant = periodic(results)
    simulated = workloads(results, drives)
    verdicts = [
        drive_conclusions.disks_against_processors(), *conclusions.energy_split(design),
        *conclusions.energy_slope(design), *conclusions.trade_off(design), *conclusions.best_energy(design),
        *conclusions.best_time(design), *drive_conclusions.parity_queue(drives, tried),
        *drive_conclusions.correlations(idle, tried), *drive_conclusions.tails(idle, tried),
        *drive_conclusions.spin_down(idle, tried), *drive_conclusions.loss_of_latency_rule(idle, constant),
        *drive_conclusions.oracles(constant), *conclusions.sensitivity(design),
    ]  # fmt: skip
    sections = [
        Section("run", "What was run", [tables.workloads(simulated), figures.server_power()]),
        Section("split", "Where the energy goes", [figures.energy_split(design), tables.floors(design)]),
        Section(
            "idle",
            "Idle periods and spin-down",
            [tables.correlation(idle), *idle_figures.figures(idle), tables.periodic(constant)],
        ),
        Section("drives", "Seeks and queues", [tables.seeks(drives), tables.queues(drives)]),
        Section("disks", "Number of disks", [*figures.by_disks(design), *figures.split_by_disks(design)]),
        Section("unit", "Stripe unit", [*figures.by_unit(design), *figures.split_by_unit(design)]),
        Section("best", "What is best", [tables.optima(design), figures.penalties(design)]),
        Section(
            "sensitivity",
            "What the conclusions hang on",
            [tables.sensitivity(design), tables.experiments(tried)],
        ),
    ]
    return Findings(verdicts, sections, notes(simulated, scale), results.table(), chart="figure-11")


def experiments(results: Results) -> list[Experiment]:
    """The runs that were made to find a cause."""
    names = {
        "slower-tpcc": "",
        "slower-tpch": "",
        "writes-tpcc": "synthetic with the trace's 37 % of writes",
        "uniform-tpcc": "Poisson, uniform random",
        "spread-tpch": "synthetic with its writes one by one",
        "uniform-tpch": "Poisson, uniform random",
    }
    found = []
    for kind, name in names.items():
        for stage, row in results.rows(kind=kind):
            workload, changed = str(stage.labels["workload"]), name
            if not changed:
                if row[SPEED] > 0.9 * SPEEDS[workload]:
                    continue  # the sweep's own speed, or as good as it
                changed = f"trace at {numbers.significant(row[SPEED] / SPEEDS[workload])} of its speed here"
            drives = detail.of_run(stage, row, results.run(stage, row).summary)
            found.append(Experiment(changed, workload, drives, detail.idle_of(results, stage, row)))
    return found


def periodic(results: Results) -> list[ConstantGaps]:
    """What the oracles make of constant gaps, beside what follows from the watts."""
    from iowatt.lenses.idle import Periods

    found = []
    for stage, row in results.rows(kind="periodic"):
        batches = Periods(results.run(stage, row)).batches()
        lengths_s = np.concatenate([batch.length_s for batch in batches])
        policies = {policy.policy: policy for policy in results.idle(stage, row).periods.policies}
        found.append(
            ConstantGaps(
                length_s=float(np.median(lengths_s)),
                periods=len(lengths_s),
                latency_j=policies["oracle-latency"].saved_j,
                latency_share=policies["oracle-latency"].saved_share,
                energy_j=policies["oracle-energy"].saved_j,
                derived_j=float(sum(map(derived_saving_j, lengths_s))),
            )
        )
    return sorted(found, key=lambda one: one.length_s)


def workloads(results: Results, drives: Sequence[RunDrives]) -> list[SimulatedWorkload]:
    """Requests, length and write share of each run of the default array."""
    by_workload = {
        (one.source, one.workload): one for one in drives if (one.level, one.disks) == (4, PRINTED.disks)
    }
    found = []
    for stage, row in results.rows(kind="detail"):
        if row[LEVEL] == 4 and row[COUNT] == PRINTED.disks and row[IDLE]:
            source, workload = str(stage.labels["source"]), str(stage.labels["workload"])
            of_drives = by_workload[source, workload]
            found.append(
                SimulatedWorkload(
                    source,
                    workload,
                    requests=row["requests.count"],
                    writes=row["requests.writes"],
                    window_s=row["window.duration_s"],
                    gap_s=of_drives.window_s * of_drives.disks / of_drives.accesses,
                )
            )
    return found


def notes(simulated: Sequence[SimulatedWorkload], scale: DesignScale) -> list[Note]:
    """What every figure here rests on."""
    lengths = "; ".join(
        f"{labels.work(one.source, one.workload)} {one.window_s / 3600:.2f} h with {one.requests:,} requests"
        for one in simulated
    )
    return TEXT.noted(
        reduced=scale is not FULL, lengths=lengths, recorded_iops=RECORDED_TPCH_IOPS,
        tpcc_trace=TRACES["tpcc"], tpcc_speed=SPEEDS["tpcc"],
        tpch_trace=TRACES["tpch"], tpch_speed=SPEEDS["tpch"],
    )  # fmt: skip
