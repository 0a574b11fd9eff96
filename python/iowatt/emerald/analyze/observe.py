"""What the load generator left of a stage, whichever it was, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from iowatt.base.errors import InputError
from iowatt.emerald.plan.model import Plan, Stage
from iowatt.run.bundle import Run
from iowatt.sources.observation import Observation

#: Below a stage's folder, where `emerald run` lets each leave its output.
PLACES = {"fio": "fio.json", "vdbench": "out", "simulation": "run"}


def observe(plan: Plan, stage: Stage, folder: Path, *, time_zone: str | None = None) -> Observation | Run:
    """What is in a stage's folder.

    Parameters
    ----------
    folder:
        As `emerald run` leaves it, or the output of the load generator itself.
    time_zone:
        Of vdbench's stamps, where their abbreviation does not tell.

    Raises
    ------
    iowatt.base.errors.InputError
        It is not there, damaged, or of another stage.
    """
    place = folder / PLACES[plan.source]
    if not place.exists():
        place = folder
    if plan.source == "simulation":
        return Run.open(place)
    if plan.source == "fio":
        from iowatt.emerald.plan.fio import shares_of_streams
        from iowatt.sources import fio

        seen = fio.read(place, interval_s=stage.interval_s, name=stage.id)
        # fio's jobs are directions of streams; what the rules share out are the streams.
        return replace(seen, shares=shares_of_streams(stage, seen.shares))
    return _of_vdbench(_vdbench(place, _stamp(place), time_zone), stage, place)


def folder_of(plan: Plan, stage: Stage, output: Path) -> Path:
    """The folder of a stage in an output directory made elsewhere.

    A folder or file by the stage's name, or the directory itself where vdbench ran the whole sequence in
    one call.
    """
    names = [stage.id, stage.id.replace("-", "_"), f"{stage.id}.json"]
    for name in names:
        if (output / name).exists():
            return _latest(plan, output / name)
    if plan.source == "vdbench":
        return output
    raise InputError(
        "not-found",
        str(output),
        f"the directory has nothing of stage {stage.id}",
        hint=f"expected a directory or file of this name: {', '.join(names)}",
    )


def _latest(plan: Plan, folder: Path) -> Path:
    """The latest attempt at a stage: `emerald run --resume` leaves ``attempt-2`` in the stage's folder.

    Raises ``InputError`` where it left nothing: an earlier attempt did not count.
    """
    again = [
        (int(number), path)
        for path in folder.glob("attempt-*")
        if path.is_dir() and (number := path.name.removeprefix("attempt-")).isdecimal()
    ]
    if not again:
        return folder
    latest = max(again)[1]
    if not (latest / PLACES[plan.source]).exists():
        raise InputError(
            "not-found",
            str(latest / PLACES[plan.source]),
            "the latest attempt at the stage has no output of the load generator, and earlier ones were "
            "interrupted",
        )
    return latest


def _of_vdbench(found: Sequence[Observation], stage: Stage, place: Path) -> Observation:
    """The run of a stage among those of one call."""
    names = {stage.id, stage.id.replace("-", "_")}
    mine = [one for one in found if one.name in names]
    if len(mine) == 1:
        return mine[0]
    there = ", ".join(one.name for one in found)
    if mine:
        raise InputError("ambiguous", str(place), f"the output has {len(mine)} runs of stage {stage.id}")
    raise InputError(
        "not-found",
        str(place),
        f"the output has no run of stage {stage.id}; expected one called {' or '.join(sorted(names))}, "
        f"and there are {there}",
    )


@lru_cache(maxsize=4)
def _vdbench(place: Path, stamp: object, time_zone: str | None) -> tuple[Observation, ...]:
    from iowatt.sources import vdbench

    del stamp  # of the files: what was read of others is not theirs
    return tuple(vdbench.read(place, time_zone=time_zone))


def _stamp(place: Path) -> tuple[tuple[str, int, int], ...]:
    """Names, times and sizes of the files of an output, of which one may be named."""
    folder = place if place.is_dir() else place.parent
    try:
        found = [(path.name, path.stat()) for path in folder.iterdir()]
    except OSError as error:
        raise InputError("unreadable", str(folder), f"cannot be read: {error.strerror}") from None
    return tuple(sorted((name, seen.st_mtime_ns, seen.st_size) for name, seen in found))
