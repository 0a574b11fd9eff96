"""``iowatt emerald report``: the test data report of a measurement, and an ENERGY STAR export."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iowatt.cli.options import ADVANCED, PRODUCT, AsJson, Force, output, print_json, shown

if TYPE_CHECKING:
    from iowatt.emerald.report import ExportRow


class EnergyStarVersion(StrEnum):
    """Data sets of the programme."""

    V1 = "1.0"
    V2_BLOCK = "2-block"
    V2_FILE = "2-file"


def register(emerald: typer.Typer) -> None:
    """Add the verb."""
    emerald.command("report")(report)


def report(
    analysis: Annotated[
        list[Path],
        typer.Argument(
            metavar="ANALYSIS...",
            help="Output of `iowatt emerald analyze`: a file or its folder. Several are shown side by side.",
            show_default=False,
        ),
    ],
    *,
    product: Annotated[Path | None, shown(PRODUCT, "from the plan")] = None,
    about: Annotated[
        Path | None,
        typer.Option(
            "--about",
            metavar="FILE.toml",
            help="Facts that cannot be measured: submitter, topology, devices.",
            show_default="none; listed as missing",
        ),
    ] = None,
    com: Annotated[
        Path | None,
        typer.Option(
            "--com", metavar="FILE.json", help="Result of `iowatt emerald com`.", show_default="none"
        ),
    ] = None,
    output: Annotated[
        list[Path] | None,
        output(
            "FILE",
            "Report (.xlsx, .pdf, .html) or ENERGY STAR export (.csv, .json). May be repeated.",
            "only the summary",
        ),
    ] = None,
    energystar: Annotated[
        bool, typer.Option("--energystar", help="Print the ENERGY STAR export (CSV, or JSON with --json).")
    ] = False,
    energystar_version: Annotated[
        EnergyStarVersion,
        typer.Option(
            "--energystar-version",
            help="Fields of the export: of V1.0, or of V2.x for block or file access (unverified).",
            rich_help_panel=ADVANCED,
        ),
    ] = EnergyStarVersion.V1,
    require_complete: Annotated[
        bool, typer.Option("--require-complete", help="Exit code 1 if anything is missing.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write the test data report of a measurement, and list what is missing.

    Metrics of version 1.0 (MW1, MW2) and later versions (HB) are never shown side by side: exit code 2.
    """  # fmt: skip
    from iowatt.base.errors import InputError
    from iowatt.emerald import report as reports
    from iowatt.render import terminal

    targets = output or []
    reports.check_targets(targets, force=force)
    wants_export = energystar or any(map(reports.is_export, targets))
    row: ExportRow | None = None
    if len(analysis) > 1:
        if wants_export or product or about or com:
            text = "several analyses can only be compared"
            hint = "give one analysis with `product=`, `about=`, `com=` or for an ENERGY STAR export"
            raise InputError("not-applicable", None, text, hint=hint)
        made = reports.side_by_side(reports.read_several(analysis))
    else:
        inputs = reports.gather(analysis[0], com=com, product=product, about=about)
        made = reports.compose(inputs)
        row = reports.export(inputs, energystar_version.value) if wants_export else None
    for target in targets:
        if row is not None and reports.is_export(target):
            reports.write_export(row, target)
        else:
            reports.write_report(made, target)
        typer.echo(f"wrote {target}", err=True)
    if energystar and row is not None:
        typer.echo(row.result().json_text() if as_json else row.csv(), nl=False)
    elif as_json:
        print_json((made if row is None else made.with_export(row.result())).result.as_dict())
    else:
        terminal.show(made.summary)
    if row is not None and (energystar or not as_json):
        typer.echo(f"{row.title}: {row.summary}", err=True)
        for remark in row.remarks:
            typer.echo(f"  note: {remark}", err=True)
    if require_complete and not (made.result.complete and (row is None or not row.missing)):
        raise typer.Exit(1)
