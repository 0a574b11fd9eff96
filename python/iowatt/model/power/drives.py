"""Watts of a pool's drives as the array's power needs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Drives:
    """The drives of a pool; watts of one, None where not known.

    ``operating_w`` is that of random reads, which is how drive manuals define operating, else of positioning,
    else of transfers; of an SSD the highest that is known. ``spin_up_w`` is the highest draw of a start.
    ``sources`` say where these come from.
    """

    pool: str
    model: str
    count: int
    raw_bytes: int
    form_factor: str | None
    idle_w: float | None
    operating_w: float | None
    standby_w: float | None
    spin_up_w: float | None
    spin_up_s: float | None
    sources: tuple[str, ...] = ()

    @classmethod
    def of(cls, plan: Mapping[str, Any]) -> Drives:
        """From its part of a plan file."""
        return cls(**{**plan, "sources": tuple(plan["sources"])})

    def as_dict(self) -> dict[str, Any]:
        """Its part of a plan file."""
        return {**asdict(self), "sources": list(self.sources)}
