"""A document as a file: an HTML page, a workbook or a PDF, by the suffix of its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.render.document import Document

if TYPE_CHECKING:
    from iowatt.render.html import Site

KINDS: Final = (".html", ".xlsx", ".pdf")
"""Suffixes of the files that can be written."""


def check_target(target: Path, *, force: bool, kinds: Sequence[str] = KINDS) -> None:
    """Raise ``InputError`` where no such file can be written to ``target``; before any work is done."""
    if target.suffix.lower() not in kinds:
        raise InputError(
            "not-accepted",
            str(target),
            f"{target.suffix!r} is not a supported file type; expected {', '.join(kinds)}",
        )
    if not target.parent.is_dir():
        raise InputError("not-found", str(target.parent), "the directory for the report does not exist")
    if target.is_dir():
        raise InputError("wrong-kind", str(target), "is a directory; a report is a file")
    if target.exists() and not force:
        raise InputError("exists", str(target), "already exists", hint="use `force=True` to overwrite it")


def write(
    documents: Document | Sequence[Document],
    target: Path,
    *,
    force: bool = False,
    title: str | None = None,
    workbook: Callable[[Path], None] | None = None,
) -> Path:
    """Write one document, or several on one page, atomically. Returns ``target``.

    ``title`` heads a page of several; ``workbook`` writes the workbook of a lens that needs more than tables.

    Raises ``InputError`` as :func:`check_target`, and for a PDF where no Chromium is installed.
    """
    check_target(target, force=force)
    listed = [documents] if isinstance(documents, Document) else list(documents)
    with atomic_path.file(target) as made:
        if target.suffix.lower() == ".xlsx":
            if workbook is None:
                from iowatt.render import workbook as tables

                tables.write(listed, made)
            else:
                workbook(made)
        else:
            text = page(listed, title)
            if target.suffix.lower() == ".html":
                made.write_text(text, encoding="utf-8", newline="\n")
            else:
                from iowatt.render import pdf

                pdf.write(text, made)
    return target


def page(documents: Sequence[Document], title: str | None = None, *, site: Site | None = None) -> str:
    """The documents as one HTML page that needs nothing else; the first one's title heads it by default.

    With ``site`` it is a page of that site.
    """
    from iowatt.render import html

    figures = {key: figure for document in documents for key, figure in document.ids().items()}
    return html.render_page(
        "document.html",
        figures,
        more_scripts=list(dict.fromkeys(name for document in documents for name in document.scripts)),
        more_data={key: value for document in documents for key, value in document.data.items()},
        site=site,
        title=title or documents[0].title,
        documents=documents,
    )
