"""`iowatt trace export`: writes the file, lets fio run it, and compares the result with the profile."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import Argument, InputError, IowattError
from iowatt.model.profile import remarks
from iowatt.sources.export import fio, vdbench
from iowatt.sources.export.loads import ExportedFile, PreparedProfile
from iowatt.sources.target import scratch_target


@dataclass(frozen=True)
class JobResult:
    """What one job did in one direction."""

    job: str
    op: str
    requests: int
    bytes: int


def fio_version() -> str | None:
    """What `fio --version` says; ``None`` where there is no fio."""
    program = shutil.which("fio")
    if program is None:
        return None
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def run_fio(text: str, folder: Path) -> list[JobResult]:
    """Requests and bytes of each job of the job file ``text``, run with ``folder`` as the current directory.

    Raises
    ------
    InputError
        There is no fio, or it refuses or fails; with what it said.
    """
    program = shutil.which("fio")
    if program is None:
        raise InputError("tool-missing", None, "fio is not on the PATH", hint="Debian: apt install fio")
    with tempfile.TemporaryDirectory() as scratch:
        job, result = Path(scratch, "export.fio"), Path(scratch, "result.json")
        job.write_text(text, "utf-8")
        command = [program, "--output-format=json", f"--output={result}", str(job)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        if done.returncode != 0 or not result.exists():
            raise InputError(
                "tool-failed",
                None,
                f"fio ended with code {done.returncode}: {said[-1] if said else 'no message'}",
            )
        return read_results(result.read_text("utf-8"))


def read_results(text: str) -> list[JobResult]:
    """The jobs of fio's JSON output; messages of fio around it are passed over.

    Raises
    ------
    IowattError
        It is no such output, or a job ended in an error.
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
        raise InputError(
            "tool-failed",
            None,
            f"fio reports errors of the jobs {', '.join(failed)}",
            hint="run the exported file to see them",
        )
    return found


MOST_POINTS: Final = 1.0
_SHORT: Final = 0.3


@dataclass(frozen=True)
class ComparedFigure:
    """A figure of one stream (or of all): asked, observed, and the difference."""

    stream: str
    figure: str
    unit: str
    asked: float
    observed: float

    @property
    def difference(self) -> float:
        """Observed less asked."""
        return self.observed - self.asked


def compare(prepared: PreparedProfile, exported: ExportedFile, done: list[JobResult]) -> dict[str, Any]:
    """The comparison: shares of requests, shares of reads and mean sizes by stream, all requests, the rate.

    Returns
    -------
    dict
        ``rows`` (stream, figure, unit, asked, observed, difference), ``requests``,
        ``largest_share_difference`` in points, ``sampling_error`` (the standard error that a share of a half
        would have), ``within`` (no share is off by more than a point), ``notes``.
    """
    names = [stream.name for stream in prepared.profile.stream]
    asked = {name: _asked(prepared, name) for name in names}
    total = math.fsum(requests for requests, _, _ in asked.values())
    seen = {name: _seen(exported, done, name) for name in names}
    count = sum(requests for requests, _, _ in seen.values())
    rows = []
    for name in names:
        share = ComparedFigure(
            name, "share", "%", 100 * asked[name][0] / total, 100 * seen[name][0] / max(1, count)
        )
        rows += [share, *_compare_mix(name, asked[name], seen[name])]
    rows += _compare_mix("all", _sum(asked.values()), _sum(seen.values()))
    shares = [abs(row.difference) for row in rows if row.figure == "share"]
    error = 50 / math.sqrt(max(1, count))
    notes = []
    if prepared.profile.rated:
        rows.append(
            ComparedFigure("all", "rate", "IOPS", total / prepared.duration_s, count / prepared.duration_s)
        )
        if rows[-1].observed < rows[-1].asked * 0.99 - 3 * math.sqrt(rows[-1].asked / prepared.duration_s):
            notes.append(
                "the target did not keep up: fio delayed requests, and the mix is that of what it could do"
            )
    if error > _SHORT:
        notes.append(
            f"{count} requests are few: the standard error of a share is up to {error:.1f} points; a longer "
            "duration lowers it"
        )
    return {
        "rows": [{**asdict(row), "difference": row.difference} for row in rows],
        "requests": count,
        "largest_share_difference": max(shares),
        "sampling_error": error,
        "within": max(shares) <= MOST_POINTS,
        "notes": notes,
    }


Counts = tuple[float, float, float]  # requests, reads, bytes


def _asked(prepared: PreparedProfile, name: str) -> Counts:
    loads = [load for load in prepared.loads() if load.stream.name == name]
    if prepared.sections[0].rates is None:
        requests = loads[0].stream.share or 0.0
    else:
        requests = math.fsum((s.rates or {}).get(name, 0.0) * s.length_s for s in prepared.sections)
    reads = requests * math.fsum(load.fraction for load in loads if load.op == "read")
    return requests, reads, requests * math.fsum(load.fraction * load.mean_bytes for load in loads)


def _seen(exported: ExportedFile, done: list[JobResult], name: str) -> Counts:
    of = [part for part in done if exported.jobs.get(part.job) == name]
    reads = sum(part.requests for part in of if part.op == "read")
    return sum(part.requests for part in of), reads, sum(part.bytes for part in of)


def _sum(all_: Any) -> Counts:
    requests, reads, size = (math.fsum(column) for column in zip(*all_, strict=True))
    return requests, reads, size


def _compare_mix(name: str, asked: Counts, seen: Counts) -> list[ComparedFigure]:
    def figures(counts: Counts) -> tuple[float, float]:
        requests, reads, size = counts
        return (100 * reads / requests, size / requests) if requests else (0.0, 0.0)

    (reads, size), (reads_seen, size_seen) = figures(asked), figures(seen)
    return [
        ComparedFigure(name, "reads", "%", reads, reads_seen),
        ComparedFigure(name, "mean size", "bytes", size, size_seen),
    ]


def table(comparison: dict[str, Any]) -> list[str]:
    """The comparison in columns: a line for each stream, then what concerns all."""
    figures: dict[str, dict[str, dict[str, Any]]] = {}
    for row in comparison["rows"]:
        figures.setdefault(row["stream"], {})[row["figure"]] = row
    width = max(len("stream"), *map(len, figures))
    heads = "".join(f"  {head:>25}" for head in ("share of requests, %", "reads, %", "mean size, bytes"))
    lines = [f"{'':<{width}}{heads}", f"{'stream':<{width}}" + f"  {'asked':>8}{'seen':>8}{'off':>9}" * 3]
    for stream, of in figures.items():
        cells = [
            _cell(of.get(figure), digits) for figure, digits in (("share", 2), ("reads", 2), ("mean size", 0))
        ]
        lines.append(f"{stream:<{width}}" + "".join(cells))
    for row in comparison["rows"]:
        if row["figure"] == "rate":
            lines.append(f"rate, IOPS: asked {row['asked']:.1f}, seen {row['observed']:.1f}")
    return lines


def _cell(row: dict[str, Any] | None, digits: int) -> str:
    if row is None:
        return " " * 27
    return f"  {row['asked']:>8.{digits}f}{row['observed']:>8.{digits}f}{row['difference']:>+9.{digits}f}"


SCHEMA: Final = "iowatt.trace-export/1"
_TOOLS: Final = {"fio": fio.export, "vdbench": vdbench.export}


def write_export(
    prepared: PreparedProfile, tool: str, output: Path | None, *, force: bool = False
) -> ExportedFile:
    """The file for ``tool`` (fio or vdbench), written to ``output`` where one is named.

    Raises
    ------
    InputError
        The output exists (and no ``force``), or cannot be written.
    """
    exported = _TOOLS[tool](prepared)
    if output is not None:
        try:
            with output.open("w" if force else "x", encoding="utf-8") as file:
                file.write(exported.text)
        except FileExistsError:
            message = "the file exists"
            raise InputError("exists", str(output), message, hint="`force=True` replaces it") from None
        except OSError as error:
            raise InputError("unwritable", str(output), error.strerror or "cannot be written") from None
    return exported


def check_with_fio(
    prepared: PreparedProfile,
    tool: str,
    target: Path,
    *,
    force: bool = False,
    erase: Path | None = None,
    tell: Callable[[str], None] = lambda _text: None,
) -> dict[str, Any]:
    """What `iowatt.sources.export.check` says of fio's run on ``target``; also ``fio``, its version.

    Raises
    ------
    InputError
        The tool is not fio, there is none, or the target may not be written to.
    """
    if tool != "fio":
        message = "only fio can be run for a check"
        raise InputError("not-applicable", Argument("check"), message, hint="`to=fio`")
    version = fio_version()
    if version is None:
        raise InputError(
            "tool-missing", Argument("check"), "fio is not on the PATH", hint="Debian: apt install fio"
        )
    with scratch_target(target, prepared.span, force=force, erase=erase, tell=tell) as direct:
        prepared = replace(prepared, target=str(target.absolute()))
        exported = fio.export(prepared, direct=direct)
        done = run_fio(exported.text, Path.cwd())
    comparison = compare(prepared, exported, done)
    if not direct:
        comparison["notes"].append(f"{target} cannot be used past the page cache: fio ran through it")
    return {"fio": version, "target": str(target), **comparison}


def export_result(
    prepared: PreparedProfile, exported: ExportedFile, output: Path | None, comparison: dict[str, Any] | None
) -> dict[str, Any]:
    """What `--json` prints."""
    return {
        "schema": SCHEMA,
        "profile": prepared.profile.name,
        "to": exported.tool,
        "path": None if output is None else str(output),
        "text": exported.text,
        "target": prepared.target,
        "span_bytes": prepared.span,
        "duration_s": prepared.duration_s,
        "seed": prepared.seed,
        "streams": [stream.name for stream in prepared.profile.stream],
        "jobs": [{"name": name, "stream": stream} for name, stream in exported.jobs.items()],
        "not_expressed": [asdict(omission) for omission in exported.omissions],
        "notes": remarks.of(prepared.profile),
        "check": comparison,
    }
