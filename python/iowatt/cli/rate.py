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
    parsed,
    shown,
)


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
            help="open: requests come whether or not the array keeps up; closed: as others complete.",
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
            help="Also the response time to keep of reads.",
            show_default="none",
        ),
    ] = None,
    write_limit: Annotated[
        str | None,
        typer.Option(
            "--write-limit",
            metavar="TIME",
            help="Also the response time to keep of writes.",
            show_default="none",
        ),
    ] = None,
    tolerance: Annotated[float, TOLERANCE] = 0.02,
    replications: Annotated[
        int,
        typer.Option(
            "--replications",
            metavar="N",
            help="Independent seeds, for the 95 % interval of the rate.",
            rich_help_panel=ADVANCED,
        ),
    ] = 1,
    workload: Annotated[str | None, shown(WORKLOAD, False)] = None,
    start: Annotated[
        float | None,
        shown(FIRST_RATE, "by a closed loop"),
    ] = None,
    requests: Annotated[
        int | None,
        shown(REQUESTS, "as the scenario says, longer where that tells too little"),
    ] = None,
    warmup_requests: Annotated[
        int | None,
        typer.Option(
            "--warmup-requests",
            metavar="N",
            help="Cut before these; of closed loops.",
            show_default="as the scenario says, else a third of --requests",
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
    """Find the highest rate of a workload at which the response time stays within a limit.

    A profile gets the rate, a recorded trace is replayed faster or slower; every rate has the same seeds.
    With --loop closed: how many outstanding requests reach the limit in the mean, and at what rate.
    """
    from iowatt.base.units import parse_duration
    from iowatt.cli import searching
    from iowatt.cli.progress import bar
    from iowatt.cli.show import check_page, show
    from iowatt.evaluate.search.rate import RateRequest
    from iowatt.evaluate.search.rate.scenario import find_rate
    from iowatt.pages.rate import document

    request = RateRequest(
        limit_s=parsed(within, parse_duration, "within"),
        loop=loop,  # type: ignore[arg-type]  # checked there
        statistic=of,
        tolerance=tolerance,
        workload=workload,
        start=start,
        most_runs=most_runs,
        replications=replications,
        requests=requests,
        warmup_requests=warmup_requests,
        read_limit_s=parsed(read_limit, parse_duration, "read_limit"),
        write_limit_s=parsed(write_limit, parse_duration, "write_limit"),
    )
    check_page(output, force=force)
    given = searching.given(scenario, overrides)
    tried = 0

    def on_run(_point: object) -> None:
        nonlocal tried
        tried += 1

    with bar(f"highest rate of {given.source}", "rates") as progress:
        found = find_rate(
            given,
            request,
            command=searching.command(),
            report=None if progress is None else (lambda fraction: progress(fraction, tried)),
            on_run=on_run,
        )
    show(found, document, output, force=force, notes=notes, as_json=as_json)
