"""``iowatt devices``: the library of devices, with the sources of their figures."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli import completion
from iowatt.cli.devices_calibrate import calibrate
from iowatt.cli.options import (
    DRIVE,
    FORMAT,
    KIND,
    NAME,
    TRACE_FILE,
    AsJson,
    Force,
    Notes,
    Page,
    output,
    shown,
)
from iowatt.cli.show import check_page, show

Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="Which drive, if a .diskspecs or .parv file has several.",
        show_default=False,
    ),
]


class DeviceKind(StrEnum):
    """Kinds of devices."""

    HDD = "hdd"
    SSD = "ssd"


class Need(StrEnum):
    """What a device may be needed for."""

    POWER = "power"
    MECHANICS = "mechanics"
    PRICE = "price"
    SPIN_DOWN = "spin-down"


def register(app: typer.Typer) -> None:
    """Add the verb and its sub-verbs to the command line."""
    devices = typer.Typer(
        help="Disks and SSDs in the library: figures with sources; import, validate, calibrate.",
        no_args_is_help=True,
    )
    devices.command("list")(list_)
    devices.command("show")(show_)
    devices.command("import")(import_)
    devices.command("validate")(validate)
    devices.command("calibrate")(calibrate)
    app.add_typer(devices, name="devices")


def list_(
    *,
    kind: Annotated[DeviceKind | None, KIND] = None,
    needs: Annotated[
        list[Need] | None,
        typer.Option(
            help="Only devices with data for: idle and active energy (power), response times (mechanics), "
            "spin-down energy (spin-down), or US dollars (price). May be repeated."
        ),
    ] = None,
    simulatable: Annotated[
        bool,
        typer.Option("--simulatable", help="Only devices whose response times and energy can be simulated."),
    ] = False,
    since: Annotated[
        int | None,
        typer.Option(metavar="YEAR", help="Only devices released in this year or later.", min=1950),
    ] = None,
    buyable: Annotated[
        bool,
        typer.Option(
            "--buyable",
            help="Only devices sold new: no stand-ins, nothing discontinued, nothing older than 2018.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the devices of the library and what their figures are good for."""
    from iowatt.model.library import list_devices
    from iowatt.pages.library import devices

    purposes = [*(needs or []), *(["simulation"] if simulatable else [])]
    show(list_devices(kind, purposes, since, buyable=buyable), devices, as_json=as_json)


def show_(
    name: Annotated[
        str,
        typer.Argument(
            help="A library name, a device file (.toml), or a DiskSim file (.diskspecs, .parv).",
            show_default=False,
            autocompletion=completion.devices,
        ),
    ],
    *,
    model: Model = None,
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Show a device: figures with their sources, derived values, what is missing."""
    from iowatt.model.library import describe_device, device_file
    from iowatt.pages.library import device

    check_page(output, force=force)
    found = describe_device(device_file(name, Path(), model))
    show(found, device, output, force=force, notes=notes, as_json=as_json)


def import_(
    file: Annotated[Path, typer.Argument(help="A DiskSim file: .diskspecs, or .parv.", show_default=False)],
    *,
    model: Model = None,
    name: Annotated[str | None, shown(NAME, False)] = None,
    output: Annotated[
        Path | None, output("FILE", "The device file (.toml) to write.", "standard output")
    ] = None,
    force: Force = False,
) -> None:
    """Convert a drive in DiskSim parameter files to a device file; list unused parameters on stderr."""
    from iowatt.base.errors import InputError
    from iowatt.model.library.disksim import import_drive

    imported = import_drive(file, model, name)
    imported.drive()  # all that is wrong with it, before anything is written
    for note in imported.notes:
        typer.echo(f"note: {note}", err=True)
    for ignored in imported.ignored:
        typer.echo(f"warning: {ignored}", err=True)
    if output is not None:
        for written in imported.write(output, force=force):
            typer.echo(f"wrote {written}", err=True)
    elif imported.indexed is not None:
        raise InputError(
            "missing",
            str(file),
            "its layout is irregular and needs a file of its own",
            hint="add `output=FILE`",
        )
    else:
        typer.echo(imported.text(), nl=False)


def validate(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="Measurements, with --measured: fio JSON, normal output or completion-latency logs, "
            "ACT output, a table of cells (CSV); power logs next to them.",
            show_default=False,
        ),
    ] = None,
    *,
    measured: Annotated[
        bool,
        typer.Option(
            "--measured",
            help="Compare a device with measured cells: those in FILE, or the shipped ones.",
        ),
    ] = False,
    drive: Annotated[
        str | None,
        shown(DRIVE, "all with shipped traces or cells; with --ssd, all SSDs that can be simulated"),
    ] = None,
    ssd: Annotated[
        bool,
        typer.Option(
            "--ssd",
            help="Compare SSDs with their data sheets: rates, latencies, watts. Implied by an SSD as "
            "--drive.",
        ),
    ] = False,
    model: Model = None,
    trace: Annotated[
        Path | None,
        shown(TRACE_FILE, "the shipped one"),
    ] = None,
    trace_format: Annotated[str | None, shown(FORMAT, "detected")] = None,
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Compare the models of devices with measured traces, with measured cells, or with data sheets.

    A trace is replayed one request at a time with think times; one that records a queue (hp-srt) also with
    its own arrivals. A cell is one point measured by fio or ACT; the model does the same work.
    """
    from iowatt.evaluate import validation

    check_page(output, force=force)
    shown = partial(show, output=output, force=force, notes=notes, as_json=as_json)
    if measured or files:
        from iowatt.evaluate.measured import validate_measured
        from iowatt.pages import measured as cells

        _only_traces({"trace": trace, "model": model, "trace_format": trace_format, "ssd": ssd or None})
        shown(validate_measured(files or (), drive), cells.document)
        return
    if ssd or (drive is not None and trace is None and validation.has_data_sheet(drive)):
        from iowatt.pages import data_sheets

        _only_disks({"trace": trace, "model": model})
        shown(validation.compare_data_sheets([] if drive is None else [drive]), data_sheets.document)
        return
    from iowatt.pages.validation import document

    found = [validation.validate(case) for case in validation.cases(drive, model, trace, trace_format)]
    shown(validation.document(found), lambda _: document(found))


def _only_traces(arguments: dict[str, object]) -> None:
    from iowatt.base.errors import Argument, InputError

    for name, value in arguments.items():
        if value is not None:
            message = "has no meaning for measured cells"
            raise InputError("not-applicable", Argument(name), message, hint="leave it out")


def _only_disks(arguments: dict[str, object]) -> None:
    from iowatt.base.errors import Argument, InputError

    for name, value in arguments.items():
        if value is not None:
            message = "is for disks; SSDs are compared with their data sheets"
            raise InputError("not-applicable", Argument(name), message, hint="leave it out")
