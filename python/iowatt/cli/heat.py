"""``iowatt heat``: where in its address space the I/O of a Run or of a trace goes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from iowatt.cli import trace as verb
from iowatt.cli.options import EXTENT, AsJson, Force, Notes, Page, shown
from iowatt.cli.show import check_page, show

if TYPE_CHECKING:
    from iowatt.lenses.heat import Extents
    from iowatt.lenses.heat.analyse import Over

_OVER = ("auto", "capacity", "touched")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("heat")(heat)


def heat(
    source: Annotated[
        str, typer.Argument(metavar="RUN|TRACE", help="A Run of `iowatt run`, or a trace; - is stdin.")
    ],
    *,
    over: Annotated[
        str,
        typer.Option(
            "--share-of",
            metavar="capacity|touched",
            help="What shares of the space are of.",
            show_default="the capacity, if half of it was touched",
        ),
    ] = "auto",
    extent: Annotated[str | None, shown(EXTENT, "64MiB")] = None,
    period: Annotated[
        str | None,
        typer.Option(
            "--period", metavar="TIME", help="TRACE: length of a period.", show_default="64 periods at most"
        ),
    ] = None,
    capacity: Annotated[
        str | None,
        typer.Option(
            "--capacity",
            metavar="SIZE",
            help="TRACE: capacity of each device.",
            show_default="where its furthest request ends",
        ),
    ] = None,
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
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Show where I/O goes: density by extent, skew, heat over time, reads and writes.

    Of a Run in front (as hosts ask) and behind the cache; of a trace as it was recorded.
    """
    from iowatt.base.errors import Argument, InputError
    from iowatt.lenses.heat import analyse
    from iowatt.pages.heat import document

    if over not in _OVER:
        message = f"{over!r} is not accepted; expected {', '.join(_OVER)}"
        raise InputError("not-accepted", Argument("over"), message)
    check_page(output, force=force)
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
    measures = _measures(extent, period, capacity)
    points, name, path = _opened(source, options, measures)
    found = analyse(points, name, path, over=cast("Over", over))
    show(found, document, output, force=force, notes=notes, as_json=as_json)


def _measures(extent: str | None, period: str | None, capacity: str | None) -> dict[str, Any]:
    from iowatt.base.errors import Argument, InputError
    from iowatt.cli.trace_profile import block_bytes, capacity_bytes
    from iowatt.cli.transform import seconds
    from iowatt.model.scenario.model import LEAST_EXTENT

    found: dict[str, Any] = {}
    if extent is not None:
        found["extent_bytes"] = block_bytes(extent, "extent")
        if not LEAST_EXTENT <= found["extent_bytes"] <= 1 << 50:
            raise InputError("out-of-range", Argument("extent"), "expected 64KiB to 1PiB")
    if period is not None:
        found["period_s"] = seconds(period, "period")
        if found["period_s"] < 1e-3:
            raise InputError("out-of-range", Argument("period"), "expected 1ms or more")
    if capacity is not None:
        found["capacity_bytes"] = capacity_bytes(capacity, "capacity")
        if found["capacity_bytes"] < 1:
            raise InputError("out-of-range", Argument("capacity"), "expected 1B or more")
    return found


def _opened(
    source: str, options: dict[str, Any], measures: dict[str, Any]
) -> tuple[list[Extents], str, str | None]:
    """I/O by extent of a Run (a folder, or its run.json) or of a trace; its name, and its place."""
    from iowatt.base.errors import InputError
    from iowatt.cli.progress import bar
    from iowatt.lenses.heat import of_run, of_trace

    path = Path(source)
    if source != "-" and (path.is_dir() or path.name == "run.json"):
        from iowatt.run.bundle import Run

        if options or measures:
            message = "the heat of a Run is measured while it runs: options of traces do not apply"
            raise InputError("not-applicable", source, message)
        run = Run.open(path)
        return of_run(run), run.name, str(path)
    from iowatt.model.scenario.model import EXTENT

    with verb.in_flags(), bar(f"reading {source}") as progress:
        extents = of_trace(
            {"path": source, **options}, **{"extent_bytes": EXTENT, **measures}, progress=progress
        )
    return [extents], path.name, source
