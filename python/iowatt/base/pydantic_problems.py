"""pydantic's findings in the words of the document: TOML's paths, what would be accepted, the nearest key."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from iowatt.base import keys
from iowatt.base.errors import BadValueError
from iowatt.base.keys import Key
from iowatt.base.problems import KeyPath, Problem, nearest, suggestion
from iowatt.base.strict import NAME_PATTERN


@dataclass(frozen=True)
class _Finding:
    """One finding, with what the catalogue knows of the key."""

    kind: str
    path: KeyPath
    value: Any
    #: The value as it was written, where that is a number or a text: before units were resolved.
    given: Any
    context: dict[str, Any]
    table: dict[str, Any]
    catalogue: Mapping[str, Key]

    @property
    def known(self) -> Key | None:
        found = self.catalogue.get(catalogue_path(self.path))
        return None if found is None else found.within(self.table)

    @property
    def accepts(self) -> str:
        return self.known.accepts if self.known else ""


def problems(error: ValidationError, raw: dict[str, Any], model: type[BaseModel]) -> list[Problem]:
    """One problem for each finding about ``raw``, a document of type ``model``."""
    found: list[Problem] = []
    for details in error.errors(include_url=False):
        problem = _problem(details, raw, model)
        if problem not in found:
            found.append(problem)
    # A misspelt key is one mistake, not an unknown one and a missing one.
    meant = {(*p.path[:-1], p.hint) for p in found if p.hint and p.code == "unknown-key"}
    return [
        p
        for p in found
        if p.code != "missing" or (*p.path[:-1], f"did you mean {p.path[-1]!r}?") not in meant
    ]


def catalogue_path(path: KeyPath) -> str:
    """A key path without indices, as the catalogue has it."""
    return ".".join(step for step in path if isinstance(step, str))


def _problem(details: ErrorDetails, raw: dict[str, Any], model: type[BaseModel]) -> Problem:
    path, table, given = _toml_path(details, raw)
    finding = _Finding(
        kind=details["type"],
        path=path,
        value=details["input"],
        given=given if isinstance(given, int | float | str) else details["input"],
        context=details.get("ctx", {}),
        table=table,
        catalogue=keys.catalogue(model),
    )
    return _TRANSLATIONS.get(finding.kind, _other)(finding)


def _toml_path(details: ErrorDetails, raw: Any) -> tuple[KeyPath, dict[str, Any], Any]:
    """pydantic's location without the tags of unions, the table that holds its last key, and its value."""
    path: KeyPath = ()
    here, table = raw, raw
    location = details["loc"]
    for position, step in enumerate(location):
        last = position == len(location) - 1
        if isinstance(here, dict) and step in here:
            table, here, path = here, here[step], (*path, step)
        elif isinstance(here, list) and isinstance(step, int) and step < len(here):
            here, path = here[step], (*path, step)
        elif last and details["type"] == "missing":
            path = (*path, step)
            table = here if isinstance(here, dict) else table
    return path, table, here


def _unknown_key(finding: _Finding) -> Problem:
    path, catalogue = finding.path, finding.catalogue
    unknown = str(path[-1])
    message = f"unknown key {unknown!r}"
    parent = catalogue_path(path[:-1])
    prefix = f"{parent}." if parent else ""
    belongs = catalogue.get(f"{prefix}{unknown}")
    if belongs is not None:  # a key of another table of the same union
        return Problem("not-applicable", path, f"the key {unknown!r} goes only with {belongs.only_with}")

    below = [known.removeprefix(prefix) for known in catalogue if known.startswith(prefix)]
    siblings = [key for key in below if "." not in key]
    near = nearest(unknown, siblings)
    if near is not None and near not in finding.table:
        return Problem("unknown-key", path, message, f"did you mean {near!r}?")
    elsewhere = [known for known in catalogue if known.rpartition(".")[2] == unknown]
    if elsewhere:
        return Problem("unknown-key", path, message, f"did you mean {' or '.join(elsewhere)}?")
    return Problem("unknown-key", path, message, suggestion(unknown, siblings, "keys here"))


def _missing(finding: _Finding) -> Problem:
    name, known = finding.path[-1], finding.known
    if known is None:
        return Problem("missing", finding.path, f"the required key {name!r} is missing")
    example = None if known.example is None else f"for example {name} = {keys.toml_text(known.example)}"
    return Problem("missing", finding.path, f"the required key {name!r} is missing: {known.accepts}", example)


def _tag(finding: _Finding) -> Problem:
    """The key that chooses between tables of a union is missing or has no such choice."""
    tag = str(finding.context["discriminator"]).strip("'")
    path = (*finding.path, tag)
    known = finding.catalogue.get(catalogue_path(path))
    accepts = known.accepts if known else str(finding.context.get("expected_tags", ""))
    if finding.kind == "union_tag_not_found":
        return Problem("missing", path, f"the required key {tag!r} is missing: {accepts}")
    return _not_among(path, str(finding.context["tag"]), accepts)


def _choice(finding: _Finding) -> Problem:
    return _not_among(finding.path, finding.value, finding.accepts or str(finding.context["expected"]))


def _not_among(path: KeyPath, value: Any, accepts: str) -> Problem:
    near = nearest(str(value), [choice.strip('" ') for choice in accepts.split(",")])
    message = f"{keys.toml_text(value)} is not accepted; expected {accepts}"
    return Problem("not-accepted", path, message, near and f"did you mean {near!r}?")


def _own_words(finding: _Finding) -> Problem:
    error = finding.context["error"]
    if isinstance(error, BadValueError):
        return Problem(error.code, finding.path, error.message, error.hint)
    return Problem("not-accepted", finding.path, str(error))


def _pattern(finding: _Finding) -> Problem:
    pattern = finding.context["pattern"]
    if pattern == NAME_PATTERN:
        message = (
            f"{keys.toml_text(finding.value)} is not a name; expected letters, digits, - and _, with a letter"
        )
        made = re.sub(r"[^A-Za-z0-9_]+", "-", str(finding.value)).strip("-")
        hint = f"such as {made!r}" if re.match(pattern, made) else None
        return Problem("bad-syntax", finding.path, message, hint)
    return Problem(
        "bad-syntax",
        finding.path,
        f"{keys.toml_text(finding.value)} is not accepted; it must match {pattern}",
    )


_COMPARISONS: Final = {
    "greater_than": ("gt", "must be greater than"),
    "greater_than_equal": ("ge", "must be at least"),
    "less_than_equal": ("le", "must be at most"),
    "less_than": ("lt", "must be less than"),
}


def _limit(finding: _Finding) -> Problem:
    name, words = _COMPARISONS[finding.kind]
    unit = finding.known.unit if finding.known else None
    if unit != "bytes" and not isinstance(finding.given, str):
        unit = None  # given without one, too
    limit = _with_unit(finding.context[name], unit)
    return Problem("out-of-range", finding.path, f"{words} {limit}, not {keys.toml_text(finding.given)}")


def _with_unit(limit: float, unit: str | None) -> str:
    """A limit in the unit of its key; of bytes, in the largest binary unit that it is a whole number of."""
    if unit != "bytes" or not limit:
        return keys.number_text(limit) + (f" {unit}" if unit and limit else "")
    prefix = next((p for p in reversed(range(1, 6)) if limit % 1024**p == 0), 0)
    return f"{keys.number_text(limit / 1024**prefix)} {('bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB')[prefix]}"


def _not_finite(finding: _Finding) -> Problem:
    return Problem("out-of-range", finding.path, f"must be a finite number, not {finding.value}")


def _length(finding: _Finding) -> Problem:
    """Too few or too many elements, or characters."""
    least, most = finding.context.get("min_length"), finding.context.get("max_length")
    expected = f"; expected {finding.accepts}" if finding.accepts else ""
    if not finding.value:
        return Problem("missing", finding.path, f"must not be empty{expected}")
    what = "characters" if isinstance(finding.value, str) else "elements"
    limit = f"at most {most}" if least is None else f"at least {least}"
    message = f"must have {limit} {what}, not {len(finding.value)}{expected}"
    return Problem("out-of-range", finding.path, message)


def _other(finding: _Finding) -> Problem:
    code = "wrong-type" if finding.kind.endswith("_type") else "not-accepted"
    expected = f"; expected {finding.accepts}" if finding.accepts else ""
    return Problem(code, finding.path, f"{keys.toml_text(finding.value)} is not accepted{expected}")


_TRANSLATIONS: Final[dict[str, Callable[[_Finding], Problem]]] = {
    "extra_forbidden": _unknown_key,
    "missing": _missing,
    "union_tag_not_found": _tag,
    "union_tag_invalid": _tag,
    "literal_error": _choice,
    "value_error": _own_words,
    "string_pattern_mismatch": _pattern,
    **dict.fromkeys(_COMPARISONS, _limit),
    "finite_number": _not_finite,
    **dict.fromkeys(("too_short", "too_long", "string_too_short", "string_too_long"), _length),
}
