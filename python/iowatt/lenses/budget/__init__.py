"""Where the response time goes, hop by hop, and which hop breaks a service level."""

from __future__ import annotations

from iowatt.lenses.budget.analyse import analyse
from iowatt.lenses.budget.class_at_load import has_hops
from iowatt.lenses.budget.level import Level
from iowatt.lenses.budget.result import Budget

__all__ = ["Budget", "Level", "analyse", "has_hops"]
