"""All sweeps of the study: the family, and the experiments on the causes of differences."""

from __future__ import annotations

from iowatt.studies.emerald2012 import experiments, systems
from iowatt.studies.emerald2012.systems import Scale
from iowatt.studies.stage import Stage


def stages(scale: Scale) -> list[Stage]:
    """The sweeps at ``scale``."""
    return [*systems.stages(scale), *(experiments.stages(scale) if scale.experiments else [])]
