"""Deriving tiers: from the heat of one pool to technologies, drives and a scenario that is simulated.

``load`` is what the back end is asked for, by extent; ``candidate`` a technology that may serve it, ``pilot``
what one of its drives does, ``raid_work`` what a RAID level makes of a request; ``choose`` applies the rule,
``predict`` says what to expect; ``build`` writes the scenario and ``derive`` conducts. The method is that of
docs/models/tiers.md.
"""

from __future__ import annotations

from iowatt.evaluate.tiers.derive import derive
from iowatt.evaluate.tiers.one_pool import TierRequest
from iowatt.evaluate.tiers.result import DerivedTiers

__all__ = ["DerivedTiers", "TierRequest", "derive"]
