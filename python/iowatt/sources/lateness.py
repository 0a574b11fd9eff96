"""Stamps of paced requests: when each was due, sent and completed; lateness and errors from them."""

from __future__ import annotations

import errno
import os
from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from iowatt.base.results import Result

NEVER: Final = 2**64 - 1  #: A stamp of what did not happen.
#: Kinds of errors that a note names.
_NAMED: Final = 3

#: Later than this a request came into another moment than the trace's.
LATE_MS: Final = 10.0


class Lateness(Result):
    """Requests made after their time, in ms; fio's logs have stamps of whole milliseconds."""

    mean_ms: float
    p50_ms: float
    p99_ms: float
    p999_ms: float
    most_ms: float
    #: Share of requests that were more than 1 ms late.
    late_1ms: float
    #: Share of requests that were more than 10 ms late.
    late: float
    #: Mean lateness beyond what rounding explains.
    waited_ms: float

    @property
    def text(self) -> str:
        """The lateness in a sentence."""
        return (
            f"requests were made {self.mean_ms:.3g} ms after their time on average, 99 % within "
            f"{self.p99_ms:.3g} ms, 99.9 % within {self.p999_ms:.3g} ms, all within {self.most_ms:.3g} ms; "
            f"{100 * self.late_1ms:.3g} % were more than 1 ms late, {100 * self.late:.3g} % more than "
            f"{LATE_MS:g} ms"
        )


def lateness(late_ms: npt.NDArray[np.float64], resolution_ms: float = 0.0) -> Lateness:
    """From the lateness of each request, ms, of which ``resolution_ms`` may be rounding; nan: not made."""
    made = late_ms[~np.isnan(late_ms)]
    p50, p99, p999, most = np.quantile(made, (0.5, 0.99, 0.999, 1.0)).tolist()
    return Lateness(
        mean_ms=float(made.mean()),
        p50_ms=p50,
        p99_ms=p99,
        p999_ms=p999,
        most_ms=most,
        late_1ms=float((made > 1.0).mean()),
        late=float((made > LATE_MS).mean()),
        waited_ms=float(np.maximum(made - resolution_ms, 0.0).mean()),
    )


@dataclass(frozen=True)
class RequestStamps:
    """What happened to each request, in the order of the (repeated) trace; times in ns from the beginning."""

    due_ns: npt.NDArray[np.uint64]
    sent_ns: npt.NDArray[np.uint64]
    done_ns: npt.NDArray[np.uint64]
    #: Error number of the system, 0 for none.
    error: npt.NDArray[np.int32]
    driven_by: str
    began_unix_ns: int

    @property
    def late_ms(self) -> npt.NDArray[np.float64]:
        """From when each was due to when it was sent, ms."""
        late = (self.sent_ns.astype(np.int64) - self.due_ns.astype(np.int64)) / 1e6
        return np.where(self.sent_ns == NEVER, np.nan, late)

    @property
    def lateness(self) -> Lateness:
        """The lateness of all requests."""
        return lateness(self.late_ms)

    @property
    def failed(self) -> npt.NDArray[np.bool_]:
        """Which requests failed."""
        failed: npt.NDArray[np.bool_] = (self.error != 0) | (self.done_ns == NEVER)
        return failed

    @property
    def error_note(self) -> str | None:
        """How many requests failed, and of what."""
        failed = int(self.failed.sum())
        if not failed:
            return None
        kinds = Counter(self.error[self.failed].tolist()).most_common(_NAMED)
        named = ", ".join(f"{count} {error_name(number)}" for number, count in kinds)
        return f"{failed} of {self.error.size} requests failed ({named}): they are in no figure of the Run"


def error_name(number: int) -> str:
    """An error number of the system with its name; 0: it was not completed."""
    return f"{errno.errorcode.get(number, number)} ({os.strerror(number)})" if number else "not completed"
