"""Fitting from end to end: describe, build, iterate, compare; and simulate both where a scenario is given."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Final

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.evaluate.fit import build, calibrate, fidelity
from iowatt.evaluate.fit.fidelity import FidelityFigure, FitDocument, compared
from iowatt.trace.convert import Progress, convert
from iowatt.trace.description import Description
from iowatt.trace.generate import PreparedTrace, generate, prepare
from iowatt.trace.measure import describe

STEPS: Final = 6
# Seeds of the traces that judge each step; the final comparison uses others.
_STEP_SEED: Final = 1 << 40
# Share of a table's error that a step corrects.
_GAIN: Final = 0.8
# The description joins extents where too many are touched.
_FINEST_EXTENT: Final = 4096
_OPTIONS: Final[dict[str, Any]] = {
    "extent_bytes": _FINEST_EXTENT,
    "cache_bytes": fidelity.CACHES,
    "dyadic_windows": True,
}

Stage = Callable[[str], AbstractContextManager[Progress | None]]


def fit(
    trace: Mapping[str, Any],
    target: Path,
    *,
    name: str | None = None,
    scenario: Path | None = None,
    seeds: Sequence[int] = (1,),
    steps: int = STEPS,
    force: bool = False,
    stage: Stage = lambda _: nullcontext(),
) -> FitDocument:
    """Fit a profile to a trace (a spec, see `iowatt.trace.open.spec`), and measure how near it comes.

    Args:
        target: The profile, a ``.toml`` file.
        scenario: Simulated with the trace, and with each synthetic one, in place of its first workload's.
        seeds: Of the synthetic traces. The first is described; all are simulated, and compared by their mean.
        steps: Synthetic traces made to find what tables must say (see `iowatt.evaluate.fit.calibrate`).
        stage: Called with what begins; gives where to report its progress.

    Raises ``InputError``: the trace cannot be read or fitted, the target exists, or the scenario cannot be
    run.
    """
    _check(trace, target, force)
    workload = None if scenario is None else _first_workload(scenario)
    file = str(trace["path"])

    def described(what: str, spec: Mapping[str, Any], **more: Any) -> Description:
        with stage(what) as progress:
            return describe(spec, **_OPTIONS, **more, progress=progress)

    original = described(f"describing {file}", trace)
    build.check(original)
    classes = {
        suffix: original
        if reach is None
        else described(f"describing its {build.described(suffix)}", trace, size_bytes=reach)
        for suffix, reach in build.classes(original.sizes.histogram).items()
    }
    span_s = original.span.duration_s
    with tempfile.TemporaryDirectory(prefix="iowatt-fit-") as folder:
        draft = Path(folder) / "profile.toml"

        def drafted(tuned: calibrate.FitParameters) -> dict[str, Any]:
            document = build.document(original, classes, tuned, name)
            draft.write_text(build.toml(document), encoding="utf-8")
            return document

        def prepared(seed: int) -> PreparedTrace:
            return prepare(str(draft), seed=seed, duration_s=span_s)

        tuned = calibrate.first_parameters(original)
        document = drafted(tuned)
        for number in range(steps):
            found = described(f"step {number + 1} of {steps}", prepared(_STEP_SEED + number).trace)
            tuned = calibrate.next_parameters(tuned, original, found, _GAIN)
            document = drafted(tuned)
        _write(target, draft.read_text("utf-8"))
        synthetic = described("describing the synthetic trace", prepared(seeds[0]).trace)
        simulated: list[FidelityFigure] = []
        if scenario is not None and workload is not None:
            made = Path(folder) / "trace.parquet"
            with stage(f"simulating {file}") as progress:
                convert(trace, made, progress=progress)
                one = _simulate(scenario, workload, made)
            runs = []
            for seed in seeds:
                with stage(f"simulating the synthetic trace of seed {seed}") as progress:
                    generate(prepared(seed), made, force=True, progress=progress)
                    runs.append(_simulate(scenario, workload, made))
            simulated = _compared(one, runs)
    return FitDocument(
        profile=str(target),
        requests=original.requests.count,
        streams=len(document["stream"]),
        phases=len(document["phase"]),
        seeds=list(seeds),
        fidelity=fidelity.measures(original, synthetic),
        simulated=simulated,
    )


def _check(trace: Mapping[str, Any], target: Path, force: bool) -> None:
    if target.suffix != ".toml":
        raise InputError("not-accepted", str(target), "expected the name of a .toml file")
    if target.exists() and not force:
        raise InputError(
            "exists", str(target), "the file already exists", hint="use `force=True` to overwrite it"
        )
    if str(trace["path"]) == "-":
        message = "fitting reads the trace several times, and standard input can be read once"
        raise InputError("read-once", "-", message, hint="store it: iowatt trace convert - trace.parquet")


def _write(target: Path, text: str) -> None:
    try:
        with atomic_path.file(target) as staging:
            staging.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError("unwritable", str(target), error.strerror or str(error)) from None


def _first_workload(scenario: Path) -> str:
    """Its name, or number where it has none."""
    from iowatt.model.scenario import load

    first = load(scenario, []).workload[0]
    if first.trace is None:
        message = "its first workload has no trace that another could replace"
        raise InputError("missing", str(scenario), message, hint='give it one: trace = { path = "..." }')
    return first.name


def _simulate(scenario: Path, workload: str, made: Path) -> dict[str, Any]:
    """The summary of a run of the scenario with this trace in its first workload."""
    from iowatt.evaluate.evaluation import run_scenario

    return run_scenario(scenario, [f"workload.{workload}.trace={build.inline({'path': str(made)})}"]).summary


def _compared(one: Mapping[str, Any], runs: Sequence[Mapping[str, Any]]) -> list[FidelityFigure]:
    found = []

    def compare(group: str, name: str, unit: str, figure: Callable[[Mapping[str, Any]], Any]) -> None:
        values = [None if (value := figure(run)) is None else float(value) for run in runs]
        known = [value for value in values if value is not None]
        mean = math.fsum(known) / len(known) if len(known) == len(values) else None
        spread = (min(known), max(known)) if mean is not None and len(known) > 1 else None
        before = figure(one)
        if before is not None or mean is not None:
            original = None if before is None else float(before)
            found.append(compared(group, name, unit, original, mean, spread=spread))

    def response(way: str, of: str) -> Callable[[Mapping[str, Any]], Any]:
        return lambda run: (run["response_time_ms"][way] or {}).get(of)

    for way, label in (("all", ""), ("read", " of reads"), ("write", " of writes")):
        for of in ("mean", "p50", "p95", "p99"):
            compare("response time", f"response time{label}, {of}", "ms", response(way, of))
    compare("energy", "energy above idle", "J", lambda run: run["energy"]["above_idle_j"])
    compare("energy", "energy", "J", lambda run: run["energy"]["total_j"])
    return found
