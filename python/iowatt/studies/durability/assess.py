"""Plans of published cases for the engine of durability, and its answers."""

from __future__ import annotations

import json
import math
from typing import Any, Final

from iowatt.core import durability
from iowatt.studies.durability.published import Calculation, WeibullCase

HOUR_S: Final = 3600.0
YEAR_H: Final = 8760.0


def assess(
    group: dict[str, Any], hours: float, *, method: str = "auto", error: float = 0.02
) -> dict[str, Any]:
    """The engine's results for one group over so many hours."""
    plan = {
        "horizon_s": hours * HOUR_S,
        "seed": 1,
        "method": method,
        "relative_error": error,
        "groups": [group],
    }
    results: dict[str, Any] = json.loads(durability(json.dumps(plan)))
    return results


def group(case: Calculation, *, rebuild_law: str = "exponential", **more: Any) -> dict[str, Any]:
    """A published case; what it calls repaired or replaced is one rebuild, of all lost members at once."""
    return {
        "count": case.groups,
        "members": case.members,
        "code": {"code": "any", "losses": case.losses},
        "user_bytes": 1e12 * (case.members - case.losses),
        "drive_bytes": 1e12,
        "life": {"law": "exponential", "per_s": case.rate_a_year / YEAR_H / HOUR_S},
        "repair": {"rebuild_s": [case.repair_h * HOUR_S], "rebuild_law": rebuild_law, "at_once": True},
        **more,
    }


def weibull(case: WeibullCase, *, latent: bool, scrubbed: bool) -> dict[str, Any]:
    """A group of Elerath and Pecht; a defect stays half an interval between scrubs on average."""
    errors = {"latent_per_s": 1 / case.latent_h / HOUR_S if latent else 0.0}
    if scrubbed:
        errors["scrub_s"] = 2 * case.scrub_h * HOUR_S
    return {
        "members": case.members,
        "code": {"code": "any", "losses": 1},
        "user_bytes": 1e12 * (case.members - 1),
        "drive_bytes": 1e12,
        "life": {"law": "weibull", "shape": case.shape, "scale_s": case.scale_h * HOUR_S},
        "repair": {"rebuild_s": [case.repair_h * HOUR_S], "rebuild_law": "fixed", "at_once": True},
        "errors": errors,
    }


def by_formula(case: Calculation) -> float:
    """What the publication's own formula gives: hours, or the probability of no loss in a year.

    ``mttdl``: MTTF**2 / (drives x (drives of a group - 1) x MTTR). ``windows``: the year as windows of a
    repair's length, of which none may hold more failures than the code survives; those in one are binomial.
    """
    n, least = case.members, case.losses + 1
    if case.formula == "mttdl":
        return (YEAR_H / case.rate_a_year) ** 2 / (case.groups * n * (n - 1) * case.repair_h)
    windows = YEAR_H / case.repair_h
    p = -math.expm1(-case.rate_a_year / windows)
    lost = sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(least, n + 1))
    return math.exp(windows * math.log1p(-lost))
