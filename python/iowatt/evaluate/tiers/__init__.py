"""Tiers derived from the heat of one pool: technologies, drives and a scenario that is simulated.

``one_pool`` has the request, the pool's scenario and its load by extent; ``candidate`` reads technologies,
and ``benchmark`` tries a drive of each; ``choose`` applies the rule and ``predict`` estimates the result;
``build`` writes the scenario; ``derive`` conducts. docs/models/tiers.md explains the method."""

from __future__ import annotations

from iowatt.evaluate.tiers.derive import RESULT, derive, reserve
from iowatt.evaluate.tiers.one_pool import TierRequest
from iowatt.evaluate.tiers.result import DerivedTiers

__all__ = ["RESULT", "DerivedTiers", "TierRequest", "derive", "reserve"]
