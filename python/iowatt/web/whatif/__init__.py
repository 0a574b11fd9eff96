"""What-if: a design of the workspace or of the examples with some keys changed.

``design`` finds the scenario of a Run and applies changes, ``knobs`` are the keys worth turning, ``estimate``
answers at once, ``priced`` has the figures of the Run that replaces the estimate.
"""

from iowatt.web.whatif.design import Change, Design, design_of, examples
from iowatt.web.whatif.estimate import EstimateAnswer, WhatIfFigures, estimate, priced
from iowatt.web.whatif.knobs import Knob, knobs_of

__all__ = [
    "Change", "Design", "EstimateAnswer", "Knob", "WhatIfFigures", "design_of", "estimate", "examples",
    "knobs_of", "priced",
]  # fmt: skip
