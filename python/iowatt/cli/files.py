"""``iowatt files``: operations on files and directories, paced and metered."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli import command_line
from iowatt.cli.options import (
    DEPTH,
    DURATION,
    INTERVAL,
    METER,
    NAME,
    RATE,
    RAW_CAPACITY,
    SAMPLE_INTERVAL,
    SEED,
    SIZE,
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
from iowatt.cli.show import show


def register(app: typer.Typer) -> None:
    """Add the group of verbs."""
    files = typer.Typer(
        name="files",
        help="Run a file workload in the style of SPECstorage on a directory, and write a Run bundle.",
        no_args_is_help=True,
    )
    files.command("run")(run)
    files.command("workloads")(workloads)
    app.add_typer(files)


def run(
    workload: Annotated[
        str,
        typer.Argument(
            metavar="WORKLOAD",
            help="A library workload (`iowatt files workloads`), or a file (.toml).",
            show_default=False,
        ),
    ],
    *,
    target: Annotated[Path, shown(TARGET, False)],
    size: Annotated[str, shown(SIZE, False)],
    rate: Annotated[float, shown(RATE, False)],
    duration: Annotated[str, DURATION] = "1min",
    warmup: Annotated[
        str | None,
        typer.Option(
            "--warmup", metavar="TIME", help="Warm-up time, excluded from the results.", show_default="none"
        ),
    ] = None,
    depth: Annotated[int, DEPTH] = 16,
    overrides: Overrides = None,
    seed: Annotated[int, SEED] = 1,
    meter: Annotated[list[str] | None, shown(METER, False)] = None,
    sample_interval: Annotated[str, SAMPLE_INTERVAL] = "1s",
    interval: Annotated[str | None, shown(INTERVAL, "1min; 1s for short runs")] = None,
    output: Annotated[Path, output("DIR", "Directory of the Run bundle.")] = Path("runs/files"),
    name: Annotated[str | None, shown(NAME, "the directory's")] = None,
    raw_capacity: Annotated[str | None, shown(RAW_CAPACITY, "unknown")] = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Create files in a directory, run timed operations on them, remove them, and write a Run bundle.

    In the style of SPECstorage's workloads; this is not SPECstorage, and results are not comparable.
    """
    from iowatt.base.units import parse_capacity, parse_duration
    from iowatt.cli.run import show_run
    from iowatt.model.library.files import find_file_workload
    from iowatt.pages.files import document
    from iowatt.render import terminal
    from iowatt.run.bundle import Run
    from iowatt.sources.files import FilesRequest, run_files

    request = FilesRequest(
        target=target,
        workload=find_file_workload(workload, overrides or []),
        rate=rate,
        duration_s=parsed(duration, parse_duration, "duration"),
        size_bytes=parsed(size, parse_capacity, "size"),
        output=output,
        depth=depth,
        warmup_s=parsed(warmup, parse_duration, "warmup") or 0.0,
        seed=seed,
        meters=meter or [],
        meter_interval_s=parsed(sample_interval, parse_duration, "sample_interval"),
        interval_s=parsed(interval, parse_duration, "interval"),
        name=name or output.name,
        raw_bytes=parsed(raw_capacity, parse_capacity, "raw_capacity"),
        force=force,
        command=command_line.written(),
    )

    def tell(text: str) -> None:
        typer.echo(f"iowatt: {text}", err=True)

    with bar("file operations") as progress:
        found = run_files(request, tell=tell, progress=progress)
    if as_json:
        print_json(found.as_dict())
        return
    show_run(Run.open(output), output, notes=notes)
    terminal.show(document(found), notes=notes)


def workloads(*, as_json: AsJson = False) -> None:
    """List the library's file workloads: operations, file sizes, and which figures are assumed."""
    from iowatt.pages.files import workloads as document
    from iowatt.sources.files.result import list_file_workloads

    show(list_file_workloads(), document, as_json=as_json)
