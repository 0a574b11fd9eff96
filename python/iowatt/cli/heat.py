"""``iowatt heat``: where in its address space the I/O of a Run or of a trace goes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from iowatt.cli.options import EXTENT, AsJson, Force, Notes, Page, shown
from iowatt.cli.show import check_page, show
from iowatt.cli.trace_options import in_flags, reads_trace

if TYPE_CHECKING:
    from iowatt.lenses.heat import Extents, Over

_OVER = ("auto", "capacity", "touched")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("heat")(heat)


@reads_trace()
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
            help="What shares of space are relative to.",
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
            show_default="the end of its last block touched",
        ),
    ] = None,
    reading: dict[str, Any],
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Show where I/O goes: density by extent, skew, heat over time, reads and writes.

    For a Run, in front of the cache (host requests) and behind it; for a trace, as recorded.
    """
    from iowatt.base.errors import Argument, InputError
    from iowatt.lenses.heat import analyse
    from iowatt.pages.heat import document

    if over not in _OVER:
        message = f"{over!r} is not accepted; expected {', '.join(_OVER)}"
        raise InputError("not-accepted", Argument("over"), message)
    check_page(output, force=force)
    measures = _measures(extent, period, capacity)
    points, name, path = _opened(source, reading, measures)
    found = analyse(points, name, path, over=cast("Over", over))
    show(found, document, output, force=force, notes=notes, as_json=as_json)


def _measures(extent: str | None, period: str | None, capacity: str | None) -> dict[str, Any]:
    from iowatt.base.errors import Argument, InputError
    from iowatt.cli.trace_profile import block_bytes, capacity_bytes
    from iowatt.cli.transform import seconds
    from iowatt.model.heat import LEAST_EXTENT

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
    source: str, reading: dict[str, Any], measures: dict[str, Any]
) -> tuple[list[Extents], str, str | None]:
    """I/O by extent of a Run (a folder, or its run.json) or of a trace; its name, and its place."""
    from iowatt.base.errors import InputError
    from iowatt.cli.progress import bar
    from iowatt.lenses.heat import of_run, of_trace

    path = Path(source)
    if source != "-" and (path.is_dir() or path.name == "run.json"):
        from iowatt.run.bundle import Run

        if reading or measures:
            message = "the heat of a Run is measured while it runs: options of traces do not apply"
            raise InputError("not-applicable", source, message)
        run = Run.open(path)
        return of_run(run), run.name, str(path)
    from iowatt.model.heat import EXTENT

    with in_flags(), bar(f"reading {source}") as progress:
        extents = of_trace(
            {"path": source, **reading}, **{"extent_bytes": EXTENT, **measures}, progress=progress
        )
    return [extents], path.name, source
