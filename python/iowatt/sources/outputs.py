"""Output of a load generator, whichever it is of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from iowatt.errors import InputError
from iowatt.sources import fio, vdbench
from iowatt.sources.observation import Observation

#: Up to here a run has intervals of a second, above of a minute.
_SHORT_S = 300.0


def read(
    path: Path, *, interval_s: float | None = None, time_zone: str | None = None
) -> Sequence[Observation]:
    """Observations in the output of fio (a JSON file, or a folder with one) or vdbench (a folder or report).

    ``interval_s``: of fio's intervals; a minute, of short runs a second, where it is None. ``time_zone``: of
    the stamps that vdbench wrote.

    Raises ``InputError`` where it is of neither, or damaged.
    """
    if not path.exists():
        raise InputError("there is no such file or folder", where=str(path))
    if path.name.endswith(".html") or (path.is_dir() and _of_vdbench(path)):
        return vdbench.read(path, time_zone=time_zone)
    if path.is_dir() and not any(path.glob("*.json")):
        raise InputError(
            "holds no output of fio (*.json) and none of vdbench (flatfile.html, summary.html)",
            where=str(path),
        )
    if path.suffix == ".log":
        raise InputError(
            "is a log of fio's; its JSON is wanted, beside which logs are found", where=str(path)
        )
    found = fio.read(path, interval_s=interval_s or 1.0)
    if interval_s is None and found.end - found.start > _SHORT_S:
        found = fio.read(path)
    return [found]


def interval_s(observation: Observation) -> float:
    """The interval that suits an observation's Run: a minute where its own divides one, else its own."""
    own = max((part.end - part.start for part in observation.intervals[:1]), default=60.0)
    if observation.end - observation.start <= _SHORT_S or own > 60:
        return own
    return 60.0


def _of_vdbench(folder: Path) -> bool:
    return any(any(folder.glob(f"*{name}")) for name in ("flatfile.html", "summary.html"))
