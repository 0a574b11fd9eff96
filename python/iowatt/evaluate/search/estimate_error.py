"""How far the estimator is from the simulator, over configurations that are drawn at random."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from iowatt.evaluate import evaluation
from iowatt.evaluate.estimate.draw import RandomConfiguration, random_configuration
from iowatt.evaluate.estimate.estimator import Estimator
from iowatt.evaluate.search.table import row_of_run
from iowatt.model.scenario import load
from iowatt.run import provenance

#: What is compared, as keys of a row; power is compared above idling.
RESPONSE: Final = "response_time_ms.all.mean"


@dataclass(frozen=True)
class EstimateComparison:
    """A configuration, both ways. Errors are shares of the simulation's figure; None where it is no test.

    ``estimate_s`` is what an estimate takes once its drives are known, ``simulation_s`` what the simulation
    took.
    """

    drawn: RandomConfiguration
    estimated: dict[str, float]
    simulated: dict[str, Any]
    throughput: float | None
    response: float | None
    power: float
    estimate_s: float
    simulation_s: float


@dataclass(frozen=True)
class ErrorSpread:
    """Median and 95th percentile of the absolute errors of ``count`` configurations."""

    count: int
    median: float
    p95: float


def compare_estimate(estimator: Estimator, drawn: RandomConfiguration) -> EstimateComparison:
    """A configuration estimated and simulated."""
    base = estimator.base

    def prepared(rate: float, seconds: float, warmup_s: float) -> evaluation.Prepared:
        text = drawn.scenario(rate_iops=rate, seconds=seconds, warmup_s=warmup_s)
        return evaluation.prepare(load(text, base_dir=base), base, text)

    work = prepared(1000.0, 1.0, 0.0)
    closed = drawn.outstanding is not None
    rate = (
        estimator.of(work).row["throughput.iops"]
        if closed
        else drawn.share * estimator.most(work).row["throughput.iops"]
    )
    work = prepared(rate, (drawn.warm + drawn.measured) / rate, drawn.warm / rate)
    if drawn.hybrid and closed:  # what moves settles by requests, so their rate has to be known
        seen = row_of_run(evaluation.simulate(work, inputs=lambda: [], started_at=provenance.now()))
        settled = max(rate * 0.01, float(seen["throughput.iops"]))  # type: ignore[arg-type]
        work = prepared(rate, (drawn.warm + drawn.measured) / settled, drawn.warm / settled)
    estimate = estimator.of(work)
    begun = time.perf_counter()
    estimate = estimator.of(work)
    estimate_s = time.perf_counter() - begun
    begun = time.perf_counter()
    run = evaluation.simulate(work, inputs=lambda: [], started_at=provenance.now())
    simulation_s = time.perf_counter() - begun
    row = row_of_run(run)
    above = float(row["power_w.mean"]) - float(row["power_w.idle"])  # type: ignore[arg-type]
    drawn_w = estimate.row["power_w.mean"] - estimate.row["power_w.idle"]
    given = estimate.row.get(RESPONSE)
    return EstimateComparison(
        drawn=drawn,
        estimated=estimate.row,
        simulated=row,
        throughput=_error(estimate.row["throughput.iops"], row["throughput.iops"]) if closed else None,
        response=None if given is None else _error(given, row[RESPONSE]),
        power=_error(drawn_w, above),
        estimate_s=estimate_s,
        simulation_s=simulation_s,
    )


def compare_random(
    count: int, seed: int, base: Path, told: Callable[[EstimateComparison], None] = lambda _one: None
) -> tuple[Estimator, list[EstimateComparison]]:
    """``count`` configurations of a seed, and the estimator with the drives that it flew."""
    estimator = Estimator(base)
    found = []
    for number in range(count):
        one = compare_estimate(estimator, random_configuration(number, seed))
        told(one)
        found.append(one)
    return estimator, found


def spread(errors: Sequence[float | None]) -> ErrorSpread:
    """Of the errors that are known."""
    known = sorted(abs(error) for error in errors if error is not None)
    if not known:
        return ErrorSpread(0, 0.0, 0.0)
    at = [known[min(len(known) - 1, int(share * len(known)))] for share in (0.5, 0.95)]
    return ErrorSpread(len(known), at[0], at[1])


def _error(estimated: float, simulated: Any) -> float:
    return estimated / float(simulated) - 1 if simulated else 0.0
