"""``iowatt replay``: a trace on real storage, metered, and the same trace simulated beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iowatt.cli import command_line
from iowatt.cli.options import (
    END,
    ERASE,
    INTERVAL,
    NAME,
    RAW_CAPACITY,
    SPEED,
    START,
    TARGET,
    AsJson,
    Force,
    Overrides,
    output,
    parsed,
    print_json,
    shown,
)
from iowatt.cli.trace_options import reads_trace
from iowatt.cli.transform import transformations

if TYPE_CHECKING:
    from rich.table import Table

    from iowatt.evaluate.replay.replay import Replay


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("replay")(replay)


@reads_trace()
def replay(
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="Any trace.", show_default=False)],
    *,
    target: Annotated[Path, shown(TARGET, False)],
    size: Annotated[
        str | None,
        typer.Option("--size", metavar="SIZE", help="Use so much of the target.", show_default="all of it"),
    ] = None,
    erase: Annotated[Path | None, shown(ERASE, False)] = None,
    fold: Annotated[
        bool, typer.Option("--fold", help="Take offsets behind the target's end modulo its size.")
    ] = False,
    align: Annotated[
        bool, typer.Option("--align", help="Widen requests to the target's blocks where they are not.")
    ] = False,
    meter: Annotated[
        list[str] | None,
        typer.Option(
            "--meter",
            metavar="[NAME=]ADDRESS",
            help="An instrument to record beside, snmp://pdu1/1 (`iowatt meter list`); may be repeated.",
            show_default=False,
        ),
    ] = None,
    meter_interval: Annotated[
        str, typer.Option("--meter-interval", metavar="TIME", help="Time between their samples.")
    ] = "1s",
    depth: Annotated[
        int, typer.Option("--depth", min=1, max=1024, help="Requests outstanding at most.")
    ] = 64,
    interval: Annotated[str | None, shown(INTERVAL, "1min, of short runs 1s")] = None,
    simulate: Annotated[
        Path | None,
        typer.Option(
            "--simulate",
            metavar="SCENARIO",
            help="Also simulate this scenario's array under the same requests, and compare.",
            show_default=False,
        ),
    ] = None,
    overrides: Overrides = None,
    output: Annotated[Path, output("DIR", "Directory of the Run bundle.")] = Path("runs/replay"),
    name: Annotated[str | None, shown(NAME, "the directory's")] = None,
    raw_capacity: Annotated[str | None, shown(RAW_CAPACITY, "unknown")] = None,
    force: Force = False,
    as_json: AsJson = False,
    reading: dict[str, Any],
    start: Annotated[str | None, START] = None,
    end: Annotated[str | None, END] = None,
    speed: Annotated[float | None, SPEED] = None,
    place: Annotated[
        list[str] | None,
        typer.Option(
            "--place",
            metavar="WHERE",
            help="Lay the trace's devices behind one another on the target: end-to-end, or DEVICE=@OFFSET.",
        ),
    ] = None,
) -> None:
    """Replay a trace on real storage through fio, record power beside it, and write a Run bundle.

    Requests are made at the trace's times, whether or not earlier ones have completed (up to --depth).
    """
    from iowatt.base.units import parse_capacity, parse_duration
    from iowatt.evaluate.replay.conduct import MeterAddress
    from iowatt.evaluate.replay.replay import Asked
    from iowatt.evaluate.replay.replay import replay as conduct
    from iowatt.pages.run.write import write as write_report

    spec: dict[str, Any] = {"path": trace} | reading
    spec |= transformations(
        more=[],
        spread=None,
        seed=1,
        append=False,
        clock="recorded",
        start=start,
        end=end,
        speed=speed,
        split=None,
        max_transfer=None,
        place=place or [],
        place_align="1MiB",
    )
    asked = Asked(
        trace=spec,
        target=target,
        output=output,
        size=parsed(size, parse_capacity, "size"),
        erase=erase,
        fold=fold,
        align=align,
        depth=depth,
        meters=[MeterAddress.parse(text) for text in meter or []],
        meter_interval_s=parsed(meter_interval, parse_duration, "meter_interval"),
        interval_s=parsed(interval, parse_duration, "interval"),
        scenario=simulate,
        overrides=overrides or [],
        name=name or output.name,
        raw_bytes=parsed(raw_capacity, parse_capacity, "raw_capacity"),
        force=force,
        command=command_line.written(),
    )
    done = conduct(asked, tell=lambda text: typer.echo(f"iowatt: {text}", err=True), page=write_report)
    if as_json:
        print_json(_document(done, output))
        return
    _print(done, output)


def _document(done: Replay, output: Path) -> dict[str, Any]:
    from dataclasses import asdict

    from iowatt.evaluate.replay import compare
    from iowatt.evaluate.replay.replay import PAGE, SCHEMA, SIMULATED

    found: dict[str, Any] = {
        "schema": SCHEMA,
        "run": str(output),
        "lateness": asdict(done.lateness),
        "summary": done.measured.summary,
    }
    if done.simulated is not None:
        found["simulated"] = {
            "run": str(output / SIMULATED),
            "comparison": compare.as_json(list(done.rows)),
            "notes": list(done.notes),
            "page": str(output / PAGE),
        }
    return found


def _print(done: Replay, output: Path) -> None:
    from rich.console import Console

    from iowatt.cli.run import headline
    from iowatt.evaluate.replay.replay import PAGE, SIMULATED

    console = Console(highlight=False)
    console.print(headline(done.measured.summary))
    for note in done.measured.notes:
        console.print(f"note: {note}", markup=False, soft_wrap=True)
    if done.simulated is not None:
        console.print()
        console.print(_table(done))
        for note in done.notes:
            console.print(f"note: {note}", markup=False, soft_wrap=True)
    console.print(f"run: {output}", markup=False, soft_wrap=True)
    if done.simulated is not None:
        console.print(f"simulated: {output / SIMULATED}", markup=False, soft_wrap=True)
        console.print(f"comparison: {output / PAGE}", markup=False, soft_wrap=True)


def _table(done: Replay) -> Table:
    from rich.table import Table

    from iowatt.render.numbers import significant

    def shown(value: float | None) -> str:
        return "–" if value is None else significant(value)

    table = Table(box=None, pad_edge=False)
    table.add_column("", style="bold", no_wrap=True)
    for head in ("measured", "simulated", "ratio"):
        table.add_column(head, justify="right")
    for row in done.rows:
        table.add_row(
            f"{row.figure}, {row.unit}", shown(row.measured), shown(row.simulated), shown(row.ratio)
        )
    return table
