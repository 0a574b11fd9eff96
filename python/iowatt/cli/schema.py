"""``iowatt schema``: the JSON Schema of input files, for completion and checking in editors."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import Force, output


class Document(StrEnum):
    """Files that have a schema."""

    SCENARIO = "scenario"
    PROFILE = "profile"
    PRODUCT = "product"
    FAMILY = "family"
    PLAN = "plan"
    ABOUT = "about"
    COST_BOOK = "cost-book"
    COST_INVENTORY = "cost-inventory"
    DUTY_CYCLE = "duty-cycle"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("schema")(schema)


def schema(
    of: Annotated[Document, typer.Argument(help="Of which file.")] = Document.SCENARIO,
    *,
    output: Annotated[Path | None, output("FILE", "Write it to this file.", "standard output")] = None,
    force: Force = False,
) -> None:
    """Print the JSON Schema of an input file or of a result."""
    from iowatt.base.atomic_path import write_text

    if of is Document.PROFILE:
        from iowatt.model.profile.profile import schema_text
    elif of is Document.PRODUCT:
        from iowatt.emerald.classify.product import schema_text
    elif of is Document.FAMILY:
        from iowatt.emerald.family.file import schema_text
    elif of is Document.PLAN:
        from iowatt.emerald.plan.model import schema_text
    elif of is Document.ABOUT:
        from iowatt.emerald.report.about import schema_text
    elif of is Document.COST_BOOK:
        from iowatt.lenses.cost.schema import book_text as schema_text
    elif of is Document.COST_INVENTORY:
        from iowatt.lenses.cost.schema import inventory_text as schema_text
    elif of is Document.DUTY_CYCLE:
        from iowatt.lenses.cost.schema import cycle_text as schema_text
    else:
        from iowatt.model.scenario.model import schema_text

    if output is None:
        typer.echo(schema_text(), nl=False)
        return
    write_text(output, schema_text(), force=force)
    typer.echo(f"schema: {output}", err=True)
