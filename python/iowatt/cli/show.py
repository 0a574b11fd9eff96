"""How every verb ends that has a result to show: a file, JSON, or the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from iowatt.cli.options import print_json

if TYPE_CHECKING:
    from iowatt.base.results import Result
    from iowatt.render.document import Document

Found = TypeVar("Found", bound="Result")


def check_page(output: Path | None, *, force: bool) -> None:
    """Raise ``InputError`` where ``--output`` cannot be written, before any work is done."""
    if output is not None:
        from iowatt.render import write

        write.check_target(output, force=force)


def show(
    found: Found,
    document: Callable[[Found], Document | Sequence[Document]],
    output: Path | None = None,
    *,
    force: bool = False,
    written: Path | None = None,
    notes: bool = False,
    as_json: bool = False,
) -> None:
    """Write the page to ``output``, if any; then print the result, as JSON where that is asked for.

    Several documents make one page. ``written`` is a page that the API has written.
    """
    if output is not None:
        from iowatt.render import write

        write.write(document(found), output, force=force)
        written = output
    if written is not None:
        typer.echo(f"wrote {written}", err=True)
    if as_json:
        print_json(found.as_dict())
    else:
        from iowatt.render import terminal
        from iowatt.render.document import Document

        made = document(found)
        for number, one in enumerate([made] if isinstance(made, Document) else made):
            if number:
                typer.echo()
            terminal.show(one, notes=notes)
