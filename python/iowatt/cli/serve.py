"""``iowatt serve``: the workspace in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.base.extras import extra
from iowatt.cli.options import ADVANCED, BIND, PORT, Force, OpenPage


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("serve")(serve)


def serve(
    workspace: Annotated[
        Path,
        typer.Argument(metavar="WORKSPACE", help="Directory of results.", show_default="the current one"),
    ] = Path(),
    *,
    port: Annotated[int, PORT] = 8765,
    bind: Annotated[str, BIND] = "127.0.0.1",
    hostname: Annotated[
        list[str] | None,
        typer.Option(
            "--hostname",
            metavar="HOST",
            help="Additional host name to accept in requests. May be repeated.",
            show_default=False,
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option("--workers", min=1, max=256, help="Jobs to run in parallel.", rich_help_panel=ADVANCED),
    ] = 2,
    show: OpenPage = False,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="DIR",
            help="Export the workspace as a static site, and exit.",
            show_default=False,
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Serve a workspace to the browser: systems, what-if, what to buy, traces, jobs.

    Runs until Ctrl-C. Unfinished jobs resume at the next start.
    """
    with extra("serve", "the server"):
        from iowatt.web.serve import ServerRequest, Serving
        from iowatt.web.serve import serve as run
    if export is not None:
        from iowatt.web.export import export_workspace

        count = export_workspace(workspace, export, force=force)
        typer.echo(f"wrote {count} pages: {export / 'index.html'}")
        return

    def begun(serving: Serving) -> None:
        typer.echo(f"iowatt: serving {workspace.resolve()} at {serving.address} (Ctrl-C to stop)", err=True)
        if serving.open_to_others:
            typer.echo(
                "warning: other machines can reach this server and traffic is not encrypted; put it behind a "
                "TLS proxy.",
                err=True,
            )
        if serving.token is not None:
            typer.echo(f"access token: {serving.token}", err=True)
        if show:
            typer.launch(serving.address)

    run(ServerRequest(workspace, host=bind, port=port, names=tuple(hostname or ()), workers=workers), begun)
