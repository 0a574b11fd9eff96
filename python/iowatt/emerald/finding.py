"""Findings, the parts of a judgement: a code, a weight and a sentence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

#: ``invalid``: the figure is not a measurement. ``non-compliant``: it is one, but not an Emerald result.
#: ``warning``: the figure holds, but the reader must know this.
Weight = Literal["invalid", "non-compliant", "warning"]


@dataclass(frozen=True)
class Finding:
    """A problem of a stage or a measurement."""

    code: str  #: Stable name for programs: ``clock-apart``, ``response-mean`` ...
    weight: Weight
    text: str  #: A sentence with the figures and what would be accepted.
    #: Figures of the sentence for programs; NaN and infinity, which JSON does not have, become None.
    values: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the values fit for JSON."""
        object.__setattr__(self, "values", _plain(self.values))

    @property
    def decides(self) -> bool:
        """Whether it refuses the figure."""
        return self.weight == "invalid"


def finding(code: str, weight: Weight, text: str, /, **values: Any) -> Finding:
    """A finding with its figures as keywords."""
    return Finding(code, weight, text, values)


def invalid(code: str, text: str, /, **values: Any) -> Finding:
    """A finding that refuses the figure."""
    return Finding(code, "invalid", text, values)


def non_compliant(code: str, text: str, /, **values: Any) -> Finding:
    """A finding that makes the figure no Emerald result."""
    return Finding(code, "non-compliant", text, values)


def warning(code: str, text: str, /, **values: Any) -> Finding:
    """A finding that leaves the figure valid and compliant."""
    return Finding(code, "warning", text, values)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def status(findings: Iterable[Finding]) -> Literal["valid", "invalid"]:
    """``invalid`` where any finding is."""
    return "invalid" if any(one.decides for one in findings) else "valid"
