"""A document on a terminal: the verdict, its tables within the width, and the caveats that decide."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from iowatt.render import numbers
from iowatt.render.document import Document, aligned
from iowatt.render.figure import Column, Figure, Table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

WIDTH: Final = 80
"""Columns of a terminal that is not known, and of output that is not read on one."""

MOST_ROWS: Final = 40
"""Rows that are printed of a table that need not be complete."""

MOST_CONTINUED: Final = 6
"""Rows up to which columns that do not fit are printed as a second table."""

_GAP: Final = 2
_WRAPPED: Final = 32
"""Characters from which text wraps rather than push other columns out."""


def show(document: Document, *, notes: bool = False, console: Console | None = None) -> None:
    """Print ``document``; ``notes`` adds the caveats that do not decide."""
    if console is None and not any(
        figure.brief for figure in document.figures()
    ):  # without rich, which is slow
        sys.stdout.writelines(f"{line}\n" for line in parts(document, notes=notes))
        return
    from rich.console import Console

    out = console or Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else WIDTH)
    for part in parts(document, notes=notes, width=out.width):
        if isinstance(part, str):
            out.print(part, markup=False)
        else:
            out.print(part)


def text(document: Document, *, width: int = 110) -> str:
    """All that is printed of ``document``, all caveats included, for a file."""
    from io import StringIO

    from rich.console import Console

    file = StringIO()
    show(document, notes=True, console=Console(file=file, width=width, soft_wrap=True, highlight=False))
    return file.getvalue()


def parts(document: Document, *, notes: bool = False, width: int = WIDTH) -> Iterator[str | RichTable]:
    """Lines and tables, in order."""
    yield f"{document.title}: {document.meta}" if document.meta else document.title
    yield from document.verdict
    if document.headlines and not any(figure.brief for figure in document.figures()):
        yield from _headlines(document)
    for figure in document.figures():
        if figure.brief:
            yield f"\n{figure.title}"
            yield from _table(figure, width)
    sentences = [sentence for section in document.open_sections for sentence in section.sentences]
    if sentences:
        yield "\n" + "\n".join(sentences)
    yield from _caveats(document, notes)


def _headlines(document: Document) -> Iterator[str]:
    yield from aligned(
        [(one.title, one.shown.replace("\u00a0", " "), one.remark) for one in document.headlines]
    )


def _caveats(document: Document, notes: bool) -> Iterator[str]:
    rest = [caveat for caveat in document.caveats if not caveat.decides]
    for caveat in document.caveats:
        if caveat.decides or notes:
            yield f"note: {caveat.text}"
    if rest and not notes:
        yield f"{numbers.counted(len(rest), 'caveat')} (--notes)"


def _table(figure: Figure, width: int) -> Iterator[str | RichTable]:
    """The table within the width; of few rows also what does not fit, as a second table below.

    There the first column alone tells rows apart, so it has to.
    """
    shown, rest = split(figure.table, width)
    yield _lines(shown, figure.complete, width)
    apart = len({row[0] for row in shown.rows}) == len(shown.rows)
    if rest is not None and apart and len(shown.rows) <= MOST_CONTINUED:
        below, rest = split(rest, width)
        if len(below.columns) > 1:
            yield ""
            yield _lines(below, figure.complete, width)
    if not figure.complete and (more := len(shown.rows) - MOST_ROWS) > 0:
        yield f"and {numbers.counted(more, 'more row')} (--json)"
    if rest is not None:
        yield f"not shown: {', '.join(column.title for column in rest.columns[1:])} (--json)"


def _lines(shown: Table, complete: bool, width: int) -> RichTable:
    """The rows that are printed of a table that fits."""
    from rich.table import Table as RichTable
    from rich.text import Text

    table = RichTable(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
    texts = shown.texts()
    for at, column in enumerate(shown.columns):
        words = [word for row in texts for word in row[at].split(" ")]
        table.add_column(
            Text(column.heading),
            justify="left" if column.text else "right",
            overflow="fold",
            no_wrap=not column.text,
            min_width=min(max(map(len, words), default=0), width // 2),
        )
    for row in texts[: len(texts) if complete else MOST_ROWS]:
        table.add_row(*map(Text, row))  # a str is markup: `[array.power]` would vanish
    return table


def _least_width(column: Column, text: str) -> int:
    """Text wraps where a column is narrower; what has no spaces does not."""
    if not column.text or len(text) <= _WRAPPED:
        return len(text)
    return max(_WRAPPED, *(len(word) for word in text.split(" ")))


def split(table: Table, width: int = WIDTH) -> tuple[Table, Table | None]:
    """The table without the columns that do not fit, and the first column with these; None where all fit.

    Those of the highest ``rank`` go first, of equal ones the last; the first column stays.
    """
    keep = list(range(len(table.columns)))
    widths = (
        [
            max([len(column.heading), *(_least_width(column, text) for text in texts)])
            for column, texts in zip(table.columns, zip(*table.texts(), strict=True), strict=True)
        ]
        if table.rows
        else [len(column.heading) for column in table.columns]
    )
    while len(keep) > 1 and sum(widths[at] + _GAP for at in keep) - _GAP > width:
        keep.remove(max(keep[1:], key=lambda at: (table.columns[at].rank, at)))
    left = [at for at in range(len(table.columns)) if at not in keep]
    return _part(table, keep), _part(table, [0, *left]) if left else None


def _part(table: Table, keep: list[int]) -> Table:
    return Table([table.columns[at] for at in keep], [[row[at] for at in keep] for row in table.rows])
