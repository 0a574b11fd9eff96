"""Validations as a table for people and as data for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from iowatt.validation.compare import Comparison
from iowatt.validation.replay import Validation

SCHEMA: Final = "iowatt.validation/1"
METHOD: Final = (
    "one request outstanding, issued a think time after the completion before it; error and demerit in "
    "percent of the measured mean; demerit: root mean square of the differences of 10,000 quantiles; "
    "RMSE: of the differences request by request"
)


def document(found: list[Validation]) -> dict[str, Any]:
    """``iowatt devices validate --json``."""
    return {"schema": SCHEMA, "drives": [_drive(validation) for validation in found]}


def _drive(validation: Validation) -> dict[str, Any]:
    case = validation.case
    return {
        "device": validation.drive.name,
        "title": validation.drive.title,
        "trace": case.trace.name,
        **asdict(validation.every),
        "read": None if validation.reads is None else asdict(validation.reads),
        "write": None if validation.writes is None else asdict(validation.writes),
        "disksim": disksim(validation),
        "disksim_note": case.disksim_note,
        "notes": list(validation.notes),
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
        name, theirs = validation.drive.name, disksim(validation)
        beside = ("-", "-", "-")
        if theirs is not None:
            beside = (
                f"{100 * theirs['mean_error']:+.2f}",
                f"{theirs['demerit_ms']:.4f}",
                f"{theirs['paired_rmse_ms']:.3f}",
            )
        rows.append((name, "all", *_figures(validation.every), *beside))
        for kind, part in (("reads", validation.reads), ("writes", validation.writes)):
            if part is not None:
                rows.append(("", kind, *_figures(part), "", "", ""))
        every = validation.every
        for who, of in (("measured", every.measured_percentiles), ("simulated", every.simulated_percentiles)):
            shares.append((name if who == "measured" else "", who, *(f"{of[p]:.3f}" for p in _SHARES)))
    remarks = [
        f"{validation.drive.name}: {remark}"
        for validation in found
        for remark in (validation.case.conditions, validation.case.disksim_note)
        if remark
    ]
    return [*_aligned(rows), "", *_aligned(shares), "", *remarks, METHOD]


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
