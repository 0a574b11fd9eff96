"""The request of a search for the highest rate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from iowatt.base.errors import Argument, InputError

#: Statistics of the response time that may be limited: name, key in ``response_time_ms``, share of requests
#: that may be above it (None: not a percentile).
STATISTICS: Final[Mapping[str, tuple[str, float | None]]] = {
    "mean": ("mean", None),
    "p50": ("p50", 0.5),
    "p90": ("p90", 0.1),
    "p95": ("p95", 0.05),
    "p99": ("p99", 0.01),
    "p99.9": ("p999", 0.001),
    "p99.99": ("p9999", 0.0001),
}
#: In place of a workload's name: all of them, in the proportion of their own rates.
ALL: Final = "*"
MOST_REPLICATIONS: Final = 1000
#: No rate above it is tried, requests per second: a system that has no limit below has none.
CEILING: Final = 1e7
#: How requests come: whether or not the array keeps up, or as others complete.
Loop = Literal["open", "closed"]


@dataclass(frozen=True)
class RateRequest:
    """A limit, and how exactly the highest rate within it is to be found."""

    #: Limit of the response time of all requests, s.
    limit_s: float
    #: ``open``: at which rate of arrivals; ``closed``: with how many outstanding, and which rate these make.
    loop: Loop = "open"
    #: One of :data:`STATISTICS`; p999 and p9999 are p99.9 and p99.99.
    statistic: str = "mean"
    #: How near the rate that meets the limit and the one that does not must come, as a share of the latter;
    #: of a closed loop how near the limit its mean response time must come.
    tolerance: float = 0.02
    #: Whose rate is raised; ``"*"``: all workloads together. None: the only one.
    workload: str | None = None
    #: The first rate, requests per second; None: a closed loop finds it.
    start: float | None = None
    #: The first rate for each drive.
    start_per_drive: float | None = None
    #: How near that first rate is thought to be to the answer, as a share: an estimate's error, say.
    start_error: float | None = None
    #: Rates of one search, after which it ends, settled or not.
    most_runs: int = 24
    #: Seeds that every rate is run with, each independent of the others.
    replications: int = 1
    #: Counted in each run; None: as in the scenario, and longer where that is too short.
    requests: int | None = None
    #: Cut before these; None: as the scenario says, or a share of them.
    warmup_requests: int | None = None
    #: Also limits of reads and of writes alone, s.
    read_limit_s: float | None = None
    write_limit_s: float | None = None
    ceiling: float = CEILING

    def __post_init__(self) -> None:
        for name, argument in (
            ("limit_s", "within"), ("read_limit_s", "read_limit"), ("write_limit_s", "write_limit"),
            ("start", "start"), ("start_per_drive", "start"), ("ceiling", "ceiling"),
        ):  # fmt: skip
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise InputError(
                    "out-of-range", Argument(argument), f"expected a number above 0, not {value!r}"
                )
        object.__setattr__(self, "statistic", _statistic(self.statistic))
        if not (isinstance(self.tolerance, int | float) and 1e-4 <= self.tolerance <= 0.5):
            message = f"expected a share from 0.0001 to 0.5, not {self.tolerance!r}"
            raise InputError("out-of-range", Argument("tolerance"), message)
        if self.most_runs < 3:
            raise InputError(
                "out-of-range", Argument("most_runs"), f"expected at least 3 runs, not {self.most_runs}"
            )
        if not 1 <= self.replications <= MOST_REPLICATIONS:
            message = f"expected 1 to {MOST_REPLICATIONS}, not {self.replications}"
            raise InputError("out-of-range", Argument("replications"), message)
        if self.requests is not None and self.requests < 100:
            message = f"expected at least 100 requests, not {self.requests}: the mean of fewer says little"
            raise InputError("out-of-range", Argument("requests"), message)
        if self.warmup_requests is not None and self.warmup_requests < 0:
            raise InputError(
                "out-of-range", Argument("warmup_requests"), f"expected 0 or more, not {self.warmup_requests}"
            )
        if self.loop not in get_args(Loop):
            raise InputError("not-accepted", Argument("loop"), f"expected open or closed, not {self.loop!r}")
        if self.loop == "closed":
            self._check_closed()
        elif self.warmup_requests is not None:
            message = "with open arrivals the scenario sets the warm-up"
            hint = "set observe.warmup in the scenario"
            raise InputError("not-applicable", Argument("warmup_requests"), message, hint=hint)

    def _check_closed(self) -> None:
        """Raise ``InputError`` for what a closed loop is not judged by."""
        for given, argument, what in (
            (self.statistic != "mean", "of", "by Little's law, which holds for the mean"),
            (self.read_limit_s is not None, "read_limit", "for the mean of all requests"),
            (self.write_limit_s is not None, "write_limit", "for the mean of all requests"),
            (self.replications > 1, "replications", "with one seed"),
        ):
            if given:
                message = f"the rate of a closed loop is found {what}"
                raise InputError("not-applicable", Argument(argument), message, hint="give `loop=open`")

    def first_rate(self, drives: int) -> float | None:
        """The rate to begin at with so many drives, requests per second; None where none is given."""
        if self.start is None and self.start_per_drive is not None:
            return self.start_per_drive * drives
        return self.start

    @property
    def key(self) -> str:
        """The statistic's key in ``response_time_ms``."""
        return STATISTICS[self.statistic][0]

    @property
    def beyond(self) -> float | None:
        """Share of the requests that lie beyond the percentile; None of the mean."""
        return STATISTICS[self.statistic][1]

    @property
    def limits_s(self) -> dict[str, float]:
        """Limits by kind of request: ``all``, and ``read`` and ``write`` where they have their own."""
        given = {"all": self.limit_s, "read": self.read_limit_s, "write": self.write_limit_s}
        return {kind: limit for kind, limit in given.items() if limit is not None}


def _statistic(name: str) -> str:
    """The key of :data:`STATISTICS` for a name; raises ``InputError`` for other names."""
    by_column = {column: statistic for statistic, (column, _) in STATISTICS.items()}
    statistic = by_column.get(name, name)
    if statistic not in STATISTICS:
        message = f"there is no statistic {name!r}; expected one of {', '.join(STATISTICS)}"
        raise InputError("not-accepted", Argument("of"), message)
    return statistic
