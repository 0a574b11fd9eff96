"""The JSON Schemas of books, inventories and duty cycles: completion and checking in editors."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter

from iowatt.base.json_schema import as_written
from iowatt.lenses.cost.book.book import BookFile
from iowatt.lenses.cost.inventory_file import InventoryFile
from iowatt.lenses.cost.year.file import HoursFile, MeasuredFile


def book_text() -> str:
    """The schema of a book of assumptions, as the file that is checked in."""
    return _text(BookFile, "iowatt cost book")


def inventory_text() -> str:
    """The schema of an inventory, as the file that is checked in."""
    return _text(InventoryFile, "iowatt cost inventory")


def cycle_text() -> str:
    """The schema of both kinds of duty cycles, as the file that is checked in."""
    return _text(HoursFile | MeasuredFile, "iowatt duty cycle")


def _text(model: Any, title: str) -> str:
    schema = as_written(TypeAdapter(model).json_schema(mode="validation", by_alias=True))
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    rest = {name: value for name, value in schema.items() if name not in head}
    return json.dumps({**head, **rest}, indent=2, ensure_ascii=False) + "\n"
