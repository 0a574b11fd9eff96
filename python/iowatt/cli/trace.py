"""`iowatt trace info | profile | convert`: what is in a trace, and the same trace as CSV or Parquet.

Synthetic traces have modules of their own, ``generate`` and ``export``; logs of counters have ``counters``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iowatt.cli.options import (
    ADVANCED,
    END,
    FORMAT,
    RATE,
    SEED,
    SKIP_BAD,
    SPEED,
    START,
    AsJson,
    Force,
    Notes,
    print_json,
)
from iowatt.cli.show import show
from iowatt.cli.transform import block_size, seconds, transformations

if TYPE_CHECKING:
    from iowatt.trace.info_result import TraceInfo

Format = Annotated[str | None, FORMAT]
Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="FIELD=COLUMN,...",
        help="CSV, Parquet: which is time, op, offset (lba), size (sectors), device, response, stream: "
        "a header, or a number from 0 in a CSV without one.",
    ),
]
TimeUnit = Annotated[
    str | None,
    typer.Option(
        "--time-unit",
        metavar="s|ms|us|ns|ps",
        help="CSV, Parquet, regex, mqsim: the unit of the times.",
        rich_help_panel=ADVANCED,
    ),
]
SectorSize = Annotated[
    str | None,
    typer.Option(
        "--sector-size",
        metavar="SIZE",
        help="Of a sector, where the format counts in sectors: 512 or 4KiB.",
        rich_help_panel=ADVANCED,
    ),
]
Event = Annotated[
    str | None,
    typer.Option(
        "--event",
        metavar="Q|D|C",
        help="blkparse, blktrace, perf, hp-srt, etw: which event is the request (Q: as the host asked).",
        rich_help_panel=ADVANCED,
    ),
]
Pattern = Annotated[
    str | None,
    typer.Option(
        "--pattern",
        metavar="REGEX",
        help="regex: the pattern of a line, with groups named time_us, op, lba, sectors and the like.",
        rich_help_panel=ADVANCED,
    ),
]
Rate = Annotated[float | None, RATE]
Device = Annotated[
    list[str] | None,
    typer.Option(
        "--device", help="Only the requests of this device; may be repeated.", show_default="all devices"
    ),
]
SkipBad = Annotated[int, SKIP_BAD]
OrderTolerance = Annotated[
    str | None,
    typer.Option(
        "--order-tolerance",
        metavar="TIME",
        help="Sort stamps that step back by up to this again, such as 1s.",
        show_default="the format's own",
        rich_help_panel=ADVANCED,
    ),
]
Json = AsJson


def register(trace: typer.Typer) -> None:
    """Add the sub-verbs."""
    trace.command("info")(info)
    trace.command("convert")(convert)


def info(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Traces; - is stdin.", show_default=False)
    ],
    *,
    format_: Format = None,
    columns: Columns = None,
    time_unit: TimeUnit = None,
    sector_size: SectorSize = None,
    event: Event = None,
    pattern: Pattern = None,
    rate: Rate = None,
    device: Device = None,
    skip_bad: SkipBad = 0,
    order_tolerance: OrderTolerance = None,
    notes: Notes = False,
    as_json: Json = False,
) -> None:
    """Count what is in a trace: requests, span, rate, sizes, footprint, order; a unit mistake shows."""
    from iowatt.cli.progress import bar
    from iowatt.pages.description.info import document
    from iowatt.trace.info_result import TraceInfos
    from iowatt.trace.measure import info as count  # loads Polars and the extension

    options = _options(
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
    results = []
    for file in files:
        with in_flags(), bar(f"reading {file}") as progress:
            results.append(count({"path": file, **options}, progress=progress))
    show(
        TraceInfos(traces=results if as_json else [_naming_options(one) for one in results]),
        lambda found: [document(one) for one in found.traces],
        notes=notes,
        as_json=as_json,
    )


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
    format_: Format = None,
    columns: Columns = None,
    time_unit: TimeUnit = None,
    sector_size: SectorSize = None,
    event: Event = None,
    pattern: Pattern = None,
    rate: Rate = None,
    device: Device = None,
    skip_bad: SkipBad = 0,
    order_tolerance: OrderTolerance = None,
    spread: Annotated[
        str | None,
        typer.Option(
            "--spread", metavar="TICK", help="Spread equal stamps over their tick (such as 1s), by --seed."
        ),
    ] = None,
    seed: Annotated[int, SEED] = 1,
    append: Annotated[
        bool,
        typer.Option("--append", help="Several INs one behind the other, in place of merged by time."),
    ] = False,
    clock: Annotated[
        str,
        typer.Option(
            "--clock",
            metavar="recorded|start",
            help="Several INs: by the moments recorded, or all from their start.",
        ),
    ] = "recorded",
    start: Annotated[str | None, START] = None,
    end: Annotated[str | None, END] = None,
    speed: Annotated[float | None, SPEED] = None,
    split: Annotated[
        str | None, typer.Option("--split", metavar="SIZE", help="Cut requests at multiples of this.")
    ] = None,
    max_transfer: Annotated[
        str | None,
        typer.Option("--max-transfer", metavar="SIZE", help="Cut requests into pieces of at most this."),
    ] = None,
    place: Annotated[
        list[str] | None,
        typer.Option(
            "--place",
            metavar="WHERE",
            help="Lay devices into volumes: end-to-end, or DEVICE=VOLUME, DEVICE=@OFFSET, "
            "DEVICE=VOLUME@OFFSET, repeated.",
        ),
    ] = None,
    place_align: Annotated[
        str,
        typer.Option("--place-align", metavar="SIZE", help="Where no offset is given, begin at a multiple."),
    ] = "1MiB",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write a trace, or several as one, as CSV or Parquet with iowatt's own columns.

    What is asked for is done in this order: spread, merge or append, start and end, speed, split,
    max-transfer, place.
    """
    from iowatt.cli.progress import bar
    from iowatt.trace.convert import convert as write  # loads Polars and the extension

    options = _options(
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
    options |= transformations(
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
    )
    named = sources[0] if len(sources) == 1 else f"{len(sources)} traces"
    with in_flags(), bar(f"converting {named}") as progress:
        result = write({"path": sources[0], **options}, target, force=force, progress=progress)
    if as_json:
        print_json({"schema": "iowatt.trace-convert/1", **result})
    else:
        from iowatt.pages.description.converted import converted

        _print_block(_in_options(converted(result)), gap=False)


def _options(
    *,
    columns: str | None,
    sector_size: str | None,
    order_tolerance: str | None,
    **plain: str | float | list[str] | None,
) -> dict[str, Any]:
    """The options as a trace spec has them, without those that were not given."""
    options = {
        **plain,
        "columns": None if columns is None else _mapping(columns),
        "sector_bytes": None if sector_size is None else block_size(sector_size, "sector_size"),
        "order_tolerance_s": None if order_tolerance is None else seconds(order_tolerance, "order_tolerance"),
    }
    return {name: value for name, value in options.items() if value is not None}


def argument(key: str) -> str:
    """The argument that gives a key of a trace spec."""
    names = {"rate_iops": "rate", "devices": "device", "sector_bytes": "sector_size"}
    return names.get(key, key.removesuffix("_s"))


@contextmanager
def in_flags() -> Iterator[None]:
    """An error of reading a trace that names the keys of a scenario names the options of the command line."""
    from iowatt.base.errors import InputError

    try:
        yield
    except InputError as error:
        said = _columns_flags(error.message)
        said = said.replace("time_unit = ", "--time-unit ").replace("(rate_iops, ", "(--rate, ")
        if said == error.message:
            raise
        raise InputError(error.code, error.place, said, hint=error.hint) from None


def _in_options(lines: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Lines in which a warning that names keys of a scenario names the options of the command line."""
    return [(label, _columns_flags(text) if label == "warning" else text) for label, text in lines]


def _naming_options(info: TraceInfo) -> TraceInfo:
    """The counts, with warnings that name the options of the command line."""
    named = [note.model_copy(update={"text": _columns_flags(note.text)}) for note in info.warnings]
    return info.model_copy(update={"warnings": named})


def _columns_flags(text: str) -> str:
    return re.sub(r"columns = \{ (.*?) \}", _columns_flag, text)


def _columns_flag(table: re.Match[str]) -> str:
    return "--columns " + table[1].replace(" = ", "=").replace('"', "").replace(", ", ",")


def _mapping(text: str) -> dict[str, str | int]:
    from iowatt.base.errors import Argument, InputError

    pairs = [part.partition("=") for part in text.split(",")]
    if not all(separator and field.strip() and header.strip() for field, separator, header in pairs):
        raise InputError(
            "bad-syntax",
            Argument("columns"),
            f"{text!r} is not accepted; expected FIELD=COLUMN,..., such as time=ts,op=rw or time=0,op=2",
        )
    columns = {field.strip(): column.strip() for field, _, column in pairs}
    number = re.compile(r"[0-9]{1,4}")
    return {field: int(at) if number.fullmatch(at) else at for field, at in columns.items()}


def _print_block(lines: list[tuple[str, str]], *, gap: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True, highlight=False)
    if gap:
        console.print()
    width = max(len(label) for label, _ in lines)
    for label, text in lines:
        style = "yellow" if label in ("warning", "note", "skipped") else "bold"
        console.print(Text.assemble((f"{label:<{width}}", style), "  ", text))
