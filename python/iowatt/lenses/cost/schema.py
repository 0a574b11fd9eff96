"""The JSON Schemas of books of assumptions and of inventories: completion and checking in editors."""

from __future__ import annotations

import json
from typing import Any

from iowatt.base.json_schema import as_written
from iowatt.lenses.cost.book.book import BookFile
from iowatt.lenses.cost.inventory_file import InventoryFile


def book_text() -> str:
    """The schema of a book of assumptions, as the file that is checked in."""
    return _text(BookFile.model_json_schema(mode="validation", by_alias=True), "iowatt cost book")


def inventory_text() -> str:
    """The schema of an inventory, as the file that is checked in."""
    return _text(InventoryFile.model_json_schema(mode="validation", by_alias=True), "iowatt cost inventory")


def _text(found: dict[str, Any], title: str) -> str:
    schema = as_written(found)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    whole = {**head, **{name: value for name, value in schema.items() if name not in head}}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
