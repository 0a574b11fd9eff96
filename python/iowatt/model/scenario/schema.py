"""The JSON Schema of a scenario: completion and checking in editors."""

from __future__ import annotations

import json
from typing import Any

from iowatt.model.scenario.model import Scenario


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a scenario file."""
    schema = as_written(Scenario.model_json_schema(mode="validation"))
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "iowatt scenario",
    }
    return {**head, **{name: value for name, value in schema.items() if name not in head}}


def schema_text() -> str:
    """The schema as the file that is checked in."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def as_written(schema: Any) -> Any:
    """``schema`` with defaults as TOML has them: with units, and none where leaving out is the default."""
    if isinstance(schema, list):
        return [as_written(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    written = {name: as_written(value) for name, value in schema.items()}
    default = written.get("default")
    if "default" in written and (default is None or isinstance(default, dict)):
        del written["default"]
    elif isinstance(default, float) and written.get("type") == "string":
        written["default"] = f"{default:g}{written.get('x-unit', '')}"
    return written
