"""``iowatt idle``: the idle periods of a Run's drives, and what power management could make of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from iowatt.cli.options import AsJson, Force, Page, print_json


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("idle")(idle)


def idle(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A Run of `iowatt run`.")],
    *,
    device: Annotated[
        str | None,
        typer.Option(
            "--device",
            metavar="NAME",
            help="A drive of the library, or a device file, whose power figures the policies go by.",
            show_default="the Run's own drives",
        ),
    ] = None,
    output: Page = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Analyse idle periods: lengths, correlation, laws, and what each power policy would save and cost."""
    from iowatt.cli.progress import bar
    from iowatt.lenses.idle import analyse
    from iowatt.run.bundle import Run

    if output is not None:
        from iowatt.pages.idle import page

        page.check_target(output, force)
    opened = Run.open(run)
    with bar(f"reading {run}") as progress:
        found = analyse(opened, device, progress)
    if output is not None:
        page.write(found, output, force=force)
        typer.echo(f"wrote {output}", err=True)
    if as_json:
        print_json(found)
        return
    _print(found)


def _print(found: dict[str, Any]) -> None:
    from rich.console import Console

    from iowatt.pages.idle import text

    console = Console(highlight=False)
    for number, part in enumerate(text.parts(found)):
        if number and not (isinstance(part, str) and part.startswith("note:")):
            console.print()
        console.print(part, markup=False, soft_wrap=True) if isinstance(part, str) else console.print(part)
