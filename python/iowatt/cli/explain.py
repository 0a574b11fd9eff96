"""``iowatt explain``: what a key of a scenario means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from iowatt.scenario.keys import Key


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("explain")(explain)


def explain(
    path: Annotated[
        str | None,
        typer.Argument(help="A key path, array.pool.raid.stripe_unit. None: all keys.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Say what a key of a scenario means, what it takes, its unit and its default."""
    from iowatt.scenario import explain as explanation

    keys = explanation.all_keys() if path is None else [explanation.find(path)]
    if as_json:
        import json

        result = {"schema": explanation.EXPLAIN_SCHEMA, "keys": [explanation.as_dict(key) for key in keys]}
        typer.echo(json.dumps(result, indent=2, ensure_ascii=False))
        return
    for line in _listing(keys) if path is None else _page(keys[0]):
        typer.echo(line)


def _listing(keys: list[Key]) -> list[str]:
    width = max(len(key.path) for key in keys)
    return [f"{key.path:<{width}}  {_first_sentence(key.description)}" for key in keys]


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].rstrip(".")


def _page(key: Key) -> list[str]:
    from iowatt.scenario.explain import as_dict

    shown = as_dict(key)
    rows = [
        ("accepts", shown["accepts"]),
        ("unit", shown["unit"]),
        ("default", shown["default"]),
        ("only with", shown["only_with"]),
        ("example", shown["example"]),
        ("library", ", ".join(shown["library"])),
    ]
    text = [key.path, f"  {key.description}", ""]
    text += [f"  {label:<10} {value}" for label, value in rows if value]
    if shown["keys"]:
        text += ["", "  keys", *(f"    {path}" for path in shown["keys"])]
    return text
