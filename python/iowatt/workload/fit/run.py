"""Fitting from end to end: describe, build, generate, compare; and simulate both where a scenario is given."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from iowatt.errors import InputError
from iowatt.trace.description.measure import describe
from iowatt.workload.fit import build, fidelity
from iowatt.workload.fit.fidelity import Measure
from iowatt.workload.generate import generate, prepare

SCHEMA: Final = "iowatt.fit/1"
# Extents of the density are asked this fine; the description joins them where too many are touched.
_FINEST_EXTENT: Final = 64 << 10

Told = Callable[[str], Any]


@dataclass
class Fit:
    """What a fit gave."""

    path: Path
    requests: int
    measures: list[Measure]
    simulated: list[Measure] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "schema": SCHEMA,
            "profile": str(self.path),
            "requests": self.requests,
            "fidelity": [m.as_dict() for m in self.measures],
            "simulated": [m.as_dict() for m in self.simulated],
        }


def fit(
    trace: Mapping[str, Any],
    target: Path,
    *,
    name: str | None = None,
    scenario: Path | None = None,
    seed: int = 1,
    force: bool = False,
    told: Told = lambda _: None,
) -> Fit:
    """Fit a profile to a trace (a spec, see `iowatt.trace.open.spec`), write it, and measure how near it comes.

    Parameters
    ----------
    target
        The profile, a ``.toml`` file.
    scenario
        Simulated twice, with the trace and with the synthetic one in place of its first workload's.
    seed
        Of the synthetic trace.
    told
        Called with what is being done.

    Raises
    ------
    InputError
        The trace cannot be read or fitted, the target exists, or the scenario cannot be run.
    """
    if target.suffix != ".toml":
        raise InputError("a profile is a .toml file", where=str(target))
    if target.exists() and not force:
        raise InputError("the file exists", where=str(target), hint="--force replaces it")
    options: dict[str, Any] = {"extent_bytes": _FINEST_EXTENT, "cache_bytes": fidelity.CACHES}
    told("describing the trace")
    original = describe(trace, **options)
    text = build.toml(build.document(original, name))
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(error.strerror or str(error), where=str(target)) from None
    prepared = prepare(str(target), seed=seed, duration_s=original["span"]["duration_s"])
    told("describing the synthetic trace")
    synthetic = describe(prepared.trace, **options)
    found = Fit(target, original["requests"]["count"], fidelity.measures(original, synthetic))
    if scenario is not None:
        with tempfile.TemporaryDirectory(prefix="iowatt-fit-") as folder:
            made = Path(folder) / "synthetic.parquet"
            generate(prepared, made)
            told("simulating the trace")
            one = _simulate(scenario, trace)
            told("simulating the synthetic trace")
            two = _simulate(scenario, {"path": made, "format": "parquet"})
        found.simulated = _compared(one, two)
    return found


# Options of a trace spec by their keys in a scenario.
_KEYS: Final = {
    "format": "format",
    "time_unit": "time_unit",
    "sector_bytes": "sector_size",
    "event": "event",
    "device": "device",
    "skip_bad": "skip_bad",
}


def _simulate(scenario: Path, trace: Mapping[str, Any]) -> dict[str, Any]:
    """The summary of a run of the scenario with this trace in its first workload."""
    import iowatt
    from iowatt.scenario import load

    first = load(scenario, []).workload[0]
    if first.trace is None:
        raise InputError("its first workload has no trace to put another in place of", where=str(scenario))
    table = {key: trace[option] for option, key in _KEYS.items() if trace.get(option) is not None}
    table["path"] = str(Path(trace["path"]).resolve())
    if trace.get("columns"):
        table["columns"] = dict(trace["columns"])
    return iowatt.run(scenario, set=[f"workload.{first.name}.trace={build.inline(table)}"]).summary


def _compared(one: Mapping[str, Any], two: Mapping[str, Any]) -> list[Measure]:
    def above_idle(run: Mapping[str, Any]) -> float:
        return float(run["energy"]["above_idle_j"])

    found = []
    for way in ("all", "read", "write"):
        times = [run["response_time_ms"][way] for run in (one, two)]
        for figure in ("mean", "p50", "p95", "p99"):
            pair = [None if t is None else t.get(figure) for t in times]
            if any(value is not None for value in pair):
                label = "" if way == "all" else f" of {way}s"
                found.append(Measure("response time", f"response time{label}, {figure}", "ms", *pair))
    found.append(Measure("energy", "energy above idle", "J", above_idle(one), above_idle(two)))
    totals = [float(run["energy"]["total_j"]) for run in (one, two)]
    found.append(Measure("energy", "energy", "J", *totals))
    return found
