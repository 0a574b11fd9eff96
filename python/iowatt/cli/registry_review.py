"""``iowatt registry set`` and ``review``: states and findings of submissions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from iowatt.cli.options import ACCOUNT, TOKEN_FILE, AsJson, Notes, Registry, shown
from iowatt.cli.show import show

_Id = Annotated[str, typer.Argument(metavar="ID", help="The submission: iow-000123.", show_default=False)]


def register(registry: typer.Typer) -> None:
    """Add the verbs."""
    registry.command("set")(set_)
    registry.command("review")(review)


def set_(
    registry: Registry,
    identifier: _Id,
    state: Annotated[
        Literal["provisional", "accepted", "withdrawn", "superseded"],
        typer.Argument(
            metavar="STATE", help="provisional, accepted, withdrawn or superseded.", show_default=False
        ),
    ],
    *,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Reason, published.")] = "",
    by: Annotated[
        str | None,
        typer.Option(
            "--superseded-by", metavar="ID", help="The submission that replaces it.", show_default=False
        ),
    ] = None,
    account: Annotated[str, ACCOUNT] = "operator",
    token_file: Annotated[Path | None, shown(TOKEN_FILE, False)] = None,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Change the state of a submission; each change is signed and logged."""
    from iowatt.base.errors import Argument, InputError
    from iowatt.registry import told
    from iowatt.registry.access import access
    from iowatt.registry.store import ACTION_OF

    if (state == "superseded") != (by is not None):
        text = "superseded, and the submission that takes its place, go together"
        raise InputError("missing" if by is None else "not-applicable", Argument("by"), text)
    opened = access(registry, token_file=token_file, account=account)
    found = opened.change(identifier, ACTION_OF[state], reason, by)
    show(found, told.entry, notes=notes, as_json=as_json)


def review(
    registry: Registry,
    identifier: _Id,
    *,
    code: Annotated[
        str | None,
        typer.Option(
            "--code",
            metavar="CODE",
            help="Raise a finding: meter-uncertain, other-rate...",
            show_default=False,
        ),
    ] = None,
    severity: Annotated[
        Literal["invalid", "non-compliant", "warning"],
        typer.Option("--severity", help="Severity of the finding."),
    ] = "warning",
    answer: Annotated[
        int | None,
        typer.Option("--answer", metavar="N", help="Answer a finding, as its submitter.", show_default=False),
    ] = None,
    close: Annotated[
        int | None, typer.Option("--close-finding", metavar="N", help="Close a finding.", show_default=False)
    ] = None,
    reopen: Annotated[
        int | None, typer.Option("--reopen", metavar="N", help="Reopen a finding.", show_default=False)
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(
            "--text", metavar="TEXT", help="Text of the finding, answer or reason.", show_default=False
        ),
    ] = None,
    account: Annotated[str, ACCOUNT] = "operator",
    token_file: Annotated[Path | None, shown(TOKEN_FILE, False)] = None,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Show a submission with its findings; raise, answer, close or reopen one."""
    from iowatt.base.errors import Argument, InputError
    from iowatt.registry import told
    from iowatt.registry.access import access

    moves = {"answer": answer, "close": close, "reopen": reopen}
    asked = [name for name, value in {"code": code, **moves}.items() if value is not None]
    if len(asked) > 1:
        raise InputError("conflict", Argument(asked[1]), f"excludes `{asked[0]}=`: one thing at a time")
    if bool(asked) != bool(text):
        which = "text" if asked else "code"
        message = (
            "a finding, an answer and a decision have a text" if asked else "a text is that of a finding"
        )
        raise InputError("missing", Argument(which), message)
    opened = access(registry, token_file=token_file, account=account)
    if code is not None:
        found = opened.raise_finding(identifier, code, severity, text or "")
    elif asked:
        found = opened.move_finding(identifier, moves[asked[0]] or 0, asked[0], text or "")
    else:
        found = opened.entry(identifier)
    show(found, told.entry, notes=notes, as_json=as_json)
