"""``iowatt explain``: what a key of a scenario means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from iowatt.cli import completion
from iowatt.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from iowatt.base.keys import Key


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("explain")(explain)


def explain(
    path: Annotated[
        str | None,
        typer.Argument(
            help="A key path, array.pool.raid.stripe_unit. None: all keys.",
            show_default=False,
            autocompletion=completion.keys,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain a key of a scenario: meaning, accepted values, unit, default."""
    from iowatt.model.scenario import explain as explanation

    keys = explanation.all_keys() if path is None else [explanation.find(path)]
    if as_json:
        result = {"schema": explanation.EXPLAIN_SCHEMA, "keys": [explanation.as_dict(key) for key in keys]}
        print_json(result)
        return
    for line in _listing(keys) if path is None else _page(keys[0]):
        typer.echo(line)


def _listing(keys: list[Key]) -> list[str]:
    width = max(len(key.path) for key in keys)
    return [f"{key.path:<{width}}  {_in_short(key)}" for key in keys]


def _in_short(key: Key) -> str:
    """The first sentence of the description, or of each, where tables of a union differ."""
    said = [_first_sentence(one.description) for one in (key.variants or (key,))]
    return " | ".join(dict.fromkeys(said))


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].rstrip(".")


def _page(key: Key) -> list[str]:
    from iowatt.model.scenario.explain import as_dict, named

    shown = as_dict(key)
    text = [key.path]
    for one in shown["variants"]:
        rows = _figures({**one, "only_with": None})
        text += [f"  with {one['only_with']}", *(f"  {row}" if row else "" for row in rows), ""]
    if not shown["variants"]:
        text += [*_figures(shown), ""]
    if (full := named(key.path)) != key.path:
        text[-1:] = [f"  {'of several':<10} {full}", ""]
    if shown["keys"]:
        text += ["  keys", *(f"    {path}" for path in shown["keys"]), ""]
    return text[:-1]


def _figures(shown: dict[str, Any]) -> list[str]:
    rows = [
        ("accepts", shown["accepts"]),
        ("unit", shown["unit"]),
        ("default", shown["default"]),
        ("only with", shown["only_with"]),
        ("example", shown["example"]),
        ("library", ", ".join(shown.get("library", ()))),
    ]
    return [f"  {shown['description']}", "", *(f"  {label:<10} {value}" for label, value in rows if value)]
