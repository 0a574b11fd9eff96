"""How an uploaded trace is read: keys of `trace` that its reader gives where the file does not say them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from iowatt.base import pydantic_problems
from iowatt.base.document import key_text
from iowatt.base.errors import InputError
from iowatt.model.recorded_trace import TraceKeys, trace_spec


def reading_spec(path: Path, keys: dict[str, Any]) -> dict[str, Any]:
    """The trace spec of a file that is read by ``keys``, which are those of `trace` in a scenario.

    Raises ``InputError``: a value is not accepted; its place is the key, ``trace.time_unit``.
    """
    raw = {"path": str(path), **keys}
    try:
        found = TraceKeys.model_validate(raw)
    except ValidationError as error:
        first = pydantic_problems.problems(error, raw, TraceKeys)[0]
        place = f"trace.{key_text(first.path, raw)}"
        raise InputError(first.code, place, first.message, hint=first.hint) from None
    spec = trace_spec(found, 0, order_only=False)
    return {name: value for name, value in spec.items() if value is not None}
