"""``iowatt init``: a scenario to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.base.errors import Argument, InputError
from iowatt.cli import trace as verb
from iowatt.cli.options import Force


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("init")(init)


def init(
    file: Annotated[Path, typer.Argument(help="The scenario file to write.")] = Path("scenario.toml"),
    trace: Annotated[
        Path | None, typer.Option("--trace", help="The trace to replay.", show_default="the example trace")
    ] = None,
    *,
    format_: verb.Format = None,
    columns: verb.Columns = None,
    time_unit: verb.TimeUnit = None,
    sector_size: verb.SectorSize = None,
    event: verb.Event = None,
    pattern: verb.Pattern = None,
    rate: verb.Rate = None,
    device: verb.Device = None,
    skip_bad: verb.SkipBad = 0,
    order_tolerance: verb.OrderTolerance = None,
    force: Force = False,
) -> None:
    """Write a commented scenario that runs as it is.

    A trace of your own is read once, as by `iowatt trace info` and with the same options: one that cannot be
    read is refused, and the scenario says how it is read.
    """
    from iowatt.cli.progress import bar
    from iowatt.model.scenario.output import refuse_existing, write_text
    from iowatt.model.scenario.starter import ReadTrace, own_trace, starter

    refuse_existing(file, force=force)
    options = verb._options(
        format=format_,
        columns=columns,
        time_unit=time_unit,
        sector_size=sector_size,
        event=event,
        pattern=pattern,
        rate_iops=rate,
        devices=device or None,
        skip_bad=skip_bad or None,
        order_tolerance=order_tolerance,
    )
    found = None
    if trace is not None:
        from iowatt.trace.measure import info  # loads Polars and the extension

        with verb.in_flags(), bar(f"reading {trace}") as progress:
            read = info({"path": str(own_trace(trace)), **options}, progress=progress)
        found = ReadTrace(read.format, read.devices.count, read.reached_bytes)
    elif options:
        place = Argument(verb.argument(next(iter(options))))
        raise InputError(
            "not-applicable", place, "goes with a trace of your own", hint="name it: `trace=FILE`"
        )
    write_text(file, starter(file, trace, options, found), force=force)
    if found is not None and found.devices > 1:
        typer.echo(
            f"note: the {found.devices} devices of {trace} lie one behind the other in the "
            "volume (place in the scenario); --device takes some of them",
            err=True,
        )
    typer.echo(f"wrote {file}; `iowatt check {file}` checks it, `iowatt run {file}` runs it", err=True)
