"""The plan of a measurement: its stages in order, how long, at which rate, with which instruments."""

from iowatt.emerald.plan.build import PlanRequest, limit_ms
from iowatt.emerald.plan.folder import read
from iowatt.emerald.plan.make import make_plan, rewrite
from iowatt.emerald.plan.model import Instrument, Plan, PlanDeviation, Stage
from iowatt.emerald.plan.page import document
from iowatt.emerald.plan.result import Planned

__all__ = [
    "Instrument",
    "Plan",
    "PlanDeviation",
    "PlanRequest",
    "Planned",
    "Stage",
    "document",
    "limit_ms",
    "make_plan",
    "read",
    "rewrite",
]
