"""What a COM test found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from iowatt.base.units import format_bytes

COM_SCHEMA: Final = "iowatt.emerald-com/1"


def shown(count: int) -> str:
    """Bytes for people, in powers of 1024 as the sets have them."""
    text = format_bytes(abs(count), binary=True)
    return f"-{text}" if count < 0 else text


Verdict = Literal["yes", "no", "not tested"]


@dataclass(frozen=True)
class Step:
    """One action, and the space that was free after it."""

    what: str
    free_bytes: int
    #: Seconds until the free space no longer changed.
    settled_s: float = 0.0


@dataclass(frozen=True)
class Result:
    """One test. A yes or no that rests on an assumed threshold says so (``unverified``)."""

    com: str
    verdict: Verdict
    why: str
    steps: Sequence[Step] = ()
    #: The figure that was compared, percent, and its limit.
    percent: float | None = None
    limit_percent: float | None = None
    #: Rules without a verified value that the verdict rests on.
    unverified: Sequence[str] = ()

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "com": self.com,
            "verdict": self.verdict,
            "why": self.why,
            "percent": self.percent,
            "limit_percent": self.limit_percent,
            "unverified": list(self.unverified),
            "steps": [
                {"what": s.what, "free_bytes": s.free_bytes, "settled_s": round(s.settled_s, 3)}
                for s in self.steps
            ],
        }
