"""How many requests a load generator must be able to keep outstanding, so that it is never the limit."""

from __future__ import annotations

import math
from typing import Final

#: Fewer are never asked for at a rate: they cost nothing, and random arrivals come in bursts.
LEAST: Final = 64
#: More are not asked for: 400,000 requests per second at 20 ms. Linux lets all programs together have 65,536
#: by libaio (fs.aio-max-nr).
MOST: Final = 16_384
#: The mean response time that a file for a load generator makes room for where no limit is known, s.
ASSUMED_RESPONSE_S: Final = 0.05
# Little's law gives the mean; room for as many again keeps bursts, and a target that is over the limit,
# from being taken for the load generator.
_ROOM: Final = 2.0


def needed(rate_iops: float, response_s: float = ASSUMED_RESPONSE_S) -> int:
    """Outstanding requests to allow at a rate (requests per second) and a mean response time in s.

    Twice the mean number in flight, rate x response time (J. D. C. Little, "A proof for the queuing formula
    L = lambda W", Operations Research 9(3), 1961); 64 at least, 16,384 at most.
    """
    return min(MOST, max(LEAST, math.ceil(_ROOM * rate_iops * response_s)))
