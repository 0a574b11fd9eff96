"""Findings, of which a judgement consists: a code, a weight and a sentence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

#: ``invalid``: the figure is no measurement. ``non-compliant``: it is one, but no Emerald result.
#: ``warning``: neither, but a reader must know.
Weight = Literal["invalid", "non-compliant", "warning"]


@dataclass(frozen=True)
class Finding:
    """One thing that stands against a stage or a measurement."""

    #: Stable name for programs: ``clock-apart``, ``response-mean`` ...
    code: str
    weight: Weight
    #: A sentence with the figures and what would be accepted.
    text: str
    #: Figures of the sentence for programs; NaN and infinity, which JSON does not have, become None.
    values: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the values fit for JSON."""
        object.__setattr__(self, "values", _plain(self.values))

    @property
    def decides(self) -> bool:
        """Whether the figure is refused for it."""
        return self.weight == "invalid"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def status(findings: Iterable[Finding]) -> Literal["valid", "invalid"]:
    """``invalid`` where any finding is."""
    return "invalid" if any(finding.weight == "invalid" for finding in findings) else "valid"
