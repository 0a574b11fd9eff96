"""How well the trace's times were kept: when fio made requests beside when it was to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from iowatt.evaluate.replay.trace import ReplayTrace
from iowatt.sources.fio import logs

#: Later than this a request came into another moment than the trace's.
LATE_MS: Final = 10.0
#: What rounding explains: stamps of waits and of logs are whole milliseconds.
RESOLUTION_MS: Final = 2.0


@dataclass(frozen=True)
class Lateness:
    """Requests made after their time, in ms; stamps of fio's logs are whole milliseconds."""

    mean_ms: float
    p99_ms: float
    most_ms: float
    #: Share of requests that were more than 10 ms late.
    late: float
    #: Mean lateness beyond what rounding explains.
    waited_ms: float

    @property
    def text(self) -> str:
        """In a sentence."""
        return (
            f"requests were made {self.mean_ms:.1f} ms after their time on average, 99 % within "
            f"{self.p99_ms:.0f} ms, "
            f"all within {self.most_ms:.0f} ms"
        )


def of(trace: ReplayTrace, folder: Path) -> Lateness:
    """From the logs in ``folder``. The k-th request that was made is held against the k-th of the trace."""
    found = [logs.read(path, logs.REPLAY_BYTES) for path in sorted(folder.glob("replay_lat.*.log"))]
    made = np.sort(np.concatenate([rows.time_ms - rows.value / 1e6 for rows in found]))
    asked = trace.time_ns / 1e6
    behind = made[: asked.size] - asked[: made.size]
    # When fio began is not known to the ms: the requests that were most in time say it.
    behind = np.maximum(behind - np.quantile(behind, 0.01), 0.0)
    return Lateness(
        float(behind.mean()),
        float(np.quantile(behind, 0.99)),
        float(behind.max()),
        float((behind > LATE_MS).mean()),
        float(np.maximum(behind - RESOLUTION_MS, 0.0).mean()),
    )
