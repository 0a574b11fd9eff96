"""``iowatt init``: a scenario to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from iowatt.base.errors import Argument, InputError
from iowatt.cli.options import TRACE_FILE, Force, shown
from iowatt.cli.trace_options import argument, in_flags, reads_trace

_EXAMPLES = Path("examples")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("init")(init)


@reads_trace()
def init(
    file: Annotated[Path, typer.Argument(help="The scenario file to write.")] = Path("scenario.toml"),
    trace: Annotated[Path | None, shown(TRACE_FILE, "the example trace")] = None,
    *,
    reading: dict[str, Any],
    examples: Annotated[
        bool,
        typer.Option("--examples", help="Copy the examples to the folder examples; write no scenario."),
    ] = False,
    force: Force = False,
) -> None:
    """Write a commented scenario that is ready to run.

    A trace of your own is read once, with the same options as in `iowatt trace info`; the scenario records
    how to read it. `--examples` copies the scenarios and traces that the documentation uses.
    """
    from iowatt.base.atomic_path import refuse_existing, write_text
    from iowatt.cli.progress import bar
    from iowatt.model.recorded_trace import existing
    from iowatt.model.scenario import ReadTrace, copy_examples, starter_text

    if examples:
        copy_examples(_EXAMPLES)
        typer.echo(f"wrote {_EXAMPLES}; try `iowatt run {_EXAMPLES}/oltp-raid5.toml`", err=True)
        return
    refuse_existing(file, force=force)
    found = None
    if trace is not None:
        from iowatt.trace.measure import info  # loads Polars and the extension

        with in_flags(), bar(f"reading {trace}") as progress:
            read = info({"path": str(existing(trace)), **reading}, progress=progress)
        found = ReadTrace(read.format, read.devices.count, read.reached_bytes)
    elif reading:
        place = Argument(argument(next(iter(reading))))
        raise InputError("not-applicable", place, "goes with a trace of your own", hint="add `trace=FILE`")
    write_text(file, starter_text(file, trace, reading, found), force=force)
    if found is not None and found.devices > 1:
        typer.echo(
            f"note: the {found.devices} devices of {trace} are placed end to end in the volume (key "
            "`place`); --device selects some of them",
            err=True,
        )
    typer.echo(f"wrote {file}; `iowatt check {file}` checks it, `iowatt run {file}` runs it", err=True)
