"""A file of costs by the end of its name: a page, or a workbook."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any, Final

from iowatt.errors import InputError

_ENDS: Final = (".html", ".xlsx")


def check_target(target: Path, force: bool) -> None:
    """Raise ``InputError`` where the file cannot be written; before any work is done."""
    if target.suffix.lower() not in _ENDS:
        raise InputError(
            "costs are written as a page or as a workbook",
            where=str(target),
            hint="end its name in .html or .xlsx",
        )
    if not target.parent.is_dir():
        raise InputError("the directory for the report does not exist", where=str(target.parent))
    if target.is_dir():
        raise InputError("is a directory; a report is a file", where=str(target))
    if target.exists() and not force:
        raise InputError("exists already", where=str(target), hint="--force replaces it")


def write(found: dict[str, Any], target: Path, *, force: bool = False) -> None:
    """Write the document ``iowatt.cost/1`` aside, then rename it: never half."""
    check_target(target, force)
    if target.suffix.lower() == ".html":
        from iowatt.report.cost import page

        page.write(found, target, force=force)
        return
    from iowatt.report.cost import workbook

    aside = target.with_name(f".iowatt-partial-{secrets.token_hex(4)}-{target.name}")
    try:
        workbook.write(found, aside)
        aside.replace(target)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=str(target)) from None
    finally:
        aside.unlink(missing_ok=True)
