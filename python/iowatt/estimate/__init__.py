"""The analytic estimator: what a scenario does, in milliseconds of computing. Estimated, not simulated."""

from iowatt.estimate.estimate import Estimate, Station
from iowatt.estimate.estimator import Estimator
from iowatt.estimate.unknown import NotEstimated

__all__ = ["Estimate", "Estimator", "NotEstimated", "Station"]
