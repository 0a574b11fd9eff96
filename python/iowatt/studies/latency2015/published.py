"""What Demartek printed of HP's Express Writes on a 3PAR StoreServ 7450 in 2015, and others of the same
feature.

Times in ms, array's view. None of the sources gives a rate, a bandwidth in figures, or what a visit of a
processor takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from iowatt.studies.text import study_text

TEXT: Final = study_text("latency2015")

#: Mean latency of writes over the run, feature off and on.
BEFORE_MS: Final = 0.5
AFTER_MS: Final = 0.25
#: "Spikes" after stay below this; they are means of the array's reporter over an interval, not requests.
SPIKE_MS: Final = 1.0

#: Drives, virtual users of the benchmark, host ports of 8 Gb.
DRIVES: Final = 48
USERS: Final = 100

#: Ours have to be as near as that.
LATENCY_TOLERANCE: Final = 0.05
BANDWIDTH_TOLERANCE: Final = 0.01


@dataclass(frozen=True)
class Share:
    """A point of a published histogram: so many of the writes within so many ms, feature off and on."""

    what: str
    within_ms: float
    before: float
    after: float
    source: str


INSTALLED_BASE: Final = Share(
    "installed base", 0.12, 0.10, 0.40, "telemetry of HP's installed base, printed by Demartek, 2015"
)
STORESERV_10400: Final = Share(
    "one StoreServ 10400", 0.125, 0.10, 0.50, "HPE's blog; before, the other 90 % are at 0.25 ms and above"
)

#: "Synchronous writes as low as": HPE's blog, and an earlier post of it (16 December 2014).
BEST_CASE_MS: Final = 0.062
BELOW_MS: Final = 0.2

#: Reads to a write of TPC-E in a disk trace (Chen et al., SIGMOD Record 39(3), abstract).
READS_PER_WRITE: Final = 9.7
