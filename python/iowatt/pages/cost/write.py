"""A file of costs by the end of its name: a page, or a workbook."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.render import page_file

_ENDS: Final = (".html", ".xlsx")


def check_target(target: Path, force: bool) -> None:
    """Raise ``InputError`` where the file cannot be written; before any work is done."""
    if target.suffix.lower() not in _ENDS:
        raise InputError(
            "not-accepted",
            str(target),
            "costs are written as a page or a workbook; expected a name that ends in .html or .xlsx",
        )
    page_file.check_place(target, force)


def write(found: dict[str, Any], target: Path, *, force: bool = False) -> None:
    """Write the document ``iowatt.cost/1`` aside, then rename it: never half."""
    check_target(target, force)
    if target.suffix.lower() == ".html":
        from iowatt.pages.cost import page

        page.write(found, target, force=force)
        return
    from iowatt.pages.cost import workbook

    page_file.write_aside(target, lambda staging: workbook.write(found, staging))
