"""``iowatt replay``: a trace on real storage, metered, and the same trace simulated beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from iowatt.cli import command_line
from iowatt.cli.options import (
    DEPTH,
    END,
    ERASE,
    INTERVAL,
    METER,
    NAME,
    OUTSTANDING,
    PLACE,
    RAW_CAPACITY,
    SAMPLE_INTERVAL,
    SCENARIO_FILE,
    SIZE,
    SPEED,
    START,
    TARGET,
    AsJson,
    Force,
    Notes,
    Overrides,
    output,
    parsed,
    print_json,
    shown,
)
from iowatt.cli.progress import bar
from iowatt.cli.streams import print_line
from iowatt.cli.trace_options import reads_trace
from iowatt.cli.transform import transformations

if TYPE_CHECKING:
    from iowatt.evaluate.replay import Engine, Mode


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("replay")(replay)


@reads_trace()
def replay(
    trace: Annotated[
        str, typer.Argument(metavar="TRACE", help="The trace, in any format.", show_default=False)
    ],
    *,
    target: Annotated[str, shown(TARGET, False)],
    size: Annotated[
        str | None,
        SIZE,
    ] = None,
    erase: Annotated[str | None, shown(ERASE, False)] = None,
    fold: Annotated[
        bool, typer.Option("--fold", help="Wrap offsets beyond the end of the target (modulo its size).")
    ] = False,
    align: Annotated[
        bool, typer.Option("--align", help="Align requests to the target's blocks by widening them.")
    ] = False,
    engine: Annotated[str, typer.Option("--engine", metavar="iowatt|fio", help="Load generator.")] = "iowatt",
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            metavar="open|closed",
            help="open: at the trace's times; closed: each request after the previous one in its stream.",
        ),
    ] = "open",
    outstanding: Annotated[int | None, shown(OUTSTANDING, "one per stream, with --mode closed")] = None,
    think: Annotated[
        bool,
        typer.Option("--think", help="Keep recorded think times in each stream; with --mode closed."),
    ] = False,
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="How many times to replay the trace.")] = 1,
    connections: Annotated[
        int, typer.Option("--connections", min=1, max=64, help="Connections to an NBD export.")
    ] = 1,
    meter: Annotated[
        list[str] | None,
        shown(METER, False),
    ] = None,
    sample_interval: Annotated[str, SAMPLE_INTERVAL] = "1s",
    depth: Annotated[int, DEPTH] = 64,
    interval: Annotated[str | None, shown(INTERVAL, "1min; 1s for short runs")] = None,
    scenario: Annotated[
        Path | None,
        shown(SCENARIO_FILE, False),
    ] = None,
    overrides: Overrides = None,
    output: Annotated[Path, output("DIR", "Directory of the Run bundle.")] = Path("runs/replay"),
    name: Annotated[str | None, shown(NAME, "the directory's")] = None,
    raw_capacity: Annotated[str | None, shown(RAW_CAPACITY, "unknown")] = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
    reading: dict[str, Any],
    start: Annotated[str | None, START] = None,
    end: Annotated[str | None, END] = None,
    speed: Annotated[float | None, SPEED] = None,
    place: Annotated[
        list[str] | None,
        PLACE,
    ] = None,
) -> None:
    """Replay a trace on real storage, record power, and write a Run bundle.

    Requests are issued at the trace's times, whether or not earlier ones have completed (up to --depth);
    with --mode closed, one after another in each stream.
    """
    from iowatt.base.units import parse_capacity, parse_duration
    from iowatt.cli.run import show_run
    from iowatt.evaluate.replay import ReplayRequest
    from iowatt.evaluate.replay import replay as replay_trace
    from iowatt.pages.replay import document
    from iowatt.pages.run import write as write_report
    from iowatt.render import terminal
    from iowatt.run.bundle import Run

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
    request = ReplayRequest(
        trace=spec,
        target=target,
        output=output,
        size=parsed(size, parse_capacity, "size"),
        erase=erase,
        fold=fold,
        align=align,
        engine=cast("Engine", engine),
        mode=cast("Mode", mode),
        outstanding=outstanding,
        think=think,
        repeat=repeat,
        connections=connections,
        depth=depth,
        meters=meter or [],
        meter_interval_s=parsed(sample_interval, parse_duration, "sample_interval"),
        interval_s=parsed(interval, parse_duration, "interval"),
        scenario=scenario,
        overrides=overrides or [],
        name=name or output.name,
        raw_bytes=parsed(raw_capacity, parse_capacity, "raw_capacity"),
        force=force,
        command=command_line.written(),
    )

    def tell(text: str) -> None:
        typer.echo(f"iowatt: {text}", err=True)

    with bar("replaying") as progress:
        found = replay_trace(request, tell=tell, page=write_report, progress=progress)
    if as_json:
        print_json(found.as_dict())
        return
    show_run(Run.open(output), output, notes=notes)
    terminal.show(document(found), notes=notes)
    if found.simulated is not None:
        print_line(f"simulated: {found.simulated.run}\ncomparison: {found.simulated.page}")
