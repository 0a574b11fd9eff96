"""What a log holds, in a few figures; and what there is to read: documents for people and for programs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

from iowatt.sources.meters import hwmon, rapl
from iowatt.sources.meters.align import align
from iowatt.sources.meters.checks import sample_interval
from iowatt.sources.meters.log import Instrument, Log
from iowatt.sources.meters.meter import Reading
from iowatt.sources.meters.schemes import SCHEMES

LIST_SCHEMA: Final = "iowatt.meter-list/1"
READ_SCHEMA: Final = "iowatt.meter-read/1"
RECORD_SCHEMA: Final = "iowatt.meter-record/1"
_MOST_LINES: Final = 20

UNITS: Final = {
    "watts": "W", "volts": "V", "amperes": "A", "power_factor": "", "hertz": "Hz", "thd_percent": "%",
    "celsius": "°C", "joules": "J",
}  # fmt: skip


def schemes() -> list[dict[str, Any]]:
    """Every kind of instrument."""
    return [
        {
            "scheme": name,
            "live": scheme.live,
            "what": scheme.what,
            "example": scheme.example,
            "grade": "as recorded" if name == "recording" else scheme.grade,
            "declarable": scheme.declarable,
            "why": scheme.why,
        }
        for name, scheme in SCHEMES.items()
    ]


def here(powercap: Path = Path(rapl.ROOT), chips: Path = Path(hwmon.ROOT)) -> list[dict[str, Any]]:
    """The instruments of this host, by address."""
    found = [{"address": f"rapl:{zone.name}", "what": f"RAPL {zone.name}"} for zone in rapl.zones(powercap)]
    found += [
        {
            "address": f"hwmon:{sensor.folder.name}/{sensor.name}",
            "what": f"{sensor.chip} {sensor.label or sensor.name}",
        }
        for sensor in hwmon.sensors(chips)
    ]
    return found


def instrument(of: Instrument) -> dict[str, Any]:
    """An instrument as JSON."""
    found = asdict(of)
    found["calibrated"] = None if of.calibrated is None else of.calibrated.isoformat()
    found["details"] = dict(of.details)
    return found


def reading(of: Reading) -> dict[str, Any]:
    """A reading as JSON."""
    return {"time": iso(of.time_s), "time_s": of.time_s, **of.quantities}


def log(of: Log) -> dict[str, Any]:
    """A log's span, each quantity's valid samples and their figures, and all that is wrong with it.

    Means weigh samples by the time that they stand for; times that lack samples have no part in them.
    """
    count = len(of.time_s)
    interval = sample_interval(of.time_s, of.instrument.sample_interval_s)
    start = float(of.time_s[0]) if count else None
    end = float(of.time_s[-1]) if count else None
    quantities = {}
    for name in of.quantities:
        if start is None or end is None:
            continue
        whole = align(of, name, np.array([start - (interval or 1.0)]), np.array([end]))
        quantities[name] = {
            "samples": int(whole.samples[0]),
            "expected": int(whole.expected[0]),
            "not_available": int(whole.not_available[0]),
            "out_of_range": int(whole.out_of_range[0]),
            "longest_gap_s": float(whole.longest_gap_s[0]),
            "mean": _figure(whole.mean[0]),
            "minimum": _figure(whole.minimum[0]),
            "maximum": _figure(whole.maximum[0]),
        }
    return {
        "instrument": instrument(of.instrument),
        "path": None if of.path is None else str(of.path),
        "rows": count,
        "start": None if start is None else iso(start),
        "end": None if end is None else iso(end),
        "seconds": 0.0 if start is None or end is None else end - start,
        "sample_interval_s": interval,
        "quantities": quantities,
        "problems": [
            {
                "kind": problem.kind,
                "at": None if problem.at is None else iso(problem.at),
                "seconds": problem.seconds,
                "text": problem.text,
            }
            for problem in of.problems
        ],
    }


def _figure(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def iso(seconds: float) -> str:
    """Unix time as UTC text with milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def words(quantity: str, value: float | None) -> str:
    """A figure with its unit."""
    return "-" if value is None else f"{value:.5g} {UNITS[quantity]}".rstrip()


def lines(found: dict[str, Any]) -> list[str]:
    """A log's summary as text."""
    who = found["instrument"]
    told = [f"{who['name']}: {_model(who)}, {who['grade']} ({who['why']})"]
    interval = found["sample_interval_s"]
    each = "" if interval is None else f", one each {interval:.4g} s"
    told.append(f"  {found['rows']} rows, {found['start']} to {found['end']}{each}")
    for name, of in found["quantities"].items():
        figures = ", ".join(f"{word} {words(name, of[key])}" for word, key in _FIGURES)
        told.append(f"  {name}: {of['samples']} of {of['expected']} samples, {figures}")
    if not found["problems"]:
        told.append("  nothing is wrong with it")
        return told
    kinds = Counter(problem["kind"] for problem in found["problems"])
    told.append("  problems: " + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    told += [f"    {_problem(problem)}" for problem in found["problems"][:_MOST_LINES]]
    if len(found["problems"]) > _MOST_LINES:
        told.append(f"    and {len(found['problems']) - _MOST_LINES} more (--json has all)")
    return told


_FIGURES: Final = (("mean", "mean"), ("lowest", "minimum"), ("highest", "maximum"))


def _problem(problem: dict[str, Any]) -> str:
    return " ".join(filter(None, [problem["at"], f"{problem['kind']}:", problem["text"]]))


def _model(who: dict[str, Any]) -> str:
    known: Sequence[str | None] = (
        who["model"],
        f"serial {who['serial']}" if who["serial"] else None,
        f"calibrated {who['calibrated']}" if who["calibrated"] else None,
        f"uncertainty {who['uncertainty_percent']:g} %" if who["uncertainty_percent"] else None,
    )
    return ", ".join(filter(None, known)) or who["kind"]
