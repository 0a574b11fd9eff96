"""What becomes of the watts: heat for the air conditioning, and what the building draws in all."""

from __future__ import annotations

from typing import Final

#: BTU (international table) in a watt-hour: 3600 J / 1055.05585262 J.
BTU_PER_WH: Final = 3.412142
#: What the spreadsheet of the 2013 study multiplied by (2072 W as 6506.1 BTU/h): a slip, 8 % low.
BTU_PER_WH_P9500_SLIP: Final = 3.14
#: One ton of refrigeration.
BTU_PER_H_PER_TON: Final = 12_000.0

FACTORS: Final = {"exact": BTU_PER_WH, "p9500-slip": BTU_PER_WH_P9500_SLIP}


def tons(watts: float) -> float:
    """Tons of refrigeration that remove ``watts`` of heat; 1 ton is 12,000 BTU/h, 3,516.85 W."""
    return watts * BTU_PER_WH / BTU_PER_H_PER_TON
