"""``iowatt emerald com``: tests of capacity optimisation methods."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import NEWEST_RULES, RULES, SEED, AsJson, Force, Notes, output, parsed
from iowatt.cli.show import show


def register(emerald: typer.Typer) -> None:
    """Add the verb."""
    emerald.command("com")(com)


def com(
    target: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER|SCENARIO",
            help="A folder on the storage under test, or the scenario (.toml) of a simulated array.",
            show_default=False,
        ),
    ],
    *,
    rules: Annotated[str, RULES] = NEWEST_RULES,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="COM", help="Only this test. May be repeated.", show_default="all"),
    ] = None,
    data_size: Annotated[
        str, typer.Option("--data-size", metavar="SIZE", help="Size of each data set.")
    ] = "256MiB",
    seed: Annotated[int, SEED] = 1,
    raw: Annotated[
        str | None,
        typer.Option("--raw", metavar="SIZE", help="Raw capacity, for parity RAID.", show_default=False),
    ] = None,
    protected: Annotated[
        str | None,
        typer.Option(
            "--protected", metavar="SIZE", help="Protected capacity, for parity RAID.", show_default=False
        ),
    ] = None,
    free_command: Annotated[
        str | None,
        typer.Option(
            "--free-command",
            metavar="CMD",
            help="Prints the free bytes as counted by the array.",
            show_default="the file system's free blocks",
        ),
    ] = None,
    create_command: Annotated[
        str | None,
        typer.Option("--create-command", metavar="CMD", help="Makes the folder {target} to snapshot."),
    ] = None,
    snapshot_command: Annotated[
        str | None,
        typer.Option("--snapshot-command", metavar="CMD", help="Makes a snapshot of {source} at {target}."),
    ] = None,
    clone_command: Annotated[
        str | None,
        typer.Option(
            "--clone-command", metavar="CMD", help="Makes a writable snapshot of {source} at {target}."
        ),
    ] = None,
    remove_command: Annotated[
        str | None,
        typer.Option("--remove-command", metavar="CMD", help="Removes the folder or snapshot {target}."),
    ] = None,
    volume_command: Annotated[
        str | None,
        typer.Option("--volume-command", metavar="CMD", help="Makes a volume of {size} bytes at {target}."),
    ] = None,
    reduce_command: Annotated[
        str | None,
        typer.Option(
            "--reduce-command", metavar="CMD", help="Reduces the data below {source} after each write."
        ),
    ] = None,
    patience: Annotated[
        str, typer.Option("--patience", metavar="TIME", help="How long free space may take to settle.")
    ] = "5min",
    tries: Annotated[
        int,
        typer.Option(
            "--tries",
            min=1,
            metavar="N",
            help="Maximum repetitions of a test until its figure is certain.",
        ),
    ] = 9,
    output: Annotated[Path | None, output("FILE", "Also write the result as JSON.")] = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Test which capacity optimisation methods work: snapshots, thin provisioning, deduplication and so on.

    Writes data sets of known content, reads free space before and after, and removes everything.
    """
    from iowatt.base.units import parse_capacity, parse_duration
    from iowatt.emerald.com import Commands, ComRequest, Patience, document, run_tests

    result = run_tests(
        ComRequest(
            target=target,
            rules=rules,
            only=tuple(only or ()),
            size=parsed(data_size, parse_capacity, "data_size"),
            seed=seed,
            raw=parsed(raw, parse_capacity, "raw"),
            protected=parsed(protected, parse_capacity, "protected"),
            free_command=free_command,
            commands=Commands(
                create=create_command,
                snapshot=snapshot_command,
                clone=clone_command,
                remove=remove_command,
                volume=volume_command,
                reduce=reduce_command,
            ),
            patience=Patience(most_s=parsed(patience, parse_duration, "patience")),
            tries=tries,
        ),
        output=output,
        force=force,
        progress=lambda com: typer.echo(f"testing {com}", err=True),
    )
    show(result, document, notes=notes, as_json=as_json)
