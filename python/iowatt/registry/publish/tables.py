"""Results as CSV: a row for each metric of each result, for spreadsheets and scripts."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Final

from iowatt.registry.publish.searching import RegistrySearch

_COLUMNS: Final = (
    "id", "state", "basis", "metric_family", "category", "vendor", "product", "family", "form", "protocol",
    "title", "year", "standing", "unverified_rules", "profile", "received", "published", "sha256",
)  # fmt: skip
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def csv_text(found: RegistrySearch) -> str:
    """The results of a search, group by group; a text that would pass for a formula has ``'`` first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_COLUMNS, "metric", "unit", "value", "shown"])
    for group in found.groups:
        for one in group.results:
            head = _plain([getattr(one, name) for name in _COLUMNS])
            for figure in one.figures:
                writer.writerow([*head, *_plain([figure.metric, figure.unit]), figure.value, figure.shown])
    return out.getvalue()


def _plain(cells: Sequence[object]) -> list[object]:
    return [f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell for cell in cells]
