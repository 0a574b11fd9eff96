"""How likely the values of a figure are: triangular over its range, the figure itself the likeliest.

A book says the least and the most that is likely and the value that it goes by, and no more; of all laws
that say no more the triangular one is the usual choice in risk analysis (Johnson 1997, "The triangular
distribution as a proxy for the beta distribution"). A range of more than a factor of ten is taken on a
logarithmic scale, or its upper end would outweigh the rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from iowatt.lenses.cost.book.figure import Figure
from iowatt.lenses.cost.book.keys import known
from iowatt.lenses.cost.result import DrawnFigure

Floats = NDArray[np.float64]

#: The factor between the ends of a range above which it is taken on a logarithmic scale.
WIDE = 10.0


@dataclass(frozen=True)
class Law:
    """The distribution of one figure, over ``low`` to ``high`` and densest at ``mode``, in the key's unit."""

    key: str
    kind: Literal["triangular", "log-triangular"]
    low: float
    mode: float
    high: float

    def quantile(self, share: Floats) -> Floats:
        """The values below which ``share`` (0 to 1, any shape) of the draws lie."""
        if self.kind == "triangular":
            found = _triangular(share, self.low, self.mode, self.high)
        else:
            found = np.exp(_triangular(share, *map(math.log, (self.low, self.mode, self.high))))
        return np.clip(found, self.low, self.high)

    def result(self) -> DrawnFigure:
        """A row of ``uncertainty.figures`` of ``iowatt.cost/1``."""
        unit, text = said(self.key)
        return DrawnFigure(
            key=self.key, unit=unit, text=text, law=self.kind, low=self.low, mode=self.mode, high=self.high
        )


def law_of(figure: Figure) -> Law | None:
    """The law of a figure; None of a word, and of one without a range."""
    if isinstance(figure.value, str):
        return None
    low = figure.value if figure.low is None else figure.low
    high = figure.value if figure.high is None else figure.high
    # A value set by hand, or found by a search, may lie outside the range of the figure that it replaces.
    low, high = min(low, figure.value), max(high, figure.value)
    if not low < high:
        return None
    wide = low > 0.0 and high > WIDE * low
    return Law(figure.key, "log-triangular" if wide else "triangular", low, figure.value, high)


def said(key: str) -> tuple[str, str]:
    """Unit and meaning of a key."""
    rule = known(key)
    return ("", "") if rule is None else (rule.unit, rule.text)


def _triangular(share: Floats, low: float, mode: float, high: float) -> Floats:
    """The inverse of the triangular distribution's function."""
    width = high - low
    below = low + np.sqrt(share * width * (mode - low))
    above = high - np.sqrt((1.0 - share) * width * (high - mode))
    found: Floats = np.where(share * width < mode - low, below, above)
    return found
