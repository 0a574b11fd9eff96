"""The analytic estimator: what a scenario does, in milliseconds of computing. Estimated, not simulated."""

from iowatt.evaluate.estimate.estimator import Estimate, Estimator, Station
from iowatt.evaluate.estimate.operations import RaidWork, raid_work
from iowatt.evaluate.estimate.unknown import NotEstimated

__all__ = ["Estimate", "Estimator", "NotEstimated", "RaidWork", "Station", "raid_work"]
