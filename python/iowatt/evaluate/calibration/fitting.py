"""From files of measurements to a device file, its result and its error statement."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from iowatt.base.atomic_path import refuse_existing, write_text
from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.evaluate.calibration import check, logs
from iowatt.evaluate.calibration.candidate import CandidateFiles, device_text
from iowatt.evaluate.calibration.cells import Split, names, split
from iowatt.evaluate.calibration.disk import DiskFit, fit_disk
from iowatt.evaluate.calibration.result import (
    CalibratedFigure,
    CheckedCell,
    DeviceCalibration,
    FlatFigure,
    Observed,
)
from iowatt.evaluate.calibration.ssd import SMALL, SsdBase, SsdFit, fit_ssd
from iowatt.evaluate.calibration.watts import LARGE, DriveWatts, fit_watts
from iowatt.evaluate.measured import host_seconds, read_measured, simulate
from iowatt.model.library import DeviceFile, Disk, device_file, find_device
from iowatt.model.library.ssd import Ssd

_CHECKED: Final = 30_000
"""Requests of a cell that are simulated to check the fitted device: 30 beyond p99.9."""
_FEW: Final = 4


@dataclass(frozen=True)
class Request:
    """What to calibrate.

    measured:
        Files of cells (of an SSD), or one trace or fio's logs of requests one at a time (of a disk).
    based_on:
        A name of the library or a device file: what holds where the measurements tell nothing.
    name:
        Of the new device.
    output:
        Its file; None: nothing is written.
    """

    measured: Sequence[str | os.PathLike[str]]
    based_on: str
    name: str
    title: str | None = None
    output: Path | None = None
    force: bool = False
    trace_format: str | None = None
    seed: int = 1


@dataclass
class _Fit:
    """What a fit gives to the result."""

    simulated_by: Literal["flash", "data sheet", "mechanics"]
    figures: list[CalibratedFigure] = field(default_factory=list)
    flat: list[FlatFigure] = field(default_factory=list)
    observed: list[Observed] = field(default_factory=list)
    cells: list[CheckedCell] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    tables: dict[str, Any] = field(default_factory=dict)


def calibrate(asked: Request) -> DeviceCalibration:
    """Fit a device to measurements, write its file, and say how far off it is where it was not fitted.

    Raises ``InputError``: a file cannot be read, the base is unknown or cannot be simulated, there are too
    few cells, or the output exists.
    """
    if asked.output is not None:
        refuse_existing(asked.output, force=asked.force)
    file, drive = device_file(asked.based_on), find_device(asked.based_on)
    with CandidateFiles(asked.based_on, file.kind) as candidates:
        found = (
            _ssd(asked, SsdBase(file, drive), candidates)
            if isinstance(drive, Ssd)
            else _disk(asked, file, drive, candidates)
        )
    known = _known(file, drive)
    errors = check.errors(found.cells, asked.seed)
    result = DeviceCalibration(
        device=asked.name,
        based_on=asked.based_on,
        kind=file.kind,
        simulated_by=found.simulated_by,
        figures=[one.model_copy(update={"based_on": known.get(one.figure)}) for one in found.figures],
        flat=found.flat,
        observed=found.observed,
        errors=errors,
        cells=found.cells,
        good_for=check.good_for(found.cells),
        mean_bar=check.MEAN_BAR,
        tail_bar=check.TAIL_BAR,
        written=None if asked.output is None else str(asked.output),
        notes=found.notes,
    )
    if asked.output is not None:
        write_text(asked.output, _text(asked, file, result, found.tables), force=asked.force)
    return result


def _ssd(asked: Request, base: SsdBase, candidates: CandidateFiles) -> _Fit:
    cells = read_measured(asked.measured)
    host_s = host_seconds(cells)
    parts = split(cells, host_s)
    if len(parts.fitted) < _FEW:
        place = os.fspath(asked.measured[0]) if asked.measured else "MEASURED"
        message = f"{len(parts.fitted)} cells can be fitted to; at least {_FEW} are needed"
        hint = "`iowatt devices calibrate --fio-jobs` writes jobs for fio that suffice"
        raise InputError("empty", place, message, hint=hint)
    fits, tables = fit_ssd(parts, base, candidates, host_s, asked.seed)
    found = _Fit("data sheet" if base.drive.geometry is None else "flash", tables=tables)
    for one in fits:
        _add(found, one)
    law = fit_watts(parts.fitted, asked.seed)
    fitted = find_device(candidates.file(tables))
    assert isinstance(fitted, Ssd)
    if law is not None:
        _add_watts(found, law, fitted)
    device = candidates.file(found.tables)
    for held_out, group in ((False, parts.fitted), (True, parts.held_out)):
        for cell in group:
            ours = simulate(device, cell.cell, host_s, asked.seed, requests=_CHECKED, rate=cell.iops)
            found.cells.append(check.checked_cell(cell, ours, ours.watts, held_out=held_out))
    found.notes += _ssd_notes(parts, host_s, found)
    found.observed += list(logs.observed(asked.measured))
    return found


def _add(found: _Fit, one: SsdFit) -> None:
    fitted = one.fitted
    for figure, value, low, high, flat in zip(
        one.figures, fitted.values, fitted.low, fitted.high, fitted.flat, strict=True
    ):
        if flat:
            ends = [float(math.exp(end)) if abs(end) < _FAR else None for end in (low, high)]
            found.flat.append(
                FlatFigure(figure=figure.path, unit=figure.unit, low=ends[0], high=ends[1], why=figure.method)
            )
        else:
            found.figures.append(
                CalibratedFigure(
                    figure=figure.path, unit=figure.unit, value=math.exp(value), low=math.exp(low),
                    high=math.exp(high), based_on=None, quality="derived", method=figure.method,
                )
            )  # fmt: skip


_FAR: Final = 40.0
"""Logarithms beyond this are no figures of a drive."""


def _add_watts(found: _Fit, law: DriveWatts, drive: Ssd) -> None:
    sheet = drive.sheet
    rates = {"power.active_idle": (0.0, 0.0, 0.0)}
    if "read" in law.names:
        rates["power.sequential_read"] = (sheet.read_rate, 0.0, sheet.read_rate / LARGE)
        rates["power.random_read"] = (sheet.read_iops * SMALL, 0.0, sheet.read_iops)
    if "written" in law.names:
        rates["power.sequential_write"] = (0.0, sheet.write_rate, sheet.write_rate / LARGE)
    how = "least squares of watts: a base, joules a byte and joules a command"
    for path, given in rates.items():
        low, high = law.ends(*given)
        watts = law.at(*given)
        found.tables[path] = f"{watts:.4g}W"
        found.figures.append(
            CalibratedFigure(
                figure=path, unit="W", value=watts, low=low, high=high, based_on=None, quality="measured",
                method=how,
            )
        )  # fmt: skip
    base = law.at(0.0, 0.0, 0.0)
    if drive.power.idle is None or drive.power.idle > base:
        found.tables["power.idle"] = f"{base:.4g}W"
    units = {"base": ("W", "base"), "read": ("J/byte", "joules of a byte read"),
             "written": ("J/byte", "joules of a byte written"),
             "command": ("J", "joules of a command")}  # fmt: skip
    for name, factor, low, high in zip(law.names, law.factors, law.low, law.high, strict=True):
        unit, words = units[name]
        text = f"95 %: {low:.3g} to {high:.3g}"
        found.observed.append(Observed(name=words, unit=unit, value=float(factor), text=text))


def _ssd_notes(parts: Split, host_s: float, found: _Fit) -> list[Note]:
    notes = []
    reasons: dict[str, list[Any]] = {}
    for one, why in parts.unused:
        reasons.setdefault(why, []).append(one)
    for why, cells in reasons.items():
        notes.append(Note(code="unused", text=f"{names(cells)}: not fitted to, nor checked: {why}"))
    notes.append(
        Note(
            code="host", text=f"the load generator spends {host_s * 1e6:.2g} us on a request, left out of it"
        )
    )
    if found.simulated_by == "flash":
        text = (
            "program time and number of dies, suspension and priority of reads cannot be told apart from "
            "outside: the dies are as many as behave so with the sensing time of the cell type"
        )
        notes.append(Note(code="confounded", text=text))
    return notes


def _disk(asked: Request, file: DeviceFile, drive: Disk, candidates: CandidateFiles) -> _Fit:
    paced = logs.requests(asked.measured, asked.trace_format)
    fitted = fit_disk(file, drive, paced, candidates, asked.seed)
    found = _Fit("mechanics", tables=fitted.tables)
    for one in fitted.figures:
        path = _path(one.path, file)
        if one.flat:
            low, high = (end if 0 < end < math.inf else None for end in (one.low, one.high))
            found.flat.append(FlatFigure(figure=path, unit=one.unit, low=low, high=high, why=one.method))
        else:
            found.figures.append(
                CalibratedFigure(
                    figure=path, unit=one.unit, value=one.value, low=one.low, high=one.high, based_on=None,
                    quality="derived", method=one.method,
                )
            )  # fmt: skip
    found.cells += check.checked_blocks(paced.response_ns / 1e9, fitted.simulated_s, fitted.block)
    found.notes += _disk_notes(fitted)
    return found


def _path(path: str, file: DeviceFile) -> str:
    """The key of a device file for a figure of the fit."""
    own = file.read_overhead is not None or file.write_overhead is not None
    return {
        "command_read": "read_overhead" if own else "controller.read_miss",
        "command_write": "write_overhead" if own else "controller.write_miss",
        "command_hit": "controller.read_hit",
    }.get(path, path)


def _disk_notes(fitted: DiskFit) -> list[Note]:
    words = {"none": "off", "contiguous": "on", "across-reads": "on"}
    ahead, cache = fitted.policies["read_ahead"], fitted.policies["fast_write"]
    text = (
        f"of the buffer's policies, read-ahead {ahead!r} with the write cache {words[cache]} has the least "
        "demerit"
    )
    confounded = (
        "skews, head switches and slips are not told by these requests: they are the base's, or derived"
    )
    return [Note(code="policies", text=text), Note(code="confounded", text=confounded)]


def _known(file: DeviceFile, drive: Disk | Ssd) -> Mapping[str, float]:
    """Figures of the base in SI units, as given, else as derived."""
    known = {path: float(value) for path, value in file.figures().items() if isinstance(value, int | float)}
    if isinstance(drive, Ssd):
        sheet = drive.sheet
        known = {
            "performance.read_latency": sheet.read_s, "performance.write_latency": sheet.write_s,
            "performance.random_read_iops": sheet.read_iops,
            "performance.random_write_iops": sheet.write_iops,
            "performance.sequential_read": sheet.read_rate, "performance.sequential_write": sheet.write_rate,
            **({} if drive.geometry is None else {"flash.dies_per_channel": drive.geometry.dies_per_channel}),
            **known,
        }  # fmt: skip
    return known


def _text(asked: Request, file: DeviceFile, result: DeviceCalibration, tables: Mapping[str, Any]) -> str:
    base = asked.based_on
    if base.endswith(".toml") and asked.output is not None:
        base = os.path.relpath(base, asked.output.parent)
    shown = ", ".join(Path(os.fspath(one)).name for one in asked.measured)
    more = {"assumptions": [statement(result)], "source": _sources(result, shown, tables)}
    title = asked.title or f"{file.title}, as measured"
    return device_text(asked.name, base, file.kind, title, dict(tables), **more)


def _sources(result: DeviceCalibration, shown: str, tables: Mapping[str, Any]) -> list[dict[str, Any]]:
    methods: dict[tuple[str, str], list[str]] = {}
    for one in result.figures:
        methods.setdefault((one.quality, one.method), []).append(one.figure)
    told = {figure for figures in methods.values() for figure in figures}
    sources: list[dict[str, Any]] = []
    for (quality, method), figures in methods.items():
        text = f"iowatt devices calibrate: {method}; from {shown}"
        entry: dict[str, Any] = {"figures": figures, "quality": quality, "text": text}
        if any(figure.startswith("power.") for figure in figures):
            entry["grade"] = (
                "A" if "power.sequential_write" in told and "power.sequential_read" in told else "B"
            )
        sources.append(entry)
    # What is written beside: pinned, so that other figures do not move it.
    rest = sorted({path for path in tables if path not in told})
    if rest:
        text = (
            "iowatt devices calibrate: as in the base, in proportion to what was fitted (quantiles, the "
            "ceiling of 8 KiB), or what the measurements reached at least"
        )
        entry = {"figures": rest, "quality": "derived", "text": text}
        sources.append(entry)
    return sources


def statement(result: DeviceCalibration) -> str:
    """The error statement: errors over what was held out, and what the device is good for."""
    parts = [
        f"{one.of} {100 * one.value:.1f} % "
        f"(95 %: {100 * one.low:.1f} to {100 * one.high:.1f} %, {one.cells} cells)"
        for one in result.errors
    ]
    good = " and ".join(result.good_for) or "neither mean nor tail"
    errors = "; ".join(parts) or "nothing was held out"
    return f"calibrated: mean absolute errors on held-out cells: {errors}; good for {good}"
