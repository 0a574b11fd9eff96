"""Which figures a family file states, and where each comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

from iowatt.emerald.bff.result import StatedFigure
from iowatt.emerald.family import Family

#: What is asked of the search, or names a thing, is no figure of the family.
_NONE: Final = frozenset(
    ("schema", "name", "title", "note", "notes", "rules", "seed", "source", "configuration", "requests",
     "warmup_requests", "warmup", "duration", "plateau_percent", "least", "step", "model", "form_factor")
)  # fmt: skip


def stated(family: Family) -> list[StatedFigure]:
    """The figures of the file.

    A source may have ``*`` in the place of a name. Where none stands for a figure both are None: it is the
    writer's word alone. Parts and drives of the library have their sources there.
    """
    rows = []
    for figure in _figures(family.document.raw, ""):
        best = max(
            ((len(path), source) for source in family.file.source for path in source.figures
             if fnmatchcase(figure, path) or fnmatchcase(figure, f"{path}.*")),
            key=lambda pair: pair[0], default=None,
        )  # fmt: skip
        rows.append(
            StatedFigure(
                figure=figure,
                quality=None if best is None else best[1].quality,
                source=None if best is None else best[1].text,
            )
        )
    return rows


def _figures(table: Mapping[str, Any], prefix: str) -> Iterator[str]:
    """Key paths of numbers and quantities, with names in the place of positions in lists."""
    for key, value in table.items():
        if key in _NONE:
            continue
        path = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _figures(value, f"{path}.")
        elif isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            for at, one in enumerate(value):
                yield from _figures(one, f"{path}.{one.get('name', at)}.")
        elif _is_figure(value):
            yield path


def _is_figure(value: Any) -> bool:
    if isinstance(value, list):
        return any(_is_figure(one) for one in value)
    if isinstance(value, str):
        return value[:1].isdigit()
    return isinstance(value, int | float) and not isinstance(value, bool)
