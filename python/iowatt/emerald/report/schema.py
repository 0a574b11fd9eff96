"""The JSON Schema of a description for reports: completion and checking in editors."""

from __future__ import annotations

import json
from typing import Any

from iowatt.base.json_schema import as_written
from iowatt.emerald.report.about import About


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of the file that ``--about`` takes."""
    schema = as_written(About.model_json_schema(mode="validation", by_alias=True))
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "iowatt Emerald report"}
    return {**head, **{name: value for name, value in schema.items() if name not in head}}


def schema_text() -> str:
    """The schema as the file that is checked in."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
