"""The plan of a measurement: its stages in order, how long, at which rate, with which instruments.

``model`` is the document that later verbs follow, ``build`` makes it from a request and the rules, ``load``
expresses its workloads for fio and vdbench. ``calendar`` and ``checklist`` go with it; ``make`` and
``folder`` write it all.
"""

from iowatt.emerald.plan.build import PlanRequest, limit_ms, outstanding_at
from iowatt.emerald.plan.folder import check_target, plan_file, read
from iowatt.emerald.plan.instruments import without_secrets
from iowatt.emerald.plan.make import make_plan, rewrite
from iowatt.emerald.plan.model import (
    Plan,
    PlanDeviation,
    PlannedHost,
    PlannedInstrument,
    PlannedRules,
    PlannedScript,
    PlanStage,
)
from iowatt.emerald.plan.page import document
from iowatt.emerald.plan.result import Planned

__all__ = [
    "Plan",
    "PlanDeviation",
    "PlanRequest",
    "PlanStage",
    "Planned",
    "PlannedHost",
    "PlannedInstrument",
    "PlannedRules",
    "PlannedScript",
    "check_target",
    "document",
    "limit_ms",
    "make_plan",
    "outstanding_at",
    "plan_file",
    "read",
    "rewrite",
    "without_secrets",
]  # fmt: skip
