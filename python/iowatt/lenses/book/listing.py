"""Lists of figures with their sources: those that a result uses, and all of a preset."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

from pydantic import Field

from iowatt.base.results import Note, ResultDocument
from iowatt.lenses.book.book import Book, BookFigure
from iowatt.lenses.book.book_key import BookKey
from iowatt.lenses.book.find import book_names, find_book
from iowatt.lenses.book.keys import KEYS, key_rule
from iowatt.lenses.book.result import Assumption
from iowatt.model.library import PRICE_CLASSES

_ORDER: Final[dict[BookKey | None, int]] = {key: position for position, key in enumerate(KEYS)}
_WIDTH: Final = 100


class BookListing(ResultDocument):
    """A book of assumptions with all its figures."""

    schema_id: Literal["iowatt.cost-assumptions/1"] = Field("iowatt.cost-assumptions/1", alias="schema")
    name: str
    title: str
    #: Books that it is made of, itself first.
    lineage: list[str]
    notes: list[Note]
    assumptions: list[Assumption]


def assumptions(book: Book) -> list[Assumption]:
    """The used figures of ``book``, in the order of ``KEYS``, then by name."""
    return [_row(book.used[key]) for key in _sorted(book.used)]


def everything(book: Book) -> list[Assumption]:
    """All figures of ``book``, in that order."""
    return [_row(book.figures[key]) for key in _sorted(book.figures)]


def _sorted(keys: Iterable[str]) -> list[str]:
    rules = {key: key_rule(key) for key in keys}
    return sorted(rules, key=lambda key: (_ORDER.get(rules[key], len(KEYS)), key))


def _row(figure: BookFigure) -> Assumption:
    rule = key_rule(figure.key)
    unit, text = ("", "") if rule is None else (rule.unit, rule.text)
    return Assumption(unit=unit, text=text, **figure.model_dump(exclude={"from_gb", "to_gb"}))


def book_listing(preset: str, sets: Sequence[str] = ()) -> BookListing:
    """The document of ``iowatt cost --list-assumptions --json``; raises ``InputError`` as ``find_book``."""
    book = find_book(preset, sets)
    return BookListing(
        name=book.name,
        title=book.title,
        lineage=list(book.lineage),
        notes=[Note(code="book", text=text) for text in book.notes],
        assumptions=everything(book),
    )


def listing_lines(listing: BookListing) -> Iterator[str]:
    """The listing as text: notes, then each figure with range, source, date, quality and meaning."""
    yield f"{listing.name}: {listing.title}"
    if len(listing.lineage) > 1:
        yield f"  extends: {', '.join(listing.lineage[1:])}"
    for note in listing.notes:
        yield f"  note: {note.text}"
    group = text = ""
    for row in listing.assumptions:
        if row.key.partition(".")[0] != group:
            group = row.key.partition(".")[0]
            yield ""
            yield group
        yield f"  {row.key} = {value(row)}"
        if row.text != text:
            yield from _wrapped(row.text)
        text = row.text
        yield from _wrapped(source(row))
        if row.note:
            yield from _wrapped(row.note)


def value(row: Assumption) -> str:
    """Value, unit and range of a figure in words."""
    if isinstance(row.value, str):
        return row.value
    text = f"{row.value:,.10g} {row.unit}".rstrip()
    low, high = (row.value if end is None else end for end in (row.low, row.high))
    return text if low == high else f"{text} ({low:,.10g} to {high:,.10g})"


def source(row: Assumption) -> str:
    """Source, date and quality of a figure in words."""
    date = f", {row.date}" if row.date else ""
    return f"{row.quality}: {row.source}{date}"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="    ", subsequent_indent="    ")


def key_table() -> str:
    """A table of all keys: unit, what they accept, what they mean."""
    rows = ["| key | unit | accepts | meaning |", "|---|---|---|---|"]
    rows += [f"| `{key.pattern}` | {key.unit} | {accepts(key)} | {_cell(key.text)} |" for key in KEYS]
    return "\n".join(rows) + "\n"


def accepts(key: BookKey) -> str:
    """The accepted values in words."""
    if key.words:
        return ", ".join(f"`{word}`" for word in key.words)
    if key.any_word:
        return "a name"
    if key.high == float("inf"):
        return f"at least {key.low:g}"
    return f"{key.low:g} to {key.high:g}"


def class_table() -> str:
    """A table of the price classes of drives."""
    rows = ["| class | drives |", "|---|---|"]
    return "\n".join([*rows, *(f"| `{name}` | {what} |" for name, what in PRICE_CLASSES.items())]) + "\n"


def preset_tables() -> str:
    """The figures of each preset of the library; of one that extends another, the figures that differ."""
    parts = []
    for name in book_names():
        book = find_book(name)
        base = find_book(book.lineage[1]) if len(book.lineage) > 1 else None
        parts.append(f"### {name}\n\n{book.title}.")
        if base is not None:
            parts[-1] += f" Other figures are those of `{base.name}`."
        notes = book.notes[len(base.notes) :] if base is not None else book.notes
        parts.append("\n".join(f"- {note}" for note in notes))
        rows = ["| key | value | source |", "|---|---|---|"]
        for row in everything(book):
            if base is not None and base.figures.get(row.key) == book.figures[row.key]:
                continue
            note = f" ({row.note})" if row.note else ""
            rows.append(f"| `{row.key}` | {_cell(value(row))} | {_cell(source(row) + note)} |")
        parts.append("\n".join(rows))
    return "\n\n".join(part for part in parts if part) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
