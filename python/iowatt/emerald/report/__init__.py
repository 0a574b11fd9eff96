"""The test data report of a measurement, and an export with the fields of ENERGY STAR V1.0 or V2.x.

``inputs`` reads everything, ``about`` the user's statements; ``product``, ``system``, ``recorded`` and
``findings`` are the pages, ``compose`` puts them together, ``write`` writes them.
"""

from iowatt.emerald.report.compose import Report, compose, read_several, side_by_side
from iowatt.emerald.report.energystar import ExportRow
from iowatt.emerald.report.energystar_v2 import export
from iowatt.emerald.report.inputs import gather
from iowatt.emerald.report.write import check_targets, is_export, write_export, write_report

__all__ = [
    "ExportRow",
    "Report",
    "check_targets",
    "compose",
    "export",
    "gather",
    "is_export",
    "read_several",
    "side_by_side",
    "write_export",
    "write_report",
]
