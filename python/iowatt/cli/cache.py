"""``iowatt cache``: hit ratios of caches alone, over one pass of a trace or of a synthetic workload."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from iowatt.cli.options import (
    BLOCK,
    DURATION,
    RATE,
    REQUESTS,
    SEED,
    SPAN,
    AsJson,
    Force,
    Notes,
    Overrides,
    Page,
    shown,
)
from iowatt.cli.show import show
from iowatt.cli.trace_options import in_flags, reads_trace


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("cache")(cache)


@reads_trace("rate")
def cache(
    trace: Annotated[
        str,
        typer.Argument(
            metavar="TRACE",
            help="A trace (- for stdin), a library profile, or a profile file (.toml).",
            show_default=False,
        ),
    ],
    *,
    policy: Annotated[
        str,
        typer.Option(
            "--policy",
            metavar="NAME,...",
            help="lru, fifo, clock, 2q, arc, lfu, w-tinylfu, s3-fifo, sieve or all; with parameters: "
            "s3-fifo:small_share=0.2.",
        ),
    ] = "lru",
    sizes: Annotated[
        str | None,
        typer.Option(
            "--sizes",
            metavar="SIZE,...",
            help="Cache sizes: 4GiB, or 1% of what the trace touches; with --block none, object counts.",
            show_default="0.1% to 50%",
        ),
    ] = None,
    block: Annotated[
        str,
        BLOCK,
    ] = "4KiB",
    writes: Annotated[
        str,
        typer.Option(
            "--writes", metavar="allocate|around", help="Whether a write miss allocates in the cache."
        ),
    ] = "allocate",
    warm_up: Annotated[
        str | None,
        typer.Option(
            "--warm-up",
            metavar="N|TIME",
            help="Exclude this many requests, or this much time (1h), from the hit ratios.",
            show_default="none",
        ),
    ] = None,
    percent_of: Annotated[
        str,
        typer.Option("--percent-of", metavar="footprint|span", help="What percentages in --sizes refer to."),
    ] = "footprint",
    requests: Annotated[int | None, REQUESTS] = None,
    duration: Annotated[str | None, DURATION] = None,
    span: Annotated[str | None, shown(SPAN, "the profile's")] = None,
    rate: Annotated[str | None, RATE] = None,
    seed: Annotated[int | None, shown(SEED, "1")] = None,
    overrides: Overrides = None,
    reading: dict[str, Any],
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Simulate only caches: hit ratios for many policies and sizes in one pass.

    No drives and no time: each request looks up its blocks in turn, and a miss is filled at once.
    """
    import iowatt
    from iowatt.cli.progress import bar
    from iowatt.pages.caches import document

    with in_flags(), bar("simulating caches") as progress:
        found = iowatt.cache(
            trace,
            policy=policy,
            sizes=sizes,
            block=block,
            writes=writes,
            warm_up=warm_up,
            percent_of=percent_of,
            requests=requests,
            duration=duration,
            span=span,
            rate=rate,
            seed=seed,
            set=overrides or [],
            reading=reading,
            output=output,
            force=force,
            progress=progress,
        )
    show(found, document, written=output, notes=notes, as_json=as_json)
