"""Tiers derived from the heat of one pool: technologies, drives and a scenario that is simulated.

``one_pool`` has the request, the pool's scenario and its load by extent; ``candidate`` reads technologies,
and ``benchmark`` tries a drive of each; ``choose`` applies the rule and ``predict`` estimates the result;
``scenario`` writes the result as a scenario; ``conduct`` does all of it. docs/models/tiers.md explains the
method.
"""

from __future__ import annotations

from iowatt.evaluate.tiers.conduct import RESULT, derive, reserve
from iowatt.evaluate.tiers.one_pool import Objective, TierRequest
from iowatt.evaluate.tiers.result import DerivedTiers

__all__ = ["RESULT", "DerivedTiers", "Objective", "TierRequest", "derive", "reserve"]
