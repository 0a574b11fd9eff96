"""One member at one load, wherever it is simulated: a task that can be pickled, and the row of its Run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from iowatt.evaluate.search import PointTask, run_of_task
from iowatt.evaluate.search.metrics import row_of_run
from iowatt.evaluate.search.tasks import Report, recorded

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

LIFE: Final = "wear.ssd_life_years"
"""Column: years until the first SSD is worn out at this load, by its rating; None where not rated."""

_WORN_BY: Final = ("bytes_written", "pe_cycles")
"""Ratings of flash, the vendor's first."""


def evaluate_member(task: PointTask, report: Report) -> dict[str, Any]:
    """Simulate one member at one load; the record that the journal keeps."""
    return recorded(task.key, lambda: {"row": row_of_member(run_of_task(task, report))})


def row_of_member(run: Run) -> dict[str, Any]:
    """The row of a Run of one member."""
    return {**row_of_run(run), LIFE: _ssd_life(run.summary["devices"])}


def _ssd_life(devices: list[Mapping[str, Any]]) -> float | None:
    lives = []
    for device in devices:
        gauges = {gauge["rating"]: gauge["life_years"] for gauge in device.get("wear", [])}
        rated = next((gauges[name] for name in _WORN_BY if name in gauges), None)
        if rated is not None:
            lives.append(rated)
    return min(lives, default=None)


@dataclass(frozen=True)
class MemberPoint:
    """One member at one load."""

    #: Requests per second that it is asked for.
    load_iops: float
    #: Mean watts, and the highest mean of an interval; at the wall where that is known.
    watts: float
    peak_w: float
    p95_ms: float | None
    #: Of its busiest drive.
    utilisation: float | None
    kept_up: bool
    #: Worn share of its SSDs a year.
    wear_per_year: float

    @classmethod
    def of_row(cls, row: Mapping[str, Any], load_iops: float | None = None) -> MemberPoint | None:
        """The point of a row, at the load asked for or, without one, completed; None without watts."""
        kind = "wall_" if row.get("power_w.wall_mean") is not None else ""
        watts, peak = row.get(f"power_w.{kind}mean"), row.get(f"power_w.{kind}max")
        if watts is None:
            return None
        life = row.get(LIFE)
        return cls(
            load_iops=float(row["throughput.iops"] if load_iops is None else load_iops),
            watts=float(watts),
            peak_w=float(watts if peak is None else max(watts, peak)),
            p95_ms=row.get("response_time_ms.all.p95"),
            utilisation=row.get("devices.utilisation.max"),
            kept_up=not row["overloaded"],
            wear_per_year=1.0 / life if life else 0.0,
        )

    def keeps(self, p95_ms: float | None, utilisation: float | None) -> bool:
        """Whether it keeps up with its load and a service level."""
        late = p95_ms is not None and self.p95_ms is not None and self.p95_ms > p95_ms
        busy = utilisation is not None and self.utilisation is not None and self.utilisation > utilisation
        return self.kept_up and not late and not busy
