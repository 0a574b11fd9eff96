"""The estimator as this search sees it: figures of a configuration without simulating the array."""

from __future__ import annotations

from pathlib import Path

from iowatt.base.document import Document
from iowatt.emerald.bff.point_result import Judged, ep
from iowatt.emerald.family import Metric
from iowatt.evaluate import evaluation
from iowatt.evaluate.estimate import Estimate, Estimator, NotEstimated
from iowatt.model.scenario.model import Scenario

__all__ = ["Estimates", "NotEstimated"]


class Estimates:
    """Estimates of one family's configurations; single drives are flown once."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._estimator = Estimator(base)

    @property
    def pilots(self) -> int:
        """Simulations of single drives so far."""
        return self._estimator.pilots

    def of(self, text: str, metric: Metric, limit_s: float | None) -> Judged:
        """Figures of a scenario: at its highest rate within the limit, or as it says where there is none.

        Raises
        ------
        NotEstimated
            The estimator does not know what it has to.
        InputError
            The configuration cannot be run.
        """
        scenario = Document(text, "its scenario").validate(Scenario)
        work = evaluation.prepare(scenario, self._base, text)
        if limit_s is None:
            return _judged(self._estimator.of(work), metric)
        if len(scenario.workload) > 1:
            raise NotEstimated(
                "unsupported", "workload", "the highest rate of several workloads together is not estimated"
            )
        return _judged(self._estimator.highest_rate(work, limit_s), metric)


def _judged(estimate: Estimate, metric: Metric) -> Judged:
    row = estimate.row
    iops, mib_per_s = row["throughput.iops"], row["throughput.mib_per_s"]
    stations = {station.name: station.utilisation for station in estimate.stations}
    wall = row["power_w.wall_mean"]
    return Judged(
        basis="estimated",
        ep=ep(metric, iops=iops, mib_per_s=mib_per_s, wall_w=wall),
        wall_w=wall,
        iops=iops,
        mib_per_s=mib_per_s,
        response_ms=row.get("response_time_ms.all.mean"),
        stations=stations,
    )
