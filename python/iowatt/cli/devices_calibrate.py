"""``iowatt devices calibrate``: a device from measurements, or the jobs to measure by."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli import completion
from iowatt.cli.options import (
    FORMAT,
    NAME,
    SEED,
    SIZE,
    TARGET,
    AsJson,
    Force,
    Notes,
    output,
    parsed,
    shown,
)
from iowatt.cli.show import check_page, show


def calibrate(
    measured: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="MEASURED...",
            help="SSD: cells as for `devices validate --measured`, and power logs. Disk: one trace with "
            "response times, one request at a time, or fio completion-latency logs with offsets.",
            show_default=False,
        ),
    ] = None,
    *,
    based_on: Annotated[
        str,
        typer.Option(
            "--based-on",
            metavar="DEVICE",
            help="Device that supplies the figures not measured; with --fio-jobs, the kind of drive.",
            show_default=False,
            autocompletion=completion.devices,
        ),
    ],
    jobs: Annotated[
        bool,
        typer.Option("--fio-jobs", help="Only write the fio jobs whose results this verb reads."),
    ] = False,
    target: Annotated[
        Path | None, shown(TARGET, "with --fio-jobs, a 4 GiB file iowatt-calibrate.data")
    ] = None,
    size: Annotated[str | None, shown(SIZE, "all of a device")] = None,
    runtime: Annotated[
        str, typer.Option("--runtime", metavar="TIME", help="With --fio-jobs: measured time of each job.")
    ] = "60s",
    name: Annotated[str | None, shown(NAME, "that of the file")] = None,
    trace_format: Annotated[str | None, shown(FORMAT, "detected")] = None,
    seed: Annotated[int, SEED] = 1,
    output: Annotated[
        Path | None, output("FILE", "The device file (.toml) to write; with --fio-jobs, the jobs.", "none")
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--page",
            metavar="PAGE",
            help="Write a page: .html, .pdf, or a workbook: .xlsx.",
            show_default=False,
        ),
    ] = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Fit a device to measurements: write its file, and report the error on held-out cells.

    Figures that the measurements do not determine stay as in --based-on, and are listed.
    """
    from iowatt.base.errors import Argument, InputError

    if jobs:
        if measured:
            message = "the jobs come first: expected no measurements"
            raise InputError("conflict", Argument("measured", str(measured[0])), message)
        _write_jobs(based_on, target, size, runtime, output, force=force)
        return
    for argument, value in {"target": target, "size": size}.items():
        if value is not None:
            raise InputError("not-applicable", Argument(argument), "is for --fio-jobs", hint="leave it out")
    if not measured:
        hint = "`iowatt devices calibrate --fio-jobs --based-on DEVICE` writes the jobs to measure by"
        raise InputError("missing", Argument("measured"), "expected files of measurements", hint=hint)
    from iowatt.evaluate.calibration import Request
    from iowatt.evaluate.calibration import calibrate as fitted
    from iowatt.pages.calibration import document

    check_page(page, force=force)
    stem = "calibrated" if output is None else output.stem.lower().replace("_", "-")
    asked = Request(measured, based_on, name or stem, None, output, force, trace_format, seed)
    found = fitted(asked)
    show(found, document, page, force=force, notes=notes, as_json=as_json)
    if output is not None:
        typer.echo(f"wrote {output}", err=True)


def _write_jobs(
    based_on: str, target: Path | None, size: str | None, runtime: str, output: Path | None, *, force: bool
) -> None:
    from iowatt.base.atomic_path import write_text
    from iowatt.base.units import parse_capacity, parse_duration
    from iowatt.evaluate.calibration import plan_text
    from iowatt.model.library import device_file

    bytes_ = parsed(size, parse_capacity, "size")
    if target is None:
        target, bytes_ = Path("iowatt-calibrate.data"), bytes_ or 4 << 30
    text = plan_text(
        device_file(based_on).kind, str(target), bytes_, parsed(runtime, parse_duration, "runtime")
    )
    if output is None:
        typer.echo(text, nl=False)
        return
    write_text(output, text, force=force)
    typer.echo(f"wrote {output}", err=True)
