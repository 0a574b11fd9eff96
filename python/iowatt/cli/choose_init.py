"""``iowatt choose --init``: a question, asked for on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import typer

from iowatt.base.errors import InputError

T = TypeVar("T")


def write_question(file: Path, *, force: bool) -> None:
    """Ask for what a question needs, and write it with every default and its meaning.

    Without a terminal nothing is asked: the file has the defaults, and its first line says so. Raises
    ``InputError`` where ``file`` exists and ``force`` is not given.
    """
    from iowatt.base.atomic_path import refuse_existing, write_text
    from iowatt.evaluate.choose import asked_question, template_question

    refuse_existing(file, force=force)
    if sys.stdin.isatty():
        typer.echo("Press Enter to accept the default in brackets. The file explains every key.", err=True)
        text = asked_question(file, _ask)
    else:
        typer.echo("not a terminal: writing a template with defaults", err=True)
        text = template_question(file)
    write_text(file, text, force=force)
    typer.echo(f"wrote {file}; `iowatt choose {file}` answers it", err=True)


def _ask(title: str, default: Any, read: Callable[[str], T]) -> T:
    """Ask until the answer is accepted."""
    while True:
        text = typer.prompt(title, default=f"{default}", err=True)
        try:
            return read(text)
        except InputError as error:
            hint = f" ({error.hint})" if error.hint else ""
            typer.echo(f"  {error.message}{hint}", err=True)
