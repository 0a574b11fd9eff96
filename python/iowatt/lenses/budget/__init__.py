"""Where the response time goes, hop by hop, and which hop breaks a service level."""

from __future__ import annotations

from iowatt.lenses.budget.analyse import SCHEMA, analyse
from iowatt.lenses.budget.level import Level
from iowatt.lenses.budget.observed import has_hops

__all__ = ["SCHEMA", "Level", "analyse", "has_hops"]
