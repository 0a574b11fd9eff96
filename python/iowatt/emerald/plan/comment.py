"""What a generated file says about itself, in comments that cannot become anything else."""

from __future__ import annotations

from typing import Final

from iowatt.emerald.plan.model import Plan

# fio reads what is behind 8 KiB of a line as a line of its own.
_LONGEST: Final = 1000


def comments(mark: str, plan: Plan, *lines: str) -> list[str]:
    """Comment lines of a file: the first of ``lines``, every deviation of the plan, the others."""
    first, *rest = lines
    said = [first, *(f"NON-COMPLIANT: {deviation.text}" for deviation in plan.deviations), *rest]
    return [f"{mark} {one_line(text)}" for text in said]


def one_line(text: str) -> str:
    """``text`` without control characters (a line break would begin an option), and not too long."""
    clean = "".join(c if c.isprintable() else " " for c in text)
    return clean if len(clean) <= _LONGEST else clean[: _LONGEST - 3] + "..."
