"""The book as tables of the documentation: every key, and every figure of every preset with its source."""

from __future__ import annotations

from iowatt.lenses.cost.book.describe import everything, source, value
from iowatt.lenses.cost.book.find import book_names, find_book
from iowatt.lenses.cost.book.keys import KEYS, Key
from iowatt.model.library.price_class import CLASSES


def keys() -> str:
    """A table of all keys: unit, what they accept, what they mean."""
    rows = ["| key | unit | accepts | what |", "|---|---|---|---|"]
    rows += [f"| `{key.pattern}` | {key.unit} | {accepts(key)} | {_cell(key.text)} |" for key in KEYS]
    return "\n".join(rows) + "\n"


def accepts(key: Key) -> str:
    """What may be set, in words."""
    if key.words:
        return ", ".join(f"`{word}`" for word in key.words)
    if key.any_word:
        return "a name"
    if key.high == float("inf"):
        return f"at least {key.low:g}"
    return f"{key.low:g} to {key.high:g}"


def classes() -> str:
    """A table of the classes that drives are priced by."""
    rows = ["| class | what is in it |", "|---|---|"]
    return "\n".join([*rows, *(f"| `{name}` | {what} |" for name, what in CLASSES.items())]) + "\n"


def presets() -> str:
    """Of each preset of the library its figures; of one that extends another, what it changes."""
    parts = []
    for name in book_names():
        book = find_book(name)
        base = find_book(book.lineage[1]) if len(book.lineage) > 1 else None
        parts.append(f"### {name}\n\n{book.title}.")
        if base is not None:
            parts[-1] += f" Whatever is not here is that of `{base.name}`."
        notes = book.notes[len(base.notes) :] if base is not None else book.notes
        parts.append("\n".join(f"- {note}" for note in notes))
        rows = ["| key | value | where from |", "|---|---|---|"]
        for row in everything(book):
            if base is not None and base.figures.get(row.key) == book.figures[row.key]:
                continue
            note = f" ({row.note})" if row.note else ""
            rows.append(f"| `{row.key}` | {_cell(value(row))} | {_cell(source(row) + note)} |")
        parts.append("\n".join(rows))
    return "\n\n".join(part for part in parts if part) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
