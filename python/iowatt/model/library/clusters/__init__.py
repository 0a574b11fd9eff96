"""Presets of clusters: how Ceph, HDFS and MinIO do it, each figure with its source.

``figures`` has the keys that a preset gives and a scenario may change, ``presets`` reads the files.
"""

from iowatt.model.library.clusters.figures import (
    Copies,
    ErasureCode,
    NetworkFigures,
    PlacementFigures,
    RecoveryFigures,
    Redundancy,
    SoftwareFigures,
)
from iowatt.model.library.clusters.presets import PresetFile, names, preset

__all__ = [
    "Copies", "ErasureCode", "NetworkFigures", "PlacementFigures", "PresetFile", "RecoveryFigures",
    "Redundancy", "SoftwareFigures", "names", "preset",
]  # fmt: skip
