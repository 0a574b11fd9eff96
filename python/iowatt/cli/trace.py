"""`iowatt trace`: what is in traces, synthetic ones, and the same trace as CSV or Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iowatt.cli import counters, export, generate, kv_cache, trace_fit, trace_profile
from iowatt.cli.options import END, PLACE, SEED, SPAN, SPEED, START, AsJson, Force, Notes, shown
from iowatt.cli.show import show
from iowatt.cli.trace_options import columns_in_flags, in_flags, reads_trace
from iowatt.cli.transform import transformations

if TYPE_CHECKING:
    from iowatt.base.results import Note


def register(app: typer.Typer) -> None:
    """Add the group of verbs."""
    group = typer.Typer(
        help="Block traces: contents, statistics, conversion; workload profiles: fit, generate, export.",
        no_args_is_help=True,
    )
    group.command("info")(info)
    group.command("convert")(convert)
    for verb in (generate, export, counters, kv_cache, trace_profile, trace_fit):
        verb.register(group)
    app.add_typer(group, name="trace")


@reads_trace()
def info(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Traces; - is stdin.", show_default=False)
    ],
    *,
    reading: dict[str, Any],
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Summarise a trace: requests, span, rate, sizes, footprint, order. Shows up wrong units."""
    from iowatt.cli.progress import bar
    from iowatt.pages.description import counted
    from iowatt.trace.measure import info as measure  # loads Polars and the extension
    from iowatt.trace.result import TraceInfos

    results = []
    for file in files:
        with in_flags(), bar(f"reading {file}") as progress:
            found = measure({"path": file, **reading}, progress=progress)
        results.append(found if as_json else found.model_copy(update={"warnings": _in_flags(found.warnings)}))
    show(
        TraceInfos(traces=results),
        lambda found: [counted(trace) for trace in found.traces],
        notes=notes,
        as_json=as_json,
    )


@reads_trace()
def convert(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="IN...", help="The trace; - is stdin. Several become one.", show_default=False
        ),
    ],
    target: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="A .csv, .csv.gz, .csv.zst or .parquet file.", show_default=False),
    ],
    *,
    reading: dict[str, Any],
    spread: Annotated[
        str | None,
        typer.Option(
            "--spread",
            metavar="TICK",
            help="Spread equal timestamps over their clock tick, such as 1s, by --seed.",
        ),
    ] = None,
    seed: Annotated[int, SEED] = 1,
    append: Annotated[
        bool,
        typer.Option("--append", help="Concatenate several INs instead of merging them by time."),
    ] = False,
    clock: Annotated[
        str,
        typer.Option(
            "--clock",
            metavar="recorded|start",
            help="Several INs: align by recorded time, or all at their start.",
        ),
    ] = "recorded",
    start: Annotated[str | None, START] = None,
    end: Annotated[str | None, END] = None,
    speed: Annotated[float | None, SPEED] = None,
    split: Annotated[
        str | None, typer.Option("--split", metavar="SIZE", help="Split requests at multiples of this size.")
    ] = None,
    max_transfer: Annotated[
        str | None,
        typer.Option(
            "--max-transfer", metavar="SIZE", help="Split requests into pieces of at most this size."
        ),
    ] = None,
    place: Annotated[
        list[str] | None,
        PLACE,
    ] = None,
    place_align: Annotated[
        str,
        typer.Option("--place-align", metavar="SIZE", help="Alignment of devices placed without an offset."),
    ] = "1MiB",
    clones: Annotated[
        int,
        typer.Option(
            "--clones", metavar="N", help="Simulate N concurrent tenants, each like the trace, by --seed."
        ),
    ] = 1,
    stretch: Annotated[
        int,
        typer.Option("--stretch", metavar="N", help="Spread the data over N address spaces, visit by visit."),
    ] = 1,
    span: Annotated[str | None, shown(SPAN, "copies end to end")] = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Convert one or more traces to a single CSV or Parquet file with iowatt's own columns.

    Options apply in this order: spread, merge or append, start and end, speed, split, max-transfer, place,
    clones, stretch.
    """
    from iowatt.cli.progress import bar
    from iowatt.pages.description import converted
    from iowatt.trace.convert import convert as write  # loads Polars and the extension

    reading |= transformations(
        more=sources[1:],
        spread=spread,
        seed=seed,
        append=append,
        clock=clock,
        start=start,
        end=end,
        speed=speed,
        split=split,
        max_transfer=max_transfer,
        place=place or [],
        place_align=place_align,
        clones=clones,
        stretch=stretch,
        span=span,
    )
    named = sources[0] if len(sources) == 1 else f"{len(sources)} traces"
    with in_flags(), bar(f"converting {named}") as progress:
        result = write({"path": sources[0], **reading}, target, force=force, progress=progress)
    if not as_json:
        result = result.model_copy(update={"warnings": _in_flags(result.warnings)})
    show(result, converted, notes=notes, as_json=as_json)


def _in_flags(warnings: list[Note]) -> list[Note]:
    """Warnings that name the options of the command line, not the keys of a scenario."""
    return [note.model_copy(update={"text": columns_in_flags(note.text)}) for note in warnings]
