"""Where the response time goes, hop by hop, and which hop breaks a service level."""

from __future__ import annotations

from iowatt.lenses.budget.analysis import analyse
from iowatt.lenses.budget.class_at_load import has_hops
from iowatt.lenses.budget.result import MEAN, Budget, ServiceLevel

__all__ = ["MEAN", "Budget", "ServiceLevel", "analyse", "has_hops"]
