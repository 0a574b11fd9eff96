"""``status.html``: tab-separated states of runs, the simplest clock of phases."""

from __future__ import annotations

from pathlib import Path

from iowatt.sources.vdbench import text
from iowatt.sources.vdbench.text import Start


def read(path: Path) -> tuple[list[Start], bool]:
    """Starts of runs (in whole seconds), and whether vdbench came to its end."""
    starts, complete = [], False
    for line in text.lines(path):
        stamp, _, rest = line.text.partition("\t")
        state, _, more = rest.partition("\t")
        complete = complete or "Vdbench complete" in rest
        run, _, loops = more.partition("\t")
        parts = stamp.strip().split("-")
        time_s = text.time_of_day(parts[1]) if len(parts) > 1 else None
        if state.strip() == "Starting" and run.startswith("rd=") and time_s is not None:
            starts.append(Start(time_s, run[3:].strip(), loops.strip(), line.place))
    return starts, complete
