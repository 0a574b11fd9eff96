"""The directory of a search.

    bff.json       the result (iowatt.bff/1)            when all is finished
    table.parquet  table.csv  report.html               likewise
    points.jsonl   simulated points (the journal)
    family.toml    the family file as given
    asked.json     what was asked

A point is known by its scenario, the content of its files and what was asked of it. So a search may be
resumed with another metric, another tolerance or a changed family: what is the same is not run again.
"""

from __future__ import annotations

from typing import Final

from iowatt.evaluate.search.folder import FolderKind

ASKED_SCHEMA: Final = "iowatt.bff-asked/1"

BFF: Final = FolderKind(
    what="a search for a best foot forward",
    manifest="asked.json",
    schema="iowatt.bff-asked/",
    text="family.toml",
    results=("bff.json", "table.parquet", "table.csv", "report.html"),
    held=False,
)
