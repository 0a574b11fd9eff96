"""What is wrong with a form, at the fields it belongs to."""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic import Field

from iowatt.base.errors import InputError
from iowatt.base.problems import DocumentError
from iowatt.base.results import Result

_AT: Final = re.compile(r"^[^:]*:(?P<line>[0-9]+)(?:: (?P<key>.+))?$", re.DOTALL)


class FormProblem(Result):
    """One fault. ``place`` is a key path with indices, ``workload.0.p95``; None where it is of the whole."""

    code: str
    place: str | None
    #: Line of the TOML, from 1.
    line: int | None
    message: str
    hint: str | None


class MadeDocument(Result):
    """A document by a form, or a form by a document."""

    toml: str
    #: The keys; None where the text is no TOML.
    fields: dict[str, Any] | None
    errors: list[FormProblem] = Field(default_factory=list)


def problems_of(error: InputError, tree: Any = None) -> list[FormProblem]:
    """The problems of an error about the document of ``tree``."""
    if isinstance(error, DocumentError):
        return [
            FormProblem(
                code=one.code,
                place=".".join(map(str, one.path)) or None,
                line=_where(one.place)[0],
                message=one.message,
                hint=one.hint,
            )
            for one in error.problems
        ]
    line, text = _where(error.place)
    place = None if text is None else _indexed(text, tree)
    return [FormProblem(code=error.code, place=place, line=line, message=error.message, hint=error.hint)]


def _where(place: str | None) -> tuple[int | None, str | None]:
    """Line and key path of a place: ``question:12: energy.region``, or a key path alone."""
    if place is None:
        return None, None
    found = _AT.match(place)
    if found is None:
        return None, place if re.fullmatch(r"[\w.-]+", place) else None
    return int(found["line"]), found["key"]


def _indexed(text: str, tree: Any) -> str:
    """A key path that names list elements (``workload.oltp.p95``) with their indices (``workload.0.p95``)."""
    steps, here = [], tree
    for step in text.split("."):
        if isinstance(here, list):
            names = [one.get("name") if isinstance(one, dict) else None for one in here]
            index = names.index(step) if step in names else int(step) if step.isdecimal() else len(here)
            here = here[index] if index < len(here) else None
            steps.append(str(index))
        else:
            here = here.get(step) if isinstance(here, dict) else None
            steps.append(step)
    return ".".join(steps)
