"""A long Run as a duty cycle: what completed in each of its intervals.

A Run's seconds count from its start. Where nobody says what time that was it is taken to be midnight, and in
a Run of a week or more that before a Monday.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

import numpy as np

from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.lenses.cost.year.cycle import Cycle
from iowatt.lenses.cost.year.measured import HINT, Stretches, shape
from iowatt.lenses.one_array import measure_of

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_DAY_S: Final = 86_400.0
_WEEK_S: Final = 604_800.0


def of_run(run: Run, begins: datetime | None = None) -> Cycle:
    """The load of a Run by the hour, in requests/s, or in MiB/s where requests are large.

    Parameters
    ----------
    begins:
        The local time of its second 0.

    Raises
    ------
    InputError
        Intervals of more than an hour; less than a day of them.
    """
    where = str(run.path or run.name)
    table = run.table("intervals").select(
        "start_s", "end_s", "completions", "bytes_read", "bytes_written"
    ).drop_nulls()  # fmt: skip
    start, end, count, read, written = (table[name].to_numpy().astype(np.float64) for name in table.columns)
    seconds, moved = end - start, read + written
    if not count.any():
        raise InputError("empty", where, "has no requests", hint=HINT)
    by = measure_of(float(count.sum()), float(moved.sum()))
    if begins is not None:
        weekday: int | None = begins.weekday()
        clock = start + (begins - begins.replace(hour=0, minute=0, second=0, microsecond=0)).total_seconds()
        said = f"second 0 was {begins:%Y-%m-%d %H:%M}, as given"
    else:
        clock = start - np.floor(start.min() / _DAY_S) * _DAY_S
        weeks = clock[-1] + seconds[-1] >= _WEEK_S
        weekday = 0 if weeks else None
        said = f"second 0 is taken to be midnight{' before a Monday' if weeks else ''}"
    amount = count if by == "iops" else moved / 2**20
    found = shape(Stretches(clock, seconds, amount, weekday, where))
    simulated = run.summary["source"] == "simulation"
    return Cycle(
        name=run.name,
        title=f"the load of {run.name}, {'simulated' if simulated else 'measured'}",
        where=where,
        measure="mib_per_s" if by == "mib_per_s" else "iops",
        week=found.week,
        source=f"completions of the Run {run.name}",
        quality="derived" if simulated else "measured",
        notes=(
            *(note.about(run.name) for note in found.notes),
            Note(code="start-of-run", text=f"{run.name}: its {said}"),
        ),
    )
