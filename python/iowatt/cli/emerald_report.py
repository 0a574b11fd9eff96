"""``iowatt emerald report``: the test data report of a measurement, and an ENERGY STAR export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iowatt.cli.options import PRODUCT, AsJson, Force, output, shown

if TYPE_CHECKING:
    from iowatt.emerald.report.compose import Report
    from iowatt.emerald.report.energystar import Export


def register(emerald: typer.Typer) -> None:
    """Add the verb."""
    emerald.command("report")(report)


def report(
    analysis: Annotated[
        list[Path],
        typer.Argument(
            metavar="ANALYSIS...",
            help="What `iowatt emerald analyze` wrote: a file or its folder. Several are set side by side.",
            show_default=False,
        ),
    ],
    *,
    product: Annotated[Path | None, shown(PRODUCT, "what the plan says")] = None,
    about: Annotated[
        Path | None,
        typer.Option(
            "--about",
            metavar="FILE.toml",
            help="What no measurement knows: submitter, topology, devices.",
            show_default="nothing, and named as missing",
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
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 1 where anything is missing.")] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write the test data report of a measurement, and say what is missing in it.

    Metrics of version 1.0 (MW1, MW2) and of later versions (HB) are never set side by side: exit code 2.
    """  # fmt: skip
    from iowatt.base.errors import InputError
    from iowatt.emerald.report import compose, inputs, side_by_side, write
    from iowatt.emerald.report import energystar as star

    targets = output or []
    write.check_targets(targets, force=force)
    wants_export = energystar or any(map(write.is_export, targets))
    if len(analysis) > 1:
        if wants_export or product or about or com:
            raise InputError(
                "not-applicable",
                None,
                "several analyses can only be compared",
                hint="give one analysis with `product=`, `about=`, `com=` or for an ENERGY STAR export",
            )
        made, row = side_by_side.compose(side_by_side.read(analysis)), None
    else:
        known = inputs.gather(analysis[0], com=com, product=product, about=about)
        made = compose.compose(known)
        row = star.export(known) if wants_export else None
    for target in targets:
        if write.is_export(target):
            assert row is not None
            write.write_export(row, target)
        else:
            write.write_report(made, target)
        typer.echo(f"wrote {target}", err=True)
    if energystar:
        assert row is not None
        typer.echo(row.json() if as_json else row.csv(), nl=False)
        _say_export(row)
    elif as_json:
        document = made.as_dict() | ({} if row is None else {"energystar": row.as_dict()})
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _say(made)
        if row is not None:
            _say_export(row)
    if strict and not (made.complete and (row is None or not row.missing)):
        raise typer.Exit(1)


def _say(made: Report) -> None:
    from iowatt.emerald.report import complete

    typer.echo(f"{made.title}: {made.mark.line}")
    if made.items:
        typer.echo(complete.summary(made.items))
        for one in made.items:
            if one.lacking:
                typer.echo(f"  {one.state}: {one.page}: {one.what} ({one.how})")
        return
    for page in made.pages[:1]:
        for sentence in page.sentences:
            typer.echo(sentence)
        for block in page.blocks:
            typer.echo("  ".join(column.heading for column in block.table.columns))
            for row in block.table.rows:
                typer.echo("  ".join(map(str, row)))


def _say_export(row: Export) -> None:
    typer.echo(f"ENERGY STAR V1.0 fields: {row.summary}", err=True)
    for remark in row.remarks:
        typer.echo(f"  note: {remark}", err=True)
