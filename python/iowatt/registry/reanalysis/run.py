"""A submitted Run made again: simulated from its scenario, or imported from its raw files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.registry.bundle import RUN, ImportedFrom, Submission, run_family, run_figures
from iowatt.registry.reanalysis.compare import MOST, differences
from iowatt.registry.reanalysis.result import Discrepancy, FoundFigure, Reanalysis
from iowatt.registry.reanalysis.simulated import run_differences, simulated_again, work_of
from iowatt.run.bundle import Run
from iowatt.sources import meters, outputs
from iowatt.sources.measured import MeasuredAbout, measured_run

_YEAR: Final = re.compile(r"(\d{4})-\d\d-\d\d")
#: Of what fio was asked: names of the place that it ran in are no work.
_PLACES: Final = ("filename", "directory", "name", "output", "description")


def analyse(folder: Path, submission: Submission) -> Reanalysis:
    """Make the Run of a bundle again that was unpacked into ``folder``.

    Raises ``InputError``: the Run, its scenario or its raw files cannot be read, or a measured one has none.
    """
    claimed = Run.open(folder / RUN)
    modelled = claimed.summary["source"] == "simulation"
    apart: list[Discrepancy] = []
    if modelled:
        if submission.scenario is None:
            raise InputError("missing", "submission.json: scenario", "the Run was simulated")
        found = simulated_again(claimed, folder / submission.scenario, folder)
        if claimed.scenario_text != found.scenario_text:
            apart.append(Discrepancy(place="scenario.toml", claimed="another text", found="another text"))
        work: Any = work_of(found)
    else:
        if submission.imported is None:
            text = "a measured Run is submitted with the raw files that it was made of"
            raise InputError("missing", "submission.json: imported", text)
        found, work = _imported_again(folder, submission.imported)
    apart += run_differences(claimed, found)
    figures = [one.model_dump() for one in run_figures(found.summary)]
    apart += differences(
        [one.model_dump() for one in submission.figures], figures, place="submission.json: figures"
    )
    basis = "modelled" if modelled else "measured"
    apart += differences(submission.basis, basis, place="submission.json: basis")
    return Reanalysis(
        reproduced=not apart,
        basis=basis,
        metric_family=run_family(work),
        standing="unjudged",
        unverified_rules=0,
        year=_year(claimed),
        figures=[FoundFigure(**one) for one in figures],
        differences=apart[:MOST],
        document=_document(found),
    )


def _imported_again(folder: Path, how: ImportedFrom) -> tuple[Run, Any]:
    """The Run of raw files, and the work that its load generator was asked for."""
    source = _inside(folder, how.source)
    read = outputs.read_output(source, interval_s=how.interval_s, time_zone=how.time_zone, options={})
    chosen = [one for one in read if how.run is None or one.name == how.run]
    if len(chosen) != 1:
        raise InputError("ambiguous", how.source, f"{len(chosen)} runs are meant; expected one")
    (observation,) = chosen
    defaults = {} if how.utc_offset is None else {"utc-offset": how.utc_offset}
    run = measured_run(
        MeasuredAbout(name=how.name, target=how.system, raw_bytes=how.raw_capacity_bytes),
        observation,
        power=[log for one in how.meters for log in meters.logs(_log(folder, one), defaults)],
        temperature=[log for one in how.thermometers for log in meters.logs(_log(folder, one), defaults)],
        interval_s=how.interval_s or outputs.interval_s(observation),
    )
    work = {
        "tool": observation.tool,
        "asked": list(_asked(source)),
        "shares": [(one.stream, one.asked) for one in observation.shares],
        "asked_iops": observation.asked_iops,
        "reads": round(100 * _read_share(run)),
        "bytes": round(_bytes_each(run) / 512),
    }
    return run, work


def _asked(source: Path) -> Iterator[dict[str, Any]]:
    """Options of fio's jobs; of other load generators none are known."""
    if source.suffix != ".json":
        return
    document = input_file.json_object(source)
    common = document.get("global options") or {}
    for job in document.get("jobs") or []:
        options = {**common, **(job.get("job options") or {})} if isinstance(job, dict) else {}
        yield {
            key: value
            for key, value in options.items()
            if key not in _PLACES and not key.endswith(("_log", "log_file"))
        }


def _read_share(run: Run) -> float:
    counts = run.summary["requests"]
    return float(counts["reads"] / max(counts["completed"], 1))


def _bytes_each(run: Run) -> float:
    counts = run.summary["requests"]
    return float((counts["bytes_read"] + counts["bytes_written"]) / max(counts["completed"], 1))


def _inside(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InputError("not-accepted", "submission.json: imported", "a path leads out of the submission")
    return path


def _log(folder: Path, address: str) -> str:
    found, scheme = meters.find(address)
    if scheme.live:
        raise InputError("not-accepted", "submission.json: imported", "a live instrument is not asked")
    return address.replace(found.path, str(_inside(folder, found.path)), 1)


def _year(run: Run) -> int | None:
    began = _YEAR.match(str((run.summary.get("provenance") or {}).get("started_at", "")))
    return int(began[1]) if began else None


def _document(run: Run) -> dict[str, Any]:
    """The summary without what differs between two analyses."""
    return {key: value for key, value in run.summary.items() if key not in ("provenance", "simulation")}
