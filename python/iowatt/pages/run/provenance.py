"""What a Run is called on a page, and where it came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from iowatt.render import numbers

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_SOURCES = {
    "simulation": "Simulated",
    "emulation": "Live on emulated media, modelled watts",
    "fio": "Measured with fio",
    "vdbench": "Measured with vdbench",
    "iometer": "Measured with Iometer",
    "replay": "Measured by replay",
    "trace": "From a trace",
    "files": "Measured with iowatt's file operations (not SPECstorage)",
    "specstorage": "Measured with SPECstorage or SPEC SFS",
    "volume": "Measured by the volume that served it",
    "counters": "From counters",
}


def labels(runs: Sequence[Run]) -> list[str]:
    """Names of Runs that tell them apart: the directory is added where names repeat."""
    names = [run.name for run in runs]
    repeated = {name for name, number in Counter(names).items() if number > 1}
    shown = [
        f"{name} ({run.path.name})" if name in repeated and run.path else name
        for name, run in zip(names, runs, strict=True)
    ]
    if len(set(shown)) < len(shown):
        return [f"{number}: {label}" for number, label in enumerate(shown, 1)]
    return shown


def origin(summary: Mapping[str, Any]) -> str:
    """What produced a Run, over which time and when, in one line."""
    kind = _SOURCES.get(summary["source"], str(summary["source"]))
    window, made = summary["window"], summary["provenance"]
    span = f"window of {numbers.duration(window['duration_s'])}"
    if window["warmup_s"]:
        span += f" after {numbers.duration(window['warmup_s'])} of warm-up"
    return f"{kind} · {span} · {made['started_at'][:10]} · iowatt {made['version']}"


def provenance(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Where a Run came from, as pairs of a title and a value."""
    origin, window = summary["provenance"], summary["window"]
    span = f"{window['start_s']:,.9g} s to {window['end_s']:,.9g} s"
    if window["warmup_s"]:
        span += f", after {window['warmup_s']:,.9g} s of warm-up"
    rows = [
        ("iowatt", str(origin["version"])), ("Seed", str(origin["seed"])),
        ("Started", str(origin["started_at"])), ("Command", origin.get("command")),
        ("Window of all figures", span), ("Scenario SHA-256", origin.get("scenario_sha256")),
        ("Host", _host(origin.get("host"))), ("Simulation", _effort(summary.get("simulation"))),
    ]  # fmt: skip
    return [(title, value) for title, value in rows if value]


def _host(host: Mapping[str, Any] | None) -> str | None:
    return f"{host['name']}: {host['system']}, {host['machine']}, {host['cpus']} CPUs" if host else None


def _effort(cost: Mapping[str, Any] | None) -> str | None:
    if not cost:
        return None
    threads = f" on {cost['threads']} threads" if cost.get("threads", 1) > 1 else ""
    speed = numbers.significant(cost["requests_per_cpu_s"])
    return (
        f"{numbers.duration(cost['wall_s'])}{threads} ({speed} requests per CPU second, "
        f"{numbers.significant(cost['peak_rss_mib'])} MiB of memory at most)"
    )
