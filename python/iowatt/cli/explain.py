"""``iowatt explain``: what a key of a scenario means."""

from __future__ import annotations

from typing import Annotated

import typer

from iowatt.cli import completion
from iowatt.cli.options import AsJson
from iowatt.cli.show import show


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("explain")(explain)


def explain(
    path: Annotated[
        str | None,
        typer.Argument(
            help="A key path, such as array.pool.raid.stripe_unit, or a cost-book key. None: all scenario "
            "keys.",
            show_default=False,
            autocompletion=completion.keys,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain a scenario or cost-book key: meaning, accepted values, unit, default."""
    from iowatt.base.errors import InputError
    from iowatt.model.scenario import explanation
    from iowatt.pages.explain import document

    try:
        found = explanation(path)
    except InputError:
        from iowatt.lenses.book import explained_figures, figure_names

        assert path is not None
        found = explained_figures(path) or explanation(path, figure_names())
    show(found, document, as_json=as_json)
