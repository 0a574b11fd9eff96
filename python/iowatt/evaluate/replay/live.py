"""A scenario's workload on a live volume over the scenario's emulated media."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from iowatt.base.errors import InputError, IowattError
from iowatt.evaluate.replay.engine import run_engine
from iowatt.evaluate.replay.export import ready
from iowatt.evaluate.replay.request import ReplayRequest
from iowatt.evaluate.replay.trace import ReplayTrace, fitted, read
from iowatt.model.scenario import compile_plan, load, resolve_sources
from iowatt.run import index
from iowatt.run.bundle import Run, reserve
from iowatt.sources.volume import NewVolume, VolumeService, create, emulated_media


def run_live(
    scenario: Path,
    overrides: Sequence[str] = (),
    *,
    output: Path,
    pool: str | None = None,
    stores: Path | None = None,
    force: bool = False,
    command: str | None = None,
    progress: Callable[[float, int], None] | None = None,
) -> Run:
    """Serve the scenario's virtual pool as a volume on emulated media, and run its workload against it.

    It takes as long as the workload does: nothing is simulated ahead of time. The stores are sparse files in
    a folder of their own, and are removed at the end.

    Args:
        output: The Run bundle.
        pool: The virtual pool; None where there is one only.
        stores: Where the folder of the stores is made; None: the system's temporary folder.
        progress: Called with the share of the work that is done, and the requests so far.

    Raises ``InputError`` where the scenario has no virtual pool, not just one workload, or is otherwise
    beyond a live volume; nothing is left then.
    """
    plan = compile_plan(load(scenario, overrides), scenario.parent)
    workloads = plan["simulation"]["workloads"]
    if len(workloads) != 1:
        message = f"has {len(workloads)} workloads, and a live run makes the requests of one"
        raise InputError("unsupported", str(scenario), message)
    media = emulated_media(scenario, overrides, pool, own_work=True)
    trace = _trace(plan, scenario)
    with reserve(output, force=force) as reservation:
        # Apart from the bundle, because a socket's path is short.
        folder = Path(tempfile.mkdtemp(prefix="iowatt-live-", dir=stores))
        try:
            parts = [folder / f"{number}.img" for number in range(len(media.parts))]
            create(NewVolume(scenario, parts, (), overrides, pool))
            service = VolumeService(parts, folder / "volume.sock", media=media)
            try:
                _replay(service.uri, trace, workloads[0]["replay"], output, progress)
            finally:
                service.stop()
            run = service.recorded_run(output.name, command=command)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        run.write_into(reservation.staging)
    index.register(output, run.summary)
    return run.at(output)


def _trace(plan: dict[str, Any], scenario: Path) -> ReplayTrace:
    simulation = plan["simulation"]
    trace = read(resolve_sources(plan, scenario.parent)[0])
    volume = simulation["volumes"][simulation["workloads"][0]["volume"]]
    return replace(trace, offset=trace.offset + volume["offset_bytes"])


def _replay(
    uri: str,
    trace: ReplayTrace,
    pace: dict[str, Any],
    output: Path,
    progress: Callable[[float, int], None] | None,
) -> None:
    if pace.get("think"):
        raise InputError("unsupported", "workload.replay.think", "a live run makes no pauses of its own")
    closed = pace["mode"] == "closed"
    by_stream = closed and pace["per"] == "stream"
    if by_stream and pace["outstanding"] != 1:
        raise InputError("unsupported", "workload.replay.outstanding", "a live run keeps one in each stream")
    if not closed:
        times = (trace.time_ns / pace["speed"]).round().astype("int64")
        trace = replace(trace, time_ns=times)
    request = ReplayRequest(
        {"path": uri},
        uri,
        output,
        erase=uri,
        mode="closed" if closed else "open",
        outstanding=None if by_stream or not closed else pace["outstanding"],
    )
    with ready(uri, size=None, erase=uri, writes=True) as target:
        trace = fitted(
            trace, uri, capacity=target.capacity, block=1, fold=False, align=False, most=target.most
        )
        stamps = run_engine(trace, target, request, progress)
    if stamps.error_note is not None:
        raise IowattError("tool-failed", uri, stamps.error_note)
