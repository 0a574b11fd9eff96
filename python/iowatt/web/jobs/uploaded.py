"""Reads uploaded files: says what they are, makes Runs of results of load generators."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.web.jobs.places import file_of

if TYPE_CHECKING:
    from iowatt.sources.observation import Observation
    from iowatt.trace.result import TraceInfo
    from iowatt.web.jobs.progress import JobProgress
    from iowatt.web.jobs.record import DescriptionRequest
    from iowatt.web.jobs.result import MeasuredOutput

#: Most runs of an output.
_MOST_RUNS: Final = 1000


def write_description(
    workspace: Path, asked: DescriptionRequest, target: Path, most_bytes: int, progress: JobProgress
) -> None:
    """Describe a file of the workspace in a JSON file, ``iowatt.upload/1``; with keys, it is a trace.

    Raises ``InputError``: it is nothing that is read here, or its description is longer than ``most_bytes``.
    """
    from iowatt.sources import outputs
    from iowatt.trace.measure import info
    from iowatt.web.jobs.reading import reading_spec
    from iowatt.web.jobs.result import UploadDescription

    file = file_of(workspace, asked.path)
    relative = file.relative_to(workspace.resolve())
    keys = {} if asked.trace is None else asked.trace.keys()
    what = "trace" if keys else outputs.recognised(file)
    trace = info(reading_spec(relative, keys), progress=progress.requests) if what == "trace" else None
    document = UploadDescription(
        path=relative.as_posix(),
        bytes=file.stat().st_size,
        what=what,
        trace=trace,
        workload_trace=None if trace is None else _keys(relative, trace, keys),
        runs=[] if trace is not None else [_described(one) for one in _read(relative, progress)],
    )
    text = document.json_text()
    if len(text.encode()) > most_bytes:
        raise InputError("too-large", str(relative), f"its description has more than {most_bytes:,} bytes")
    target.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path.file(target) as made:
        made.write_text(text, encoding="utf-8")


def write_runs(workspace: Path, path: str, target: Path, progress: JobProgress) -> None:
    """Make a Run bundle of a result of a load generator; of several runs in it a folder of bundles.

    Raises ``InputError``: it is none, or a trace without response times.
    """
    from iowatt.sources import outputs
    from iowatt.sources.measured import MeasuredAbout, measured_run

    relative = file_of(workspace, path).relative_to(workspace.resolve())
    found = _read(relative, progress)
    with atomic_path.folder(target, lambda: _refuse_existing(target)) as staging:
        for number, one in enumerate(found):
            progress(number / len(found), f"{number} of {len(found)} runs")
            about = MeasuredAbout(name=one.name, target="target", raw_bytes=None, command=None)
            run = measured_run(about, one, power=[], temperature=[], interval_s=outputs.interval_s(one))
            folder = staging if len(found) == 1 else staging / f"{number + 1}-{_plain(one.name)}"
            folder.mkdir(exist_ok=True)
            run.write_into(folder)


def _read(path: Path, progress: JobProgress) -> Sequence[Observation]:
    from iowatt.sources import outputs

    found = outputs.read_output(path, progress=progress.requests)
    if not found:
        raise InputError("empty", str(path), "there is no run in it")
    if len(found) > _MOST_RUNS:
        raise InputError("too-large", str(path), f"it has {len(found)} runs, more than {_MOST_RUNS}")
    return found


def _described(one: Observation) -> MeasuredOutput:
    from iowatt.web.jobs.result import MeasuredOutput

    requests = sum(
        part.both.requests if part.both is not None else part.read.requests + part.write.requests
        for part in one.intervals
    )
    duration = max(one.end - one.start, 0.0)
    return MeasuredOutput(
        name=one.name,
        tool=one.tool,
        version=one.version,
        duration_s=duration,
        requests=requests,
        iops=requests / duration if duration else 0.0,
        errors=one.errors,
        warnings=list(one.warnings),
    )


def _keys(path: Path, found: TraceInfo, given: Mapping[str, Any]) -> dict[str, Any]:
    keys: dict[str, Any] = {"path": path.as_posix(), "format": found.format, **given}
    if found.devices.count > 1:
        keys["place"] = "end-to-end"
    return keys


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", name).strip("-.")[:80] or "run"


def _refuse_existing(target: Path) -> None:
    if target.exists():
        raise InputError("exists", str(target), "already exists")
