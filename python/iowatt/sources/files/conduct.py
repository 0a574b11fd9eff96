"""A run of file operations: files made, operations paced, meters beside, a Run bundle."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError, IowattError
from iowatt.base.results import Note
from iowatt.base.units import format_bytes
from iowatt.model.library.files import NOT_SPEC, operations
from iowatt.run import index
from iowatt.run.bundle import Run, reserve
from iowatt.sources.files.fileset import SetRequest, file_set
from iowatt.sources.files.observe import MadeOperations, late_warning, observed, save_operations
from iowatt.sources.files.request import FilesRequest
from iowatt.sources.files.result import FilesDocument
from iowatt.sources.files.timetable import draw_timetable
from iowatt.sources.lateness import Lateness
from iowatt.sources.measured import MeasuredAbout, measured_run
from iowatt.sources.meters import split_name
from iowatt.sources.meters.log import InstrumentLog
from iowatt.sources.meters.recording import InstrumentRequest, Recorders

OPERATIONS: Final = "operations.parquet"
_SHORT_S: Final = 300.0


def run_files(
    request: FilesRequest,
    *,
    tell: Callable[[str], None] = lambda _text: None,
    progress: Callable[[float, int], None] | None = None,
) -> FilesDocument:
    """Make files in the target, make operations on them, remove them; leaves a bundle at ``request.output``.

    Raises ``InputError`` where something that was asked for is wrong or the file system is full; nothing is
    left then.
    """
    request.check()
    wanted = SetRequest(request.target, request.workload, request.size_bytes, request.depth, request.seed)
    due = draw_timetable(request.workload, request.rate, request.warmup_s + request.duration_s, request.seed)
    with reserve(request.output, force=request.force) as place:
        staging = place.staging
        meter_folder = staging / "meters"
        meter_folder.mkdir()
        meters = Recorders(
            [InstrumentRequest(*split_name(text), request.meter_interval_s) for text in request.meters],
            meter_folder,
        )
        count = wanted.files * request.depth
        size = format_bytes(wanted.total_bytes, binary=True)
        tell(f"making {count} files ({size}) in {wanted.path}, which is removed at the end")
        with file_set(wanted) as files:
            prepared = files.bytes
            tell(f"{due.code.size} operations of {request.workload.name} in {request.duration_s:g} s")
            with meters.recording():
                stamps = files.run(due.due_ns, due.code, progress=progress)
        refuse_full(stamps["full"], request.target)
        made = MadeOperations(due.code, stamps).since(round(request.warmup_s * 1e9))
        save_operations(made, staging / OPERATIONS)
        run = _measured(request, wanted, made, prepared, meters.logs())
        run.write_into(staging)
        if not any(meter_folder.iterdir()):
            meter_folder.rmdir()
    done = Run.open(request.output)
    index.register(request.output, done.summary)
    lateness = made.times.lateness
    driver = done.summary["driver"]
    return FilesDocument(
        run=str(request.output),
        workload=request.workload.name,
        asked_ops=request.rate,
        achieved_ops=driver["achieved_iops"],
        operations=int(made.code.size),
        errors=int(made.times.failed.sum()),
        lateness=lateness,
        notes=_notes(lateness, request),
        summary=done.summary,
    )


def refuse_full(number: int, target: Path) -> None:
    """Raise ``InputError`` where the file system took no more (an error number of the system; 0: it did)."""
    if number:
        message = f"the file system takes no more: {os.strerror(number)}"
        hint = "give it more room, or ask for smaller files with `size=...`"
        raise InputError("unwritable", str(target), message, hint=hint)


def _shrunk(wanted: SetRequest) -> list[str]:
    if wanted.shrunk == 1:
        return []
    return [f"files have {100 * wanted.shrunk:.3g} % of the workload's sizes, so that each thread has one"]


def _notes(lateness: Lateness, request: FilesRequest) -> list[Note]:
    found = [Note(code="not-spec", text=f"{request.workload.name}: {NOT_SPEC}", decides=True)]
    if (text := late_warning(lateness, request.depth)) is not None:
        found.append(Note(code="late", text=text, decides=True))
    if request.workload.unverified:
        text = f"assumed, not read in a publication: {', '.join(request.workload.unverified)}"
        found.append(Note(code="assumed", text=text))
    return found


def _measured(
    request: FilesRequest,
    wanted: SetRequest,
    made: MadeOperations,
    prepared: int,
    logs: Sequence[InstrumentLog],
) -> Run:
    width = request.interval_s or (1.0 if request.duration_s <= _SHORT_S else 60.0)
    try:
        seen = observed(
            made,
            request.workload,
            name=request.name,
            rate=request.rate,
            threads=request.depth,
            seconds=request.duration_s,
            interval_s=width,
        )
    except IowattError as error:
        raise IowattError(error.code, str(request.target), error.message) from None
    about = MeasuredAbout(
        name=request.name,
        target=str(request.target),
        raw_bytes=request.raw_bytes,
        tested_bytes=prepared,
        seed=request.seed,
        command=request.command,
        plan={
            "workload": request.workload.name,
            "in_the_manner_of": request.workload.in_the_manner_of or "",
            "asked_ops": request.rate,
            "threads": request.depth,
            "files": wanted.files * wanted.threads,
            "late_share": made.times.lateness.late,
            "operations": sorted(set(request.workload.operations) & set(operations())),
        },
        notes=[
            "metadata operations that ask (stat, access, readdir, statfs, lock) count as reads of no bytes, "
            "those that change as writes of no bytes; workloads and driver.operations tell them apart",
            f"operations at their intended times: {made.times.lateness.text}",
            *_shrunk(wanted),
            *(note.text for note in _notes(made.times.lateness, request) if note.code == "assumed"),
        ],
    )
    power = [log for log in logs if "watts" in log.quantities]
    temperature = [log for log in logs if "watts" not in log.quantities]
    return measured_run(about, seen, power=power, temperature=temperature, interval_s=width, source="files")
