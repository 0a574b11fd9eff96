"""``iowatt cache``: hit ratios of caches alone, over one pass of a trace or of a synthetic workload."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from iowatt.cli import trace as verb
from iowatt.cli.options import Overrides, parsed

SIZES = "0.1%,0.2%,0.5%,1%,2%,5%,10%,20%,50%"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("cache")(cache)


def cache(
    trace: Annotated[
        str,
        typer.Argument(
            metavar="TRACE",
            help="A trace, - for stdin; or a profile of the library, or a profile file (.toml).",
            show_default=False,
        ),
    ],
    *,
    policy: Annotated[
        str,
        typer.Option(
            "--policy",
            metavar="NAME,...",
            help="lru, fifo, clock, 2q, arc, lfu, w-tinylfu, s3-fifo, sieve or all; with parameters as in "
            "s3-fifo:small_share=0.2.",
        ),
    ] = "lru",
    size: Annotated[
        str,
        typer.Option(
            "--size",
            metavar="SIZE,...",
            help="Sizes: 4GiB, or 1% of what the trace touches; with --block none, numbers of objects.",
        ),
    ] = SIZES,
    block: Annotated[
        str,
        typer.Option("--block", metavar="SIZE", help="Block (line); none: each request is one object."),
    ] = "4KiB",
    writes: Annotated[
        str,
        typer.Option(
            "--writes", metavar="allocate|around", help="Whether a write that misses enters the cache."
        ),
    ] = "allocate",
    warm_up: Annotated[
        str | None,
        typer.Option(
            "--warm-up",
            metavar="N|TIME",
            help="Do not count so many requests, or those before a time such as 1h.",
            show_default="all are counted",
        ),
    ] = None,
    percent_of: Annotated[
        str,
        typer.Option("--percent-of", metavar="footprint|span", help="What percentages of --size are of."),
    ] = "footprint",
    requests: Annotated[
        int | None,
        typer.Option("--requests", "-n", min=1, metavar="N", help="Profile: end after so many requests."),
    ] = None,
    duration: Annotated[
        str | None, typer.Option("--duration", metavar="TIME", help="Profile: end after this time.")
    ] = None,
    span: Annotated[
        str | None, typer.Option("--span", metavar="SIZE", help="Profile: its address space, such as 200GB.")
    ] = None,
    rate: Annotated[
        str | None, typer.Option("--rate", metavar="IOPS", help="Profile: requests per second in all.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, max=2**63 - 1, help="Profile: of everything drawn.", show_default="1"),
    ] = None,
    overrides: Overrides = None,
    format_: verb.Format = None,
    columns: verb.Columns = None,
    time_unit: verb.TimeUnit = None,
    sector_size: verb.SectorSize = None,
    event: verb.Event = None,
    pattern: verb.Pattern = None,
    device: verb.Device = None,
    skip_bad: verb.SkipBad = 0,
    order_tolerance: verb.OrderTolerance = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="PAGE.html", help="Write a page.", show_default="none"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a page that exists.")] = False,
    as_json: verb.Json = False,
) -> None:
    """Simulate caches alone: hit ratios by requests and by bytes for many policies and sizes at once.

    No drives and no time: requests look up their blocks one after another, and what misses is there at once.
    """
    from iowatt.caching import given, policies, sizes
    from iowatt.scenario.units import parse_capacity, parse_duration, parse_iops

    block_bytes = _block(block)
    asked = policies.NAMES if policy.strip() == "all" else policy.split(",")
    chosen = [_read(policies.parsed, text, "--policy") for text in asked]
    wanted = [
        _read(lambda text: sizes.parsed(text, objects=block_bytes is None), text, "--size")
        for text in size.split(",")
    ]
    first, first_s = _warm_up(warm_up)
    options = verb._options(
        format=format_,
        columns=columns,
        time_unit=time_unit,
        sector_size=sector_size,
        event=event,
        pattern=pattern,
        devices=device or None,
        skip_bad=skip_bad or None,
        order_tolerance=order_tolerance,
    )
    made = {
        "--requests": requests,
        "--duration": duration,
        "--span": span,
        "--rate": rate,
        "--seed": seed,
        "--set": overrides,
    }
    if given.is_profile(trace):
        given.refuse(options, f"does not apply to the profile {trace}: it is for recorded traces")
        source = given.of_profile(
            trace,
            overrides or [],
            seed=1 if seed is None else seed,
            requests=requests,
            duration_s=parsed(duration, parse_duration, "--duration"),
            rate_iops=parsed(rate, parse_iops, "--rate"),
            span=parsed(span, parse_capacity, "--span"),
        )
    else:
        given.refuse(made, f"{trace} is a recorded trace; the option is for profiles")
        source = given.Given({"path": trace, **options})
    found = _simulate(
        source,
        chosen,
        wanted,
        output,
        force,
        block_bytes=block_bytes,
        writes=_word(writes, ("allocate", "around"), "--writes"),
        warm_up_requests=first,
        warm_up_s=first_s,
        share_of=_word(percent_of, ("footprint", "span"), "--percent-of"),
    )
    if as_json:
        verb._print_json(found)
    else:
        _print(found)


def _simulate(
    source: Any, chosen: list[Any], wanted: list[Any], output: Path | None, force: bool, **how: Any
) -> dict[str, Any]:
    from iowatt.caching.simulate import simulate  # loads Polars and the extension
    from iowatt.cli.progress import bar

    if output is not None:
        from iowatt.caching import page

        page.check_target(output, force)
    with bar("simulating caches") as progress:
        found = simulate(
            source.trace,
            chosen,
            wanted,
            span_bytes=source.span_bytes,
            notes=source.notes,
            progress=progress,
            **how,
        )
    if output is not None:
        page.write(found, output, force=force)
        typer.echo(f"wrote {output}", err=True)
    return found


def _print(found: dict[str, Any]) -> None:
    from iowatt.caching import text

    verb._print_block(list(text.head(found)), gap=False)
    typer.echo()
    for line in text.table(found):
        typer.echo(line)
    for note in found["notes"]:
        typer.echo(f"note: {note}", err=True)


def _block(text: str) -> int | None:
    from iowatt.scenario.units import parse_block_size

    if text.strip() == "none":
        return None
    bytes_: int = parsed(text, parse_block_size, "--block")
    return bytes_


def _warm_up(text: str | None) -> tuple[int, float]:
    """Requests and seconds, one of which is 0."""
    from iowatt.scenario.units import parse_duration

    if text is None:
        return 0, 0.0
    if re.fullmatch(r"[0-9]{1,15}", text.strip()):
        return int(text), 0.0
    return 0, _read(parse_duration, text, "--warm-up")


def _word(text: str, accepted: tuple[str, ...], option: str) -> str:
    from iowatt.errors import InputError

    if text not in accepted:
        raise InputError(f"{text!r} is not accepted; {' and '.join(accepted)} are", where=option)
    return text


def _read(parse: Callable[[str], Any], text: str, option: str) -> Any:
    from iowatt.errors import InputError

    try:
        return parse(text.strip())
    except ValueError as error:
        raise InputError(str(error), where=option) from None
