"""``iowatt registry search``, ``export`` and ``verify``: what the public can see and check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import FACET, AsJson, Force, Notes, Registry, RegistryFolder, output, pairs, shown
from iowatt.cli.show import show


def register(registry: typer.Typer) -> None:
    """Add the verbs."""
    registry.command("search")(search)
    registry.command("export")(export)
    registry.command("verify")(verify)


def search(
    registry: Registry,
    *,
    facet: Annotated[list[str] | None, shown(FACET, "all results")] = None,
    sort: Annotated[
        str | None,
        typer.Option(
            "--sort", metavar="METRIC", help="Metric to sort one group by.", show_default="its first metric"
        ),
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the results as CSV.")] = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Search by facet; metric families, measured and modelled results are never ranked together."""
    from iowatt.registry import told
    from iowatt.registry.access import access
    from iowatt.registry.publish import csv_text

    found = access(registry).search(pairs(facet or [], "facet", "vendor=Example"), sort)
    if as_csv:
        typer.echo(csv_text(found), nl=False)
        return
    show(found, told.search, notes=notes, as_json=as_json)


def export(
    folder: RegistryFolder,
    *,
    output: Annotated[Path, output("DIR", "Folder of the site.")],
    provisional: Annotated[
        bool, typer.Option("--provisional", help="Include results that may still be challenged.")
    ] = False,
    with_bundles: Annotated[
        bool, typer.Option("--with-bundles", help="Include the bundles for download.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a static site of the accepted results: pages, facets, CSV and JSON."""
    from iowatt.registry import publish, store, told

    opened = store.RegistryStore(folder)
    found = publish.export(opened, output, provisional=provisional, bundles=with_bundles, force=force)
    show(found, told.exported, as_json=as_json)


def verify(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A registry's folder, or a bundle.", show_default=False)
    ],
    *,
    known_head: Annotated[
        str | None,
        typer.Option(
            "--known-head",
            metavar="SHA256",
            help="Head from an earlier check: its log must be a prefix of this one.",
            show_default=False,
        ),
    ] = None,
    analyse: Annotated[
        bool, typer.Option("--analyse", help="Also reanalyse a bundle.", show_default=False)
    ] = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Check a registry (its log, states and bundles) or a bundle (every byte, the signature).

    Exit code 1 if a registry differs from what was signed, or a bundle is not reproduced.
    """
    import tempfile

    from iowatt.base.errors import Argument, InputError
    from iowatt.registry import bundle, store, told
    from iowatt.registry.reanalysis import analyse_apart
    from iowatt.registry.result import checked_bundle

    if store.is_registry(path):
        if analyse:
            text = "a registry analyses each submission when it arrives"
            raise InputError("not-applicable", Argument("analyse"), text)
        found = store.verify(store.RegistryStore(path), known_head=known_head)
        show(found, told.verification, notes=notes, as_json=as_json)
        if found.faults:
            raise typer.Exit(1)
        return
    if known_head is not None:
        raise InputError("not-applicable", Argument("known_head"), "only a registry has a log")
    with tempfile.TemporaryDirectory(prefix="iowatt-verify-") as scratch:
        folder = Path(scratch, "submission")
        folder.mkdir()
        checked = bundle.read(path, into=folder if analyse else None)
        again = analyse_apart(folder) if analyse else None
    show(checked_bundle(str(path), checked, again), told.bundle, notes=notes, as_json=as_json)
    if again is not None and not again.reproduced:
        raise typer.Exit(1)
