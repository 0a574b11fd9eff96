"""What must stand on every page of a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from iowatt.emerald.analyze.result import Analysis

#: What a report of ours is, and is not.
OURS = (
    "Test data report made by iowatt. It is not SNIA's template, and nothing in it was submitted to "
    "or accepted by "
    "SNIA or ENERGY STAR."
)


@dataclass(frozen=True)
class Mark:
    """The line on every page."""

    #: "MEASURED" or "MODELLED".
    kind: str
    #: Why the figures are no Emerald results; empty where nothing was found against it.
    against: tuple[str, ...]
    judged: str

    @property
    def compliant(self) -> bool:
        """Whether nothing was found against it."""
        return not self.against

    @property
    def line(self) -> str:
        """All of it, short enough for a header."""
        standing = f"NON-COMPLIANT ({'; '.join(self.against)})" if self.against else "no deviation found"
        return f"{self.kind} · {standing} · {self.judged}"


def mark(found: Analysis) -> Mark:
    """The mark of an analysis."""
    kind = {"measured": "MEASURED", "modelled": "MODELLED, not measured"}.get(found.kind, found.kind.upper())
    against = tuple(_against(found)) or (() if found.compliant else ("see Findings",))
    return Mark(kind, against, found.judged)


def driver(found: Analysis) -> str:
    """What made the requests, as it must be called."""
    if found.source == "simulation":
        return "simulation"
    other = any(one.code == "driver-other" for one in found.findings)
    return f"Emerald-like ({found.source})" if other or found.source == "fio" else str(found.source)


def _against(found: Analysis) -> Iterator[str]:
    if found.time_scale < 1:
        yield f"time scale {found.time_scale:g}, a dry run"
    name = driver(found)
    if name.startswith("Emerald-like"):
        yield name
    if found.source == "simulation":
        yield "simulated"
    parts = found.parts
    invalid = [part.phase for part in parts if part.status != "valid"]
    if invalid:
        yield f"{', '.join(invalid)} invalid"
    elif found.status != "valid":
        yield "the measurement is invalid"
    others = sum(
        one.weight == "non-compliant"
        for one in found.findings
        if one.code not in ("time-scaled", "driver-other", "modelled", "plan-deviation")
    ) + sum(one.weight == "non-compliant" for part in parts for one in part.findings)
    if others:
        yield f"{others} further deviation{'' if others == 1 else 's'}, see Findings"
