"""Product families: the file, the configurations that can be built of it, and each as a scenario."""

from iowatt.emerald.family.candidate import Candidate, Group, candidates, named, problem, shelves
from iowatt.emerald.family.family import Family
from iowatt.emerald.family.metric import Metric, metric, metrics
from iowatt.emerald.family.read import load, read
from iowatt.emerald.family.scenario import scenario

__all__ = [
    "Candidate",
    "Family",
    "Group",
    "Metric",
    "candidates",
    "load",
    "metric",
    "metrics",
    "named",
    "problem",
    "read",
    "scenario",
    "shelves",
]
