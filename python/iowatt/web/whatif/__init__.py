"""What-if: a design of the workspace or of the examples with some keys changed.

``design`` finds the scenario of a Run and applies changes, ``knobs`` are the keys worth turning, ``drives``
what may be put into them, ``estimate`` answers at once, ``priced`` has the figures of the Run that replaces
the estimate, ``runs`` deletes such Runs.
"""

from iowatt.web.whatif.design import Change, WhatIfDesign, design_of, examples
from iowatt.web.whatif.drives import DriveMenu, drive_menu
from iowatt.web.whatif.estimate import EstimateAnswer, WhatIfFigures, estimate_design, priced, warm_up
from iowatt.web.whatif.knobs import Knob, knobs_of
from iowatt.web.whatif.runs import delete_runs

__all__ = [
    "Change",
    "DriveMenu",
    "EstimateAnswer",
    "Knob",
    "WhatIfDesign",
    "WhatIfFigures",
    "delete_runs",
    "design_of",
    "drive_menu",
    "estimate_design",
    "examples",
    "knobs_of",
    "priced", "warm_up",
]  # fmt: skip
