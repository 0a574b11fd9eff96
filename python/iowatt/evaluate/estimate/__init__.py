"""The analytic estimator: what a scenario does, in milliseconds of computing. Estimated, not simulated."""

from iowatt.evaluate.estimate.estimator import Estimate, EstimatedStation, Estimator
from iowatt.evaluate.estimate.operations import RaidWork, raid_work
from iowatt.evaluate.estimate.unknown import NotEstimated

__all__ = ["Estimate", "EstimatedStation", "Estimator", "NotEstimated", "RaidWork", "raid_work"]
