"""`iowatt doctor`: what is installed, and what is missing for what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from iowatt.cli.options import AsJson

if TYPE_CHECKING:
    from rich.text import Text


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("doctor")(doctor)


def doctor(
    as_json: AsJson = False,
) -> None:
    """List installed components, and what missing ones prevent; exit 1 if a scenario cannot run."""
    from iowatt.cli.environment import survey  # starts processes and reads metadata

    result = survey()
    if as_json:
        import json

        typer.echo(json.dumps(result, indent=2))
    else:
        _show(result)
    if not result["ready"]:
        raise typer.Exit(1)


def _show(result: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True, highlight=False)
    width = max(len(part["name"]) for part in result["parts"])
    for purpose in dict.fromkeys(part["purpose"] for part in result["parts"]):
        console.print(Text(purpose, "bold"))
        for part in result["parts"]:
            if part["purpose"] == purpose:
                console.print(_line(part, width))
    machine = result["machine"]
    memory = f"{machine['memory_bytes'] / 2**30:.1f} GiB" if machine["memory_bytes"] else "an unknown amount"
    console.print(Text("machine", "bold"))
    console.print(f"  {machine['system']}, {machine['cores']} cores, {memory} of memory", markup=False)
    if result["ready"]:
        console.print(Text("ready: the main job can run", "green"))
    else:
        console.print(Text("not ready: mend what is missing for simulation and reports", "red"))


def _line(part: dict[str, Any], width: int) -> Text:
    from rich.text import Text

    alarm = "red" if part["essential"] else "yellow"
    line = Text.assemble("  ", ("ok     ", "green") if part["found"] else ("missing", alarm))
    line.append(f"  {part['name']:<{width}}  {part['detail']}")
    if not part["found"]:
        line.append(f" - {part['fix']}")
    return line
