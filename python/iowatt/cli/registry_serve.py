"""``iowatt registry serve``: the registry on the web."""

from __future__ import annotations

from typing import Annotated

import typer

from iowatt.base.extras import extra
from iowatt.cli.options import BIND, PORT, RegistryFolder


def register(registry: typer.Typer) -> None:
    """Add the verb."""
    registry.command("serve")(serve)


def serve(
    folder: RegistryFolder,
    *,
    bind: Annotated[str, BIND] = "127.0.0.1",
    port: Annotated[int, PORT] = 8770,
) -> None:
    """Serve a registry: public search and pages, submissions and reviews by token."""
    from iowatt.registry.store import RegistryStore

    with extra("serve", "the server"):
        from iowatt.web.registry import serve as run
    run(RegistryStore(folder), bind, port, lambda address: typer.echo(f"registry: {address}", err=True))
