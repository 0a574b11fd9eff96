"""The JSON Schema of duty cycles: completion and checking in editors."""

from __future__ import annotations

import json

from pydantic import TypeAdapter

from iowatt.base.json_schema import as_written
from iowatt.lenses.cost.year.file import HoursFile, MeasuredFile


def cycle_text() -> str:
    """The schema of both kinds of duty cycles, as the file that is checked in."""
    kinds = TypeAdapter[HoursFile | MeasuredFile](HoursFile | MeasuredFile)
    found = as_written(kinds.json_schema(mode="validation", by_alias=True))
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "iowatt duty cycle"}
    return json.dumps({**head, **found}, indent=2, ensure_ascii=False) + "\n"
