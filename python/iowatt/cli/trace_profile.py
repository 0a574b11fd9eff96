"""`iowatt trace profile`: a trace measured as a workload, as text, JSON or a report page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from iowatt.cli.options import ADVANCED, BLOCK, EXTENT, AsJson, Force, Notes, Page, shown
from iowatt.cli.show import check_page, show
from iowatt.cli.trace_options import in_flags, reads_trace


def register(trace: typer.Typer) -> None:
    """Add the sub-verb."""
    trace.command("profile")(profile)


@reads_trace()
def profile(
    files: Annotated[
        list[str], typer.Argument(metavar="TRACE...", help="Traces; - is stdin.", show_default=False)
    ],
    *,
    block: Annotated[str, BLOCK] = "4KiB",
    extent: Annotated[str | None, shown(EXTENT, "for at most 1024 touched extents")] = None,
    cache: Annotated[
        str | None,
        typer.Option(
            "--cache",
            metavar="SIZE,...",
            help="Cache sizes to include in the miss-ratio curve.",
            show_default=False,
        ),
    ] = None,
    regions: Annotated[
        int,
        typer.Option(
            "--regions",
            metavar="N",
            help="Regions of 16 blocks to track; sampled if the trace touches more.",
            rich_help_panel=ADVANCED,
        ),
    ] = 1 << 20,
    lookback: Annotated[
        int,
        typer.Option(
            "--lookback", metavar="N", help="Open sequential runs per device that a request may continue."
        ),
    ] = 32,
    gap: Annotated[
        str | None,
        typer.Option(
            "--gap",
            metavar="SIZE",
            help="Largest forward gap within a sequential run.",
            show_default="nothing",
        ),
    ] = None,
    reading: dict[str, Any],
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Characterise a trace as a workload: rates, bursts, sizes, runs, footprint, reuse and skew.

    Shares are of requests and of bytes.
    """
    from iowatt.cli.progress import bar
    from iowatt.pages.description import documents
    from iowatt.trace.description import Descriptions
    from iowatt.trace.measure import describe  # loads Polars and the extension

    measure: dict[str, Any] = {
        "block_bytes": block_bytes(block, "block"),
        "extent_bytes": None if extent is None else block_bytes(extent, "extent"),
        "cache_bytes": [] if cache is None else [capacity_bytes(part, "cache") for part in cache.split(",")],
        "regions": _count(regions, "regions"),
        "lookback": _count(lookback, "lookback"),
        "gap_bytes": 0 if gap is None else block_bytes(gap, "gap"),
    }
    check_page(output, force=force)
    found = []
    for file in files:
        with in_flags(), bar(f"reading {file}") as progress:
            found.append(describe({"path": file, **reading}, **measure, progress=progress))
    show(Descriptions(traces=found), documents, output, force=force, notes=notes, as_json=as_json)


def block_bytes(text: str, name: str) -> int:
    """The argument ``name``, a block or an extent, in bytes."""
    from iowatt.base.units import parse_block_size

    return _read(parse_block_size, text, name)


def capacity_bytes(text: str, name: str) -> int:
    """The argument ``name``, a cache or a device, in bytes; decimal units too."""
    from iowatt.base.units import parse_capacity

    return _read(parse_capacity, text, name)


def _read(parse: Callable[[object], int], text: str, name: str) -> int:
    from iowatt.base.errors import Argument, InputError

    try:
        return parse(text.strip())
    except InputError as error:
        raise error.at(Argument(name)) from None


def _count(number: int, name: str) -> int:
    from iowatt.base.errors import Argument, InputError

    if not 0 < number < 1 << 32:
        message = f"{number} is not accepted; expected a number from 1 to {(1 << 32) - 1}"
        raise InputError("out-of-range", Argument(name), message)
    return number
