"""``iowatt rate``: the highest rate of a workload within a response-time limit."""

from __future__ import annotations

from typing import Annotated

import typer

from iowatt.cli.options import (
    ADVANCED,
    FIRST_RATE,
    MOST_RUNS,
    OF,
    REQUESTS,
    TOLERANCE,
    WITHIN,
    WORKLOAD,
    AsJson,
    Force,
    Notes,
    Overrides,
    Page,
    Scenario,
    shown,
)
from iowatt.cli.show import show


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("rate")(rate)


def rate(
    scenario: Scenario,
    *,
    within: Annotated[str, shown(WITHIN, False)],
    loop: Annotated[
        str,
        typer.Option(
            "--loop",
            metavar="open|closed",
            help="open: requests arrive whether or not the array keeps up; closed: as others complete.",
            rich_help_panel=ADVANCED,
        ),
    ] = "open",
    of: Annotated[
        str,
        OF,
    ] = "mean",
    read_limit: Annotated[
        str | None,
        typer.Option(
            "--read-limit",
            metavar="TIME",
            help="Also a response-time limit for reads.",
            show_default="none",
        ),
    ] = None,
    write_limit: Annotated[
        str | None,
        typer.Option(
            "--write-limit",
            metavar="TIME",
            help="Also a response-time limit for writes.",
            show_default="none",
        ),
    ] = None,
    tolerance: Annotated[float, TOLERANCE] = 0.02,
    replications: Annotated[
        int,
        typer.Option(
            "--replications",
            metavar="N",
            help="Independent seeds, for a 95 % confidence interval of the rate.",
            rich_help_panel=ADVANCED,
        ),
    ] = 1,
    workload: Annotated[str | None, shown(WORKLOAD, False)] = None,
    start: Annotated[
        float | None,
        shown(FIRST_RATE, "from a closed loop"),
    ] = None,
    requests: Annotated[
        int | None,
        shown(REQUESTS, "as in the scenario, longer if that is too short"),
    ] = None,
    warmup_requests: Annotated[
        int | None,
        typer.Option(
            "--warmup-requests",
            metavar="N",
            help="Warm-up requests to discard, in closed loops.",
            show_default="as in the scenario, else a third of --requests",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    most_runs: Annotated[int, MOST_RUNS] = 24,
    overrides: Overrides = None,
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Find the highest request rate that keeps the response time within a limit.

    A profile gets the rate; a recorded trace is replayed faster or slower. Every rate uses the same seeds.
    With --loop closed: the number of outstanding requests whose mean reaches the limit, and the rate.
    """
    import iowatt
    from iowatt.cli import command_line
    from iowatt.cli.progress import bar
    from iowatt.pages.rate import document

    with bar(f"highest rate of {scenario}", "rates") as progress:
        found = iowatt.rate(
            scenario,
            within,
            of=of,
            loop=loop,
            tolerance=tolerance,
            replications=replications,
            workload=workload,
            read_limit=read_limit,
            write_limit=write_limit,
            start=start,
            requests=requests,
            warmup_requests=warmup_requests,
            most_runs=most_runs,
            set=overrides or [],
            output=output,
            force=force,
            progress=progress,
            command=command_line.written(),
        )
    show(found, document, written=output, notes=notes, as_json=as_json)
