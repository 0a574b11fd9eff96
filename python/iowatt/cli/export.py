"""`iowatt trace export`: a profile as a job file of fio or a parameter file of vdbench."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from iowatt.cli.options import (
    DURATION,
    ERASE,
    PROFILE,
    RATE,
    SEED,
    SPAN,
    TARGET,
    AsJson,
    Force,
    Notes,
    Overrides,
    output,
    parsed,
    shown,
)
from iowatt.cli.show import show


def register(trace: typer.Typer) -> None:
    """Add the sub-verb to ``iowatt trace``."""
    trace.command("export")(export)


def export(
    profile: Annotated[
        str,
        PROFILE,
    ],
    *,
    to: Annotated[
        Literal["fio", "vdbench"], typer.Option("--to", help="The load generator.", show_default=False)
    ],
    output: Annotated[Path | None, output("FILE", "The file.", "stdout")] = None,
    target: Annotated[str | None, shown(TARGET, "PROFILE.dat")] = None,
    duration: Annotated[str | None, shown(DURATION, "a round of its phases, or 60s")] = None,
    rate: Annotated[str | None, RATE] = None,
    span: Annotated[str | None, shown(SPAN, "the profile's")] = None,
    overrides: Overrides = None,
    seed: Annotated[int, SEED] = 1,
    check: Annotated[
        Path | None,
        typer.Option(
            "--check",
            metavar="FILE",
            help="fio: run the job on this file, which it overwrites, and compare the mix with the "
            "profile's.",
        ),
    ] = None,
    erase: Annotated[Path | None, ERASE] = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Export a profile as a fio job file or vdbench parameter file, and list what it cannot express."""
    from iowatt.base.errors import CheckFailedError
    from iowatt.base.units import parse_capacity, parse_duration, parse_iops
    from iowatt.pages.export import document
    from iowatt.sources.export import describe_omissions, export_profile, prepare

    prepared = prepare(
        profile,
        overrides or [],
        target=target or (None if check is None else str(check)),
        seed=seed,
        duration_s=parsed(duration, parse_duration, "duration"),
        rate_iops=parsed(rate, parse_iops, "rate"),
        span=parsed(span, parse_capacity, "span"),
    )
    found = export_profile(
        prepared,
        to,
        output,
        check=check,
        erase=erase,
        force=force,
        tell=lambda text: typer.echo(f"iowatt: {text}", err=True),
    )
    if as_json or output is not None or found.check is not None:
        show(found, document, notes=notes, as_json=as_json)
    else:
        typer.echo(found.text, nl=False)
        for line in describe_omissions(found.not_expressed):
            typer.echo(f"not expressed: {line}", err=True)
    if found.check is not None and not found.check.within:
        message = f"a share is off by {found.check.largest_share_difference:.2f} points; 1 is accepted"
        raise CheckFailedError("check-failed", None, message)
