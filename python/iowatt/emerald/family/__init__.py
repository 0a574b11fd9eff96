"""Product families: the file, the configurations that it allows, and each as a scenario.

``file`` and ``hardware`` are its keys, ``read`` checks them, ``candidate`` lists configurations, ``metric``
the metrics, ``scenario`` writes a configuration under the load of a metric.
"""

from iowatt.emerald.family.candidate import Candidate, Group, candidates, named_candidate, problem, shelves
from iowatt.emerald.family.family import Family
from iowatt.emerald.family.metric import EmeraldMetric, all_metrics, find_metric, limit_s
from iowatt.emerald.family.qualified import QualifiedRange, Standing, covers, qualified_range
from iowatt.emerald.family.read import load, read
from iowatt.emerald.family.scenario import scenario_text, warmup_requests
from iowatt.emerald.family.variables import ComFeature, Offered, RasFeature

__all__ = [
    "Candidate",
    "ComFeature",
    "EmeraldMetric",
    "Family",
    "Group",
    "Offered",
    "QualifiedRange",
    "RasFeature",
    "Standing",
    "all_metrics",
    "candidates",
    "covers",
    "find_metric",
    "limit_s",
    "load",
    "named_candidate",
    "problem",
    "qualified_range",
    "read",
    "scenario_text",
    "shelves",
    "warmup_requests",
]
