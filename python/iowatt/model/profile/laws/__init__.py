"""The laws of a profile: when requests arrive, and where in its range a stream's requests go."""

from iowatt.model.profile.laws.access import (
    Access,
    Density,
    HierarchicalReuse,
    HotBand,
    ReuseDistance,
    Sequential,
    Skew,
    Uniform,
    Zipf,
)
from iowatt.model.profile.laws.arrivals import (
    Arrivals,
    Batch,
    Cascade,
    Closed,
    Constant,
    HyperExponential,
    OnOff,
    OwnArrivals,
    Poisson,
    Rated,
    Recorded,
)

__all__ = [
    "Access",
    "Arrivals",
    "Batch",
    "Cascade",
    "Closed",
    "Constant",
    "Density",
    "HierarchicalReuse",
    "HotBand",
    "HyperExponential",
    "OnOff",
    "OwnArrivals",
    "Poisson",
    "Rated",
    "Recorded",
    "ReuseDistance",
    "Sequential",
    "Skew",
    "Uniform",
    "Zipf",
]
