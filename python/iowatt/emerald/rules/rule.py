"""One rule: a value, its unit, where it comes from, and whether it may be judged by without a word."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, model_validator

from iowatt.base.errors import InputError
from iowatt.base.results import Result
from iowatt.base.strict import Strict, key

Mark = Literal["read", "run", "derived", "recalled", "assumed"]
Confidence = Literal["high", "medium", "low"]

#: Marks whose values may be verified: what is only remembered or chosen by us cannot.
VERIFIABLE: Final = ("read", "run", "derived")


class UnknownRuleError(InputError):
    """A rule is needed whose value is not known."""


def _absent(value: Any) -> bool:
    return value is None


def _many(value: Any) -> Any:
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


class RuleKeys(Strict):
    """A rule as its profile has it."""

    value: Any = key("The value, in its unit.", default=None, unset="unknown says why")
    unknown: str | None = key(
        "What is known where the value is not.", default=None, unset="there is a value", min_length=1
    )
    unit: str = key("The unit, or what kind of value it is.", min_length=1)
    source: Annotated[tuple[str, ...], BeforeValidator(_many)] = key(
        "Keys of sources.toml.", min_length=1, accepts="a text or a list of texts"
    )
    mark: Mark = key(
        "read: it stands in the source; run: found by running the software; derived: concluded from what was "
        "read; recalled: from memory; assumed: our choice."
    )
    confidence: Confidence | None = key("How sure the memory is.", default=None, unset="it is no memory")
    verified: bool = key("Compared with the specification, or a publication of those who wrote it.")
    note: str | None = key("What a reader should know.", default=None, unset="nothing", min_length=1)

    @model_validator(mode="after")
    def _consistent(self) -> RuleKeys:
        if (self.value is None) == (self.unknown is None):
            raise ValueError("a rule has either a value or unknown")
        if self.verified and self.mark not in VERIFIABLE:
            raise ValueError(f"a rule with the mark {self.mark!r} cannot be verified")
        if (self.mark == "recalled") != (self.confidence is not None):
            raise ValueError('a confidence belongs to the mark "recalled", and to no other')
        return self


class Rule(Result):
    """A rule in force, with where it was stated."""

    #: Its path, such as ``response.mean_ms.random``.
    key: str
    #: None where ``unknown`` says what is known.
    value: Any = Field(default=None, exclude_if=_absent)
    unknown: str | None = Field(default=None, exclude_if=_absent)
    unit: str
    mark: Mark
    #: Compared with the specification, or with a publication of its authors.
    verified: bool
    confidence: Confidence | None = Field(default=None, exclude_if=_absent)
    note: str | None = Field(default=None, exclude_if=_absent)
    #: Titles, not keys of sources.toml.
    sources: tuple[str, ...]
    #: Name of the profile that states it.
    profile: str
