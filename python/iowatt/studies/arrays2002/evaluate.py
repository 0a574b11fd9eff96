"""From the sweeps to tables, figures and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from iowatt.studies.arrays2002 import (
    conclusions,
    detail,
    drive_conclusions,
    figures,
    idle_figures,
    points,
    tables,
    words,
)
from iowatt.studies.arrays2002.detail import Drives
from iowatt.studies.arrays2002.drive_conclusions import Experiment, derived_saving_j
from iowatt.studies.arrays2002.published import DISKS
from iowatt.studies.arrays2002.systems import COUNT, IDLE, LEVEL, RECORDED_TPCH_IOPS, SPEED, SPEEDS, TRACES
from iowatt.studies.results import Results
from iowatt.studies.study import Findings, Section
from iowatt.studies.verdict import Verdict


def evaluate(results: Results, quick: bool) -> Findings:
    """Everything that the study finds."""
    results.analyse_idle(detail.recorded(results))
    design = points.of(results)
    drives = detail.drives(results)
    idle = detail.idle(results)
    tried = experiments(results)
    constant = periodic(results)
    facts = workloads(results, drives)
    verdicts = [
        drive_conclusions.disks_against_processors(), *conclusions.energy_split(design),
        *conclusions.energy_slope(design), *conclusions.trade_off(design), *conclusions.best_energy(design),
        *conclusions.best_time(design), *drive_conclusions.parity_queue(drives, tried),
        *drive_conclusions.correlations(idle, tried), *drive_conclusions.tails(idle, tried),
        *drive_conclusions.spin_down(idle, tried), *drive_conclusions.loss_of_latency_rule(idle, constant),
        *drive_conclusions.oracles(constant), *conclusions.sensitivity(design),
    ]  # fmt: skip
    sections = [
        Section("run", "What was run", [tables.workloads(facts), figures.server_power()]),
        Section("split", "Where the energy goes", [figures.energy_split(design), tables.floors(design)]),
        Section(
            "idle",
            "Idle periods and spin-down",
            [
                tables.correlation(idle), *idle_figures.correlations(idle), *idle_figures.lengths(idle),
                *idle_figures.oracles(idle), tables.periodic(constant),
            ],
        ),
        Section("drives", "Seeks and queues", [tables.seeks(drives), tables.queues(drives)]),
        Section("disks", "Number of disks", [*figures.by_disks(design), *figures.split_by_disks(design)]),
        Section("unit", "Stripe unit", [*figures.by_unit(design), *figures.split_by_unit(design)]),
        Section("best", "What is best", [tables.optima(design), figures.penalties(design)]),
        Section("sensitivity", "What the conclusions hang on", [tables.sensitivity(design), changes(tried)]),
    ]  # fmt: skip
    return Findings(verdicts, sections, notes(facts, quick, verdicts), results.table())


def experiments(results: Results) -> list[Experiment]:
    """The runs that were made to find a cause."""
    names = {
        "writes-tpcc": "synthetic with the trace's 37 % of writes",
        "uniform-tpcc": "Poisson, uniform random",
        "spread-tpch": "synthetic with its writes one by one",
        "uniform-tpch": "Poisson, uniform random",
    }
    found = []
    for kind in ("slower-tpcc", "slower-tpch", *names):
        for key in results.of(kind=kind):
            said = results.stages[key].said
            for row in results.rows(key):
                workload = str(said["workload"])
                if kind in names:
                    what = names[kind]
                else:
                    what = f"trace at {words.significant(row[SPEED] / SPEEDS[workload])} of its speed here"
                    if row[SPEED] > 0.9 * SPEEDS[workload]:
                        continue  # the sweep's own speed, or as good as it
                summary = results.run(key, row).summary
                drives = detail.of_run(str(said["source"]), workload, row[LEVEL], summary)
                found.append(Experiment(what, workload, drives, results.idle(key, row)))
    return found


def periodic(results: Results) -> list[dict[str, float]]:
    """What the oracles make of constant gaps, beside what follows from the watts."""
    from iowatt.lenses.idle.periods import Periods

    found = []
    for key in results.of(kind="periodic"):
        for row in results.rows(key):
            run = results.run(key, row)
            lens = results.idle(key, row).found
            lengths_s = np.concatenate([batch.length_s for batch in Periods(run).batches()])
            by = {policy.policy: policy for policy in lens.policies}
            found.append(
                {
                    "length_s": float(np.median(lengths_s)),
                    "periods": float(len(lengths_s)),
                    "latency_j": by["oracle-latency"].saved_j,
                    "latency_share": by["oracle-latency"].saved_share,
                    "energy_j": by["oracle-energy"].saved_j,
                    "derived_j": float(sum(map(derived_saving_j, lengths_s))),
                }
            )
    return sorted(found, key=lambda one: one["length_s"])


def workloads(results: Results, drives: Sequence[Drives]) -> list[dict[str, Any]]:
    """Requests, length and write share of each run of the default array."""
    found = []
    for key in results.of(kind="detail"):
        said = results.stages[key].said
        for row in results.rows(key):
            if row[LEVEL] != 4 or row[COUNT] != DISKS or not row[IDLE]:
                continue
            mine = next(
                one
                for one in drives
                if (one.source, one.workload, one.level, one.disks)
                == (said["source"], said["workload"], 4, DISKS)
            )
            found.append(
                {
                    "source": said["source"],
                    "workload": said["workload"],
                    "requests": row["requests.count"],
                    "writes": row["requests.writes"],
                    "window_s": row["window.duration_s"],
                    "gap_s": mine.window_s * mine.disks / mine.accesses,
                }
            )
    return found


def changes(tried: Sequence[Experiment]) -> Any:
    """The experiments as a table."""
    from iowatt.render.figure import Cell, Column, Figure, Table
    from iowatt.studies.arrays2002.published import WORKLOADS

    columns = [
        Column("Workload", text=True), Column("Changed", text=True), Column("Seen at data disks"),
        Column("Seen at parity disk"), *(Column(f"Lag {lag}") for lag in range(1, 6)),
        Column("Idle periods over 1 s", "%"), Column("Idle periods over 2 s", "%"),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for one in tried:
        lags: list[Cell] = list(one.lag_1_to_5)
        lags += [None] * (5 - len(lags))
        rows.append(
            [
                WORKLOADS[one.workload].name, one.what, one.drives.queue_seen, one.drives.parity_seen, *lags,
                100 * one.over(1.0), 100 * one.over(2.0),
            ]
        )  # fmt: skip
    return Figure(
        "experiments",
        "Experiments: RAID-4 with something else about the workload",
        "Which cause a difference has: the same array of 32 disks under the trace slowed further, and "
        "under the synthetic workloads with one property changed.",
        Table(columns, rows),
        wide=True,
    )


def notes(facts: Sequence[dict[str, Any]], quick: bool, verdicts: Sequence[Verdict]) -> list[str]:
    """What every figure here rests on."""
    lengths = "; ".join(
        f"{words.work(fact['source'], fact['workload'])} {fact['window_s'] / 3600:.2f} h"
        f" with {fact['requests']:,} requests"
        for fact in facts
    )
    said = [
        "The drive's mechanics are a stand-in. The study published watts, speed and capacity of its drive, "
        "no seek curve and no zones: arrays2002-disk has those of a Quantum Atlas 10K, and every sweep of "
        "the design space is repeated in part with those of an IBM 18ES.",
        "The workloads are not the study's, whose DB2 traces are not public. PostgreSQL trace: block "
        f"traces captured for this project ({TRACES['tpcc']} at speed {SPEEDS['tpcc']}; {TRACES['tpch']}, "
        f"recorded at {RECORDED_TPCH_IOPS:g} requests/s, at speed {SPEEDS['tpch']}). Synthetic: the "
        "library's profiles arrays2002-tpcc and arrays2002-tpch, fitted to the study's tables.",
        f"Length of each run: {lengths}. The study simulated 12.06 h and 45.9 h.",
        "TPC-C and TPC-H name the kind of load; none of this is a TPC result.",
        "The study's figures were printed without numbers; its Tables 2 to 5 and its text are what ours is "
        "held against.",
    ]
    if quick:
        said.insert(
            0,
            "This is the reduced run (--quick): a coarse grid on short excerpts, for a look, not for "
            "figures.",
        )
    return said
