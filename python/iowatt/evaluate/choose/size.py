"""How many drives a design needs: to hold the data, and by the estimator to carry the load."""

from __future__ import annotations

import math
from typing import Final

from iowatt.base.errors import InputError
from iowatt.base.problems import DocumentError
from iowatt.evaluate.choose.design import Design, System
from iowatt.evaluate.choose.trials import Screened, Trials
from iowatt.model.library import device_file

MOST_DRIVES: Final = 2_000
BUSY: Final = 0.8
"""Utilisation of the busiest drives above which more are taken before anything is simulated."""
QUIET: Final = 0.3
"""Utilisation below which more drives hardly shorten response times."""
_TRIES: Final = 12
#: Codes of a scenario whose pool is too small for its volumes.
_TOO_SMALL: Final = frozenset({"out-of-range", "infeasible", "too-large"})


def least(design: Design, trials: Trials) -> System | str:
    """The smallest system that holds the data, or why there is none."""
    needed = sum(one.volume_bytes for one in trials.workloads)
    each = device_file(design.device).capacity or 0
    if not each:
        return f"the capacity of {design.device} is not known"
    count = design.fewest
    while design.usable_drives(count) * each < needed:
        larger = max(count + design.step, int(count * needed / (design.usable_drives(count) * each)))
        count = design.rounded(larger)
        if design.drives(count) > MOST_DRIVES:
            return f"{MOST_DRIVES:,} x {design.device} do not hold the data"
    while count > design.fewest and design.usable_drives(count - design.step) * each >= needed:
        count -= design.step
    reason = ""
    for _ in range(_TRIES):  # spare space and whole chunklets take a little more
        system = System(design, count)
        try:
            trials.prepared(system)
        except InputError as error:
            problems = error.problems if isinstance(error, DocumentError) else [error]
            reason = problems[0].message
            if not {one.code for one in problems} <= _TOO_SMALL:
                return reason
            count += design.step
        else:
            return system
    return reason


def carrying(system: System, trials: Trials, mean_limit_s: float | None) -> Screened:
    """The smallest system of at least this size that carries the load, by the estimator.

    Its drives are at most ``BUSY``, and its mean response time is within ``mean_limit_s`` as far as more
    drives shorten it. It is
    ``system`` itself where nothing is estimated.
    """
    found = trials.screen(system)
    for _ in range(_TRIES):
        if found.refused is not None:
            return found
        busy = found.row.get("devices.utilisation.max", 0.0)
        if found.saturated or busy > BUSY:
            grows = max(1.1, 1.05 * trials.load_share(found.system) / BUSY)
        elif is_slow(found, mean_limit_s) and busy > QUIET:
            grows = 1.5
        else:
            return found
        design, now = found.system.design, found.system.count
        count = design.rounded(max(now + 1, math.ceil(now * grows)))
        if design.drives(count) > MOST_DRIVES:
            return found
        found = trials.screen(System(design, count))
    return found


def is_slow(found: Screened, mean_limit_s: float | None) -> bool:
    """Whether the estimated mean response time is beyond a limit."""
    mean_ms = found.row.get("response_time_ms.all.mean")
    return mean_limit_s is not None and mean_ms is not None and mean_ms > 1e3 * mean_limit_s
