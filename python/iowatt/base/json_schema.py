"""JSON Schemas as TOML documents are written: defaults with units."""

from __future__ import annotations

from typing import Any


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
