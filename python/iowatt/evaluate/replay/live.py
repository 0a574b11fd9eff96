"""A scenario's workload on a live volume over the scenario's emulated media."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from iowatt.base.errors import InputError, IowattError
from iowatt.evaluate.replay.engine import run_engine
from iowatt.evaluate.replay.export import ready
from iowatt.evaluate.replay.request import ReplayRequest
from iowatt.evaluate.replay.trace import ReplayTrace, fitted, read
from iowatt.model.scenario import compile_plan, input_files, load, resolve_sources
from iowatt.run import index
from iowatt.run.bundle import Run, reserve
from iowatt.sources.lateness import RequestStamps
from iowatt.sources.volume import NewVolume, ReplayedHere, VolumeService, create, emulated_media


def run_live(
    scenario: Path,
    overrides: Sequence[str] = (),
    *,
    output: Path,
    pool: str | None = None,
    force: bool = False,
    command: str | None = None,
    progress: Callable[[float, int], None] | None = None,
) -> Run:
    """Serve the scenario's virtual pool as a volume on emulated media, and run its workload against it.

    It takes as long as the workload does: nothing is simulated ahead of time. The stores are sparse files in
    the system's temporary folder, and are removed at the end.

    Args:
        output: The Run bundle.
        pool: The virtual pool; None where there is one only.
        progress: Called with the share of the work that is done, and the requests so far.

    Raises ``InputError`` where the scenario has no virtual pool, not just one workload, or is otherwise
    beyond a live volume; nothing is left then.
    """
    given = load(scenario, overrides)
    plan = compile_plan(given, scenario.parent)
    request = _request(plan, scenario, output)
    media = emulated_media(scenario, overrides, pool, own_work=True)
    trace = _trace(plan, scenario)
    with reserve(output, force=force) as reservation:
        # Apart from the bundle, because a socket's path is short.
        with tempfile.TemporaryDirectory(prefix="iowatt-live-") as name:
            folder = Path(name)
            parts = [folder / f"{number}.img" for number in range(len(media.parts))]
            create(NewVolume(scenario, parts, (), overrides, pool))
            service = VolumeService(parts, folder / "volume.sock", media=media)
            try:
                stamps = _replay(service.uri, trace, request, progress)
            finally:
                service.stop()
        files = [(name, Path(name)) for name in input_files(given, plan["sources"], scenario.parent)]
        made = ReplayedHere(stamps.lateness.late, [f"replayed by iowatt: {stamps.lateness.text}"], files)
        run = service.recorded_run(output.name, replayed=made, command=command)
        run.write_into(reservation.staging)
    index.register(output, run.summary)
    return run.at(output)


def _request(plan: Mapping[str, Any], scenario: Path, output: Path) -> ReplayRequest:
    """How the requests are made; the target is not known yet.

    Raises ``InputError`` where the scenario has not one workload, or one that is made otherwise.
    """
    workloads = plan["simulation"]["workloads"]
    if len(workloads) != 1:
        message = f"has {len(workloads)} workloads, and a live run makes the requests of one"
        raise InputError("unsupported", str(scenario), message)
    pace = workloads[0]["replay"]
    if pace["mode"] == "open":
        return ReplayRequest({"path": str(scenario), "speed": pace["speed"]}, "", output)
    by_stream = pace["per"] == "stream"
    if pace.get("think"):
        message = "a live run makes no pauses of its own"
        raise InputError("unsupported", f"{scenario}: workload.0.replay.think", message)
    if by_stream and pace["outstanding"] != 1:
        message = "a live run keeps one request in each stream"
        raise InputError("unsupported", f"{scenario}: workload.0.replay.outstanding", message)
    outstanding = None if by_stream else pace["outstanding"]
    return ReplayRequest({"path": str(scenario)}, "", output, mode="closed", outstanding=outstanding)


def _trace(plan: dict[str, Any], scenario: Path) -> ReplayTrace:
    simulation = plan["simulation"]
    trace = read(resolve_sources(plan, scenario.parent)[0])
    volume = simulation["volumes"][simulation["workloads"][0]["volume"]]
    return replace(trace, offset=trace.offset + volume["offset_bytes"])


def _replay(
    uri: str, trace: ReplayTrace, request: ReplayRequest, progress: Callable[[float, int], None] | None
) -> RequestStamps:
    request = replace(request, target=uri, erase=uri)
    speed = request.trace.get("speed") or 1.0
    if speed != 1.0:
        trace = replace(trace, time_ns=(trace.time_ns / speed).round().astype("int64"))
    with ready(uri, size=None, erase=uri, writes=True) as target:
        trace = fitted(
            trace, uri, capacity=target.capacity, block=1, fold=False, align=False, most=target.most
        )
        stamps = run_engine(trace, target, request, progress)
    if stamps.error_note is not None:
        raise IowattError("tool-failed", uri, stamps.error_note)
    return stamps
