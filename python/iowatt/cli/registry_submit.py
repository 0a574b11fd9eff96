"""``iowatt registry submit``: a measurement or a Run as a signed bundle, written or sent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import (
    FACET,
    TOKEN_FILE,
    AsJson,
    Force,
    Notes,
    output,
    pairs,
    shown,
)
from iowatt.cli.show import show


def register(registry: typer.Typer) -> None:
    """Add the verb."""
    registry.command("submit")(submit)


def submit(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="A measurement of `iowatt emerald run`, a Run, or an existing bundle.",
            show_default=False,
        ),
    ],
    *,
    registry: Annotated[
        str | None,
        typer.Option(
            "--registry", metavar="DIR|URL", help="Registry to submit to.", show_default="none: write only"
        ),
    ] = None,
    signing_key: Annotated[
        Path | None,
        typer.Option(
            "--signing-key",
            metavar="FILE",
            help="Your private key, of `iowatt registry key`.",
            show_default="none for a bundle, already signed",
        ),
    ] = None,
    facet: Annotated[list[str] | None, shown(FACET, "from the measurement's product")] = None,
    base: Annotated[
        Path | None,
        typer.Option(
            "--inputs",
            metavar="DIR",
            help="For a Run: the folder that paths in its scenario, or of its raw files, are relative to.",
            show_default="the scenario's; for raw files, the current directory",
        ),
    ] = None,
    token_file: Annotated[Path | None, shown(TOKEN_FILE, False)] = None,
    output: Annotated[Path | None, output("FILE.zip", "Write the bundle to this file.", "none")] = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Make a signed bundle of raw files and claims; write it, or submit it and wait for the reanalysis.

    Exit code 1 if the registry does not reproduce it.
    """
    import tempfile

    from iowatt.base.errors import Argument, InputError
    from iowatt.registry import bundle, told
    from iowatt.registry.access import access
    from iowatt.registry.result import checked_bundle

    if registry is None and output is None:
        text = "nothing to do"
        hint = "`registry=DIR` or an address submits it, `output=FILE.zip` writes the bundle"
        raise InputError("missing", Argument("registry"), text, hint=hint)
    facets = pairs(facet or [], "facet", "vendor=Example")
    target = None if registry is None else access(registry, token_file=token_file)
    with tempfile.TemporaryDirectory(prefix="iowatt-submit-") as scratch:
        if source.is_file():
            if facets or output is not None or signing_key is not None:
                text = "a bundle is signed already, and is submitted as it is"
                raise InputError("not-applicable", Argument("signing_key" if signing_key else "facet"), text)
            path = source
        else:
            if signing_key is None:
                hint = "create one with `iowatt registry key FILE`"
                raise InputError("missing", Argument("signing_key"), "a bundle is signed by a key", hint=hint)
            key = bundle.SigningKey(signing_key)
            path = output or Path(scratch, "submission.zip")
            bundle.write(bundle.prepare(source, facets, base=base), key, path, force=force)
        if target is None:
            typer.echo(f"wrote {path}", err=True)
            show(checked_bundle(str(path), bundle.read(path)), told.bundle, notes=notes, as_json=as_json)
            return
        found = target.submit(path)
    show(found, told.entry, notes=notes, as_json=as_json)
    if found.submission.analysis == "refused":
        raise typer.Exit(1)
