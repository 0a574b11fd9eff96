"""`iowatt trace export`: writes the file, lets fio run it, and compares the result with the profile."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from iowatt.base.atomic_path import write_text
from iowatt.base.errors import Argument, InputError, IowattError
from iowatt.base.results import Note
from iowatt.model.profile import remarks
from iowatt.sources.environment import fio_version
from iowatt.sources.export import fio, vdbench
from iowatt.sources.export.loads import ExportedFile, PreparedProfile
from iowatt.sources.export.result import CheckedFigure, ExportedJob, FioCheck, ProfileExport
from iowatt.sources.target import scratch_target


@dataclass(frozen=True)
class JobResult:
    """What one job did in one direction."""

    job: str
    op: str
    requests: int
    bytes: int


def no_fio(where: str | None) -> InputError:
    """The error that fio is not installed."""
    return InputError("tool-missing", where, "fio is not on the PATH", hint="Debian: apt install fio")


def run_fio(text: str, folder: Path) -> list[JobResult]:
    """Requests and bytes of each job of the job file ``text``, run with ``folder`` as the current directory.

    Raises ``InputError``: there is no fio, or it refuses or fails; with what it said.
    """
    program = shutil.which("fio")
    if program is None:
        raise no_fio(None)
    with tempfile.TemporaryDirectory() as scratch:
        job, result = Path(scratch, "export.fio"), Path(scratch, "result.json")
        job.write_text(text, "utf-8")
        command = [program, "--output-format=json", f"--output={result}", str(job)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        if done.returncode != 0 or not result.exists():
            message = f"fio ended with code {done.returncode}: {said[-1] if said else 'no message'}"
            raise InputError("tool-failed", None, message)
        return read_results(result.read_text("utf-8"))


def read_results(text: str) -> list[JobResult]:
    """The jobs of fio's JSON output; messages of fio around it are passed over.

    Raises ``IowattError``: it is no such output, or a job ended in an error.
    """
    begin, end = text.find("{"), text.rfind("}")
    try:
        jobs: list[dict[str, Any]] = json.loads(text[begin : end + 1])["jobs"]
        failed = [job["jobname"] for job in jobs if job["error"]]
        found = [
            JobResult(job["jobname"], op, job[op]["total_ios"], job[op]["io_bytes"])
            for job in jobs
            for op in ("read", "write")
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise IowattError("tool-output", None, f"the output of fio is not its JSON: {error!r}") from None
    if failed:
        message = f"fio reports errors of the jobs {', '.join(failed)}"
        raise InputError("tool-failed", None, message, hint="run the exported file to see them")
    return found


MOST_POINTS: Final = 1.0
"""Points by which the share of a stream may differ."""

NOT_KEPT_UP: Final = "rate-not-kept"
"""Code of the note that the target was slower than the rate asked for."""

FEW_REQUESTS: Final = "few-requests"
"""Code of the note that chance alone moves shares by this much."""

PAGE_CACHE: Final = "page-cache"
"""Code of the note that fio ran through the page cache."""

_SHORT: Final = 0.3


_MixCounts = tuple[float, float, float]  # requests, reads, bytes


def compare(
    prepared: PreparedProfile,
    exported: ExportedFile,
    results: list[JobResult],
    *,
    fio_version: str = "",
    target: str = "",
    direct: bool = True,
) -> FioCheck:
    """Shares of requests, shares of reads and mean sizes by stream, all requests, and the rate."""
    names = [stream.name for stream in prepared.profile.stream]
    asked = {name: _asked(prepared, name) for name in names}
    observed = {name: _observed(exported, results, name) for name in names}
    total = math.fsum(requests for requests, _, _ in asked.values())
    count = sum(int(requests) for requests, _, _ in observed.values())
    rows = []
    for name in names:
        shares = 100 * asked[name][0] / total, 100 * observed[name][0] / max(1, count)
        rows += [
            CheckedFigure.of(name, "share", "%", *shares),
            *_compare_mix(name, asked[name], observed[name]),
        ]
    rows += _compare_mix("all", _sum(asked.values()), _sum(observed.values()))
    differences = [abs(row.difference) for row in rows if row.figure == "share"]
    error = 50 / math.sqrt(max(1, count))
    notes = []
    if prepared.profile.rated:
        rate, done = total / prepared.duration_s, count / prepared.duration_s
        rows.append(CheckedFigure.of("all", "rate", "IOPS", rate, done))
        if done < rate * 0.99 - 3 * math.sqrt(rate / prepared.duration_s):
            text = "the target did not keep up: fio delayed requests, and the mix is that of what it could do"
            notes.append(Note(code=NOT_KEPT_UP, text=text, decides=True))
    if error > _SHORT:
        text = f"{count} requests are few: the standard error of a share is up to {error:.1f} points"
        notes.append(Note(code=FEW_REQUESTS, text=f"{text}; a longer duration lowers it", decides=True))
    if not direct:
        text = f"{target} cannot be used past the page cache: fio ran through it"
        notes.append(Note(code=PAGE_CACHE, text=text, decides=True))
    return FioCheck(
        fio=fio_version,
        target=target,
        rows=rows,
        requests=count,
        largest_share_difference=max(differences),
        sampling_error=error,
        within=max(differences) <= MOST_POINTS,
        notes=notes,
    )


def _asked(prepared: PreparedProfile, name: str) -> _MixCounts:
    loads = [load for load in prepared.loads() if load.stream.name == name]
    if prepared.sections[0].rates is None:
        requests = loads[0].stream.share or 0.0
    else:
        requests = math.fsum((s.rates or {}).get(name, 0.0) * s.length_s for s in prepared.sections)
    reads = requests * math.fsum(load.fraction for load in loads if load.op == "read")
    return requests, reads, requests * math.fsum(load.fraction * load.mean_bytes for load in loads)


def _observed(exported: ExportedFile, results: list[JobResult], name: str) -> _MixCounts:
    own = [result for result in results if exported.jobs.get(result.job) == name]
    reads = sum(result.requests for result in own if result.op == "read")
    return sum(result.requests for result in own), reads, sum(result.bytes for result in own)


def _sum(counts: Iterable[_MixCounts]) -> _MixCounts:
    requests, reads, size = (math.fsum(column) for column in zip(*counts, strict=True))
    return requests, reads, size


def _compare_mix(name: str, asked: _MixCounts, observed: _MixCounts) -> list[CheckedFigure]:
    def figures(counts: _MixCounts) -> tuple[float, float]:
        requests, reads, size = counts
        return (100 * reads / requests, size / requests) if requests else (0.0, 0.0)

    (reads, size), (reads_observed, size_observed) = figures(asked), figures(observed)
    return [
        CheckedFigure.of(name, "reads", "%", reads, reads_observed),
        CheckedFigure.of(name, "mean size", "bytes", size, size_observed),
    ]


_TOOLS: Final = {"fio": fio.export, "vdbench": vdbench.export}


def export_profile(
    prepared: PreparedProfile,
    tool: str,
    output: Path | None,
    *,
    check: Path | None = None,
    erase: Path | None = None,
    force: bool = False,
    tell: Callable[[str], None] = lambda _text: None,
) -> ProfileExport:
    """The file for ``tool`` (fio or vdbench), written to ``output`` where one is named.

    With ``check``, fio also runs it on that target, and what it did is compared with the profile.

    Raises ``InputError`` where the output exists (and no ``force``) or cannot be written; with ``check``,
    where the tool is not fio, there is no fio, or the target may not be written to.
    """
    exported = _TOOLS[tool](prepared)
    if output is not None:
        write_text(output, exported.text, force=force)
    checked = None
    if check is not None:
        checked = check_with_fio(prepared, tool, check, force=force, erase=erase, tell=tell)
    return ProfileExport(
        profile=prepared.profile.name,
        to=exported.tool,
        path=None if output is None else str(output),
        text=exported.text,
        target=prepared.target,
        span_bytes=prepared.span,
        duration_s=prepared.duration_s,
        seed=prepared.seed,
        streams=[stream.name for stream in prepared.profile.stream],
        jobs=[ExportedJob(name=name, stream=stream) for name, stream in exported.jobs.items()],
        not_expressed=exported.omissions,
        notes=remarks(prepared.profile),
        check=checked,
    )


def check_with_fio(
    prepared: PreparedProfile,
    tool: str,
    target: Path,
    *,
    force: bool = False,
    erase: Path | None = None,
    tell: Callable[[str], None] = lambda _text: None,
) -> FioCheck:
    """Let fio run the file on ``target``, and compare what it did with the profile.

    Raises ``InputError`` where the tool is not fio, there is none, or the target may not be written to.
    """
    if tool != "fio":
        message = "only fio can be run for a check"
        raise InputError("not-applicable", Argument("check"), message, hint="`to=fio`")
    version = fio_version()
    if version is None:
        raise no_fio(Argument("check"))
    with scratch_target(target, prepared.span, force=force, erase=erase, tell=tell) as direct:
        prepared = replace(prepared, target=str(target.absolute()))
        exported = fio.export(prepared, direct=direct)
        results = run_fio(exported.text, Path.cwd())
    return compare(prepared, exported, results, fio_version=version, target=str(target), direct=direct)
