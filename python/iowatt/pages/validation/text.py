"""Validations as a table for people and as data for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from iowatt.evaluate.validation.cases import OPEN
from iowatt.evaluate.validation.compare import Comparison
from iowatt.evaluate.validation.replay import SCHEDULER, Compared, Validation

SCHEMA: Final = "iowatt.validation/1"
METHOD: Final = (
    "one request outstanding, issued a think time after the completion before it; where arrivals are open, "
    f"at the recorded times into a queue in front of the drive ({SCHEDULER}), the services also one at a "
    "time in the order of their recorded starts; error and demerit in percent of the measured mean; "
    "demerit: root mean square of the differences of 10,000 quantiles; RMSE: of the differences request by "
    "request"
)


def document(found: list[Validation]) -> dict[str, Any]:
    """``iowatt devices validate --json``."""
    return {"schema": SCHEMA, "drives": [_drive(validation) for validation in found]}


def _drive(validation: Validation) -> dict[str, Any]:
    case = validation.case
    service = validation.service
    return {
        "device": validation.drive.name,
        "title": validation.title,
        "trace": case.trace.name,
        "trace_device": case.trace_device,
        "arrivals": case.arrivals,
        "scheduler": SCHEDULER if case.arrivals == OPEN else None,
        **_parts(validation),
        "service": None if service is None else _parts(service),
        "disksim": disksim(validation),
        "disksim_note": case.disksim_note,
        "notes": list(validation.notes),
    }


def _parts(found: Compared) -> dict[str, Any]:
    return {
        **asdict(found.every),
        "read": None if found.reads is None else asdict(found.reads),
        "write": None if found.writes is None else asdict(found.writes),
    }


def disksim(validation: Validation) -> dict[str, float] | None:
    """DiskSim's figures for the same trace, its errors by the same definitions."""
    figures = validation.case.disksim
    if figures is None:
        return None
    mean = validation.every.measured_mean_ms
    return {
        **figures,
        "mean_error": figures["mean_ms"] / mean - 1,
        "demerit_fraction": figures["demerit_ms"] / mean,
    }


_HEADS: Final = (
    "device", "", "requests", "measured ms", "simulated ms", "error %", "demerit ms", "%", "RMSE ms",
    "DiskSim: error %", "demerit ms", "RMSE ms",
)  # fmt: skip
_SHARES: Final = ("p50", "p90", "p95", "p99", "max")


def lines(found: list[Validation]) -> list[str]:
    """The results as two tables with aligned columns: means and distances, then percentiles."""
    rows: list[tuple[str, ...]] = [_HEADS]
    shares: list[tuple[str, ...]] = [("device", "ms", *_SHARES)]
    for validation in found:
        name, theirs = validation.key, disksim(validation)
        beside = ("-", "-", "-")
        if theirs is not None:
            beside = (
                f"{100 * theirs['mean_error']:+.2f}",
                f"{theirs['demerit_ms']:.4f}",
                f"{theirs['paired_rmse_ms']:.3f}",
            )
        rows.append((name, "all", *_figures(validation.every), *beside))
        rows += [("", kind, *_figures(part), "", "", "") for kind, part in kinds(validation)[1:]]
        for kind, part in kinds(validation):
            if kind in ("all", "service"):
                first = name if kind == "all" else ""
                of = "" if kind == "all" else f"{kind}, "
                shares.append((first, f"{of}measured", *_cells(part.measured_percentiles)))
                shares.append(("", f"{of}simulated", *_cells(part.simulated_percentiles)))
    remarks = [
        f"{validation.key}: {remark}"
        for validation in found
        for remark in (validation.case.conditions, validation.case.disksim_note)
        if remark
    ]
    return [*_aligned(rows), "", *_aligned(shares), "", *remarks, METHOD]


def kinds(validation: Validation) -> list[tuple[str, Comparison]]:
    """The comparisons of a validation under the names that tables give them; all response times first."""
    service = validation.service
    named = [("all", validation.every), ("reads", validation.reads), ("writes", validation.writes)]
    if service is not None:
        named += [
            ("service", service.every),
            ("service of reads", service.reads),
            ("service of writes", service.writes),
        ]
    return [(name, part) for name, part in named if part is not None]


def _cells(shares: dict[str, float]) -> tuple[str, ...]:
    return tuple(f"{shares[p]:.3f}" for p in _SHARES)


def _figures(part: Comparison) -> tuple[str, ...]:
    return (
        str(part.requests),
        f"{part.measured_mean_ms:.3f}",
        f"{part.simulated_mean_ms:.3f}",
        f"{100 * part.mean_error:+.2f}",
        f"{part.demerit_ms:.4f}",
        f"{100 * part.demerit_fraction:.2f}",
        f"{part.paired_rmse_ms:.3f}",
    )


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(w) if i < 2 else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
