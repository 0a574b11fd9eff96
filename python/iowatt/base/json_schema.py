"""JSON Schemas (draft 2020-12) of input files, as TOML documents are written, and of results."""

from __future__ import annotations

import json
from typing import Any, Final, Literal

from pydantic import TypeAdapter

_DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"


def input_text(model: Any, title: str) -> str:
    """The schema of an input file that ``model`` reads: a pydantic model or a union of models."""
    return _text(as_written(TypeAdapter(model).json_schema(mode="validation", by_alias=True)), title)


def result_text(model: Any, title: str, *, sparse: bool = False) -> str:
    """The schema of the JSON that a result of ``model`` becomes; ``sparse`` where it leaves out keys."""
    mode: Literal["validation", "serialization"] = "validation" if sparse else "serialization"
    return _text(TypeAdapter(model).json_schema(mode=mode, by_alias=True), title)


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


def _text(schema: dict[str, Any], title: str) -> str:
    head = {"$schema": _DRAFT, "title": title}
    whole = head | {name: value for name, value in schema.items() if name not in head}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
