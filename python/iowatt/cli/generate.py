"""`iowatt trace generate | profiles`: synthetic traces, and the library of profiles for them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli import completion
from iowatt.cli.options import (
    DURATION,
    PROFILE,
    RATE,
    REQUESTS,
    SEED,
    SPAN,
    AsJson,
    Force,
    Notes,
    Overrides,
    output,
    parsed,
    shown,
)
from iowatt.cli.show import show


def register(trace: typer.Typer) -> None:
    """Add the sub-verbs to ``iowatt trace``."""
    trace.command("generate")(generate)
    trace.command("profiles")(profiles)


def generate(
    profile: Annotated[
        str,
        PROFILE,
    ],
    *,
    output: Annotated[
        Path | None, output("FILE", "The trace to write; its extension sets the format.", "PROFILE.parquet")
    ] = None,
    duration: Annotated[str | None, DURATION] = None,
    requests: Annotated[int | None, REQUESTS] = None,
    rate: Annotated[str | None, RATE] = None,
    span: Annotated[str | None, shown(SPAN, "the profile's")] = None,
    overrides: Overrides = None,
    seed: Annotated[int, SEED] = 1,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Generate a trace from a profile."""
    from iowatt.base.units import parse_capacity, parse_duration, parse_iops
    from iowatt.cli.progress import bar
    from iowatt.pages.description import generated
    from iowatt.trace.generate import generate as write  # loads Polars and the extension
    from iowatt.trace.generate import prepare

    prepared = prepare(
        profile,
        overrides or [],
        seed=seed,
        requests=requests,
        duration_s=parsed(duration, parse_duration, "duration"),
        rate_iops=parsed(rate, parse_iops, "rate"),
        span=parsed(span, parse_capacity, "span"),
    )
    target = output or Path(f"{prepared.plan['name']}.parquet")
    with bar(f"generating {prepared.plan['name']}") as progress:
        result = write(prepared, target, force=force, progress=progress)
    show(result, generated, notes=notes, as_json=as_json)


def profiles(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[PROFILE]",
            help="The profile to show.",
            show_default=False,
            autocompletion=completion.profiles,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the library's profiles, or show one: its figures, and where each comes from."""
    from iowatt.model.profile import profile_list, shown_profile
    from iowatt.pages.profile import document, listing

    if name is None:
        show(profile_list(), listing, as_json=as_json)
    else:
        show(shown_profile(name), document, as_json=as_json)
