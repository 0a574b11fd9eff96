"""Keys of the book as ``iowatt explain`` shows those of a scenario."""

from __future__ import annotations

from iowatt.lenses.book.find import find_book
from iowatt.lenses.book.keys import key_rule
from iowatt.lenses.book.listing import accepts, everything, source, value
from iowatt.lenses.book.result import Assumption
from iowatt.model.scenario.result import ExplainedKey, Explanation


def explained_figures(path: str) -> Explanation | None:
    """The figure of the default book at ``path``, or all below it; None where there is none."""
    rows = everything(find_book("default"))
    found = [row for row in rows if row.key == path] or [
        row for row in rows if row.key.startswith(f"{path}.")
    ]
    return Explanation(keys=[_explained(row) for row in found]) if found else None


def figure_names() -> list[str]:
    """Keys of the figures of the default book."""
    return [row.key for row in everything(find_book("default"))]


def _explained(row: Assumption) -> ExplainedKey:
    rule = key_rule(row.key)
    return ExplainedKey(
        path=row.key,
        named=row.key,
        description=row.text,
        accepts="a figure" if rule is None else accepts(rule).replace("`", ""),
        unit=row.unit or None,
        default=f"{value(row)}; {source(row)}",
        required=False,
        only_with=None,
        example=f"--assume {row.key}={row.value}",
        keys=[],
        library=[],
        variants=[],
    )
