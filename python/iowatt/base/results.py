"""Results as typed models: what a lens or a search returns, a page shows, and a file holds.

Every whole document is a :class:`ResultDocument` and says by ``schema`` which one it is; ``iowatt schema``
prints the JSON Schema of each. Attributes and JSON keys have the same names.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Result(BaseModel):
    """A part of a result: its fields are known, and it is not changed once made."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)

    def as_dict(self) -> dict[str, Any]:
        """Plain data as JSON has it."""
        return self.model_dump(mode="json", by_alias=True)


class ResultDocument(Result):
    """A whole result; a subclass narrows ``schema_id`` to its own name: ``iowatt.budget/1``."""

    schema_id: str = Field(alias="schema")

    def json_text(self) -> str:
        """The document as its file holds it."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


class Note(Result):
    """A sentence that limits or explains the figures.

    ``code`` is stable and for programs; ``decides`` says that the note can change a decision.
    """

    code: str
    text: str
    decides: bool = False

    def about(self, name: str) -> Note:
        """The same note with the name of what it is about in front."""
        return self.model_copy(update={"text": f"{name}: {self.text}"})


def is_none(value: object) -> bool:
    """For ``Field(exclude_if=is_none)``: a key that a document has only where it has a value."""
    return value is None
