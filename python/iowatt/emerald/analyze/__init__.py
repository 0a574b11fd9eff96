"""Analysis of a measurement: its stages as Runs, judged by rules phase by phase and as a whole.

``read`` and ``stages`` make Runs of what was recorded, ``phase`` judges a phase by the ``checks``, ``across``
the measurement, ``analysis`` puts them together; ``figures`` and ``page`` show the result.
"""

from iowatt.emerald.analyze.analysis import judge
from iowatt.emerald.analyze.figures import instruments_figure, part_figures, published, stability_figure
from iowatt.emerald.analyze.page import check_target, document, write
from iowatt.emerald.analyze.read import files, measurement
from iowatt.emerald.analyze.result import Analysis
from iowatt.emerald.analyze.stages import MeasuredStages, StageRun
from iowatt.emerald.analyze.supplies import modelled_supplies, supplies_figure

__all__ = [
    "Analysis", "MeasuredStages", "StageRun", "check_target", "document", "files", "instruments_figure",
    "judge", "measurement", "modelled_supplies", "part_figures", "published", "stability_figure",
    "supplies_figure", "write",
]  # fmt: skip
