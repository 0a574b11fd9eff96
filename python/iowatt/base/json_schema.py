"""JSON Schemas as TOML documents are written: defaults with units."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel


def file_schema(model: type[BaseModel], title: str) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of an input file, for completion and checking in editors."""
    schema = as_written(model.model_json_schema(mode="validation", by_alias=True))
    return {**schema, "$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}


def text_of(schema: dict[str, Any]) -> str:
    """A schema as the file that is checked in."""
    head = {name: schema[name] for name in ("$schema", "title") if name in schema}
    return json.dumps({**head, **schema}, indent=2, ensure_ascii=False) + "\n"


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
