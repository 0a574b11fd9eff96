"""Write amplification of uniform random writes in steady state, in closed form.

Xiang and Kurkoski (arXiv 1110.4245): with ``a = 1 + rho``, flash over logical space, the block that is
cleaned still holds the share ``u`` of valid data that solves ``u = exp(-a (1 - u))``; ``A = 1 / (1 - u)``. It
is exact for cleaning in the order of writing (FIFO) and large blocks; greedy cleaning is 0 to 3 % better.
"""

from __future__ import annotations

import math


def amplification(spare: float) -> float:
    """Flash writes per host write at the spare factor ``spare`` (flash beyond the logical space, over it).

    ``A = a / (a + W0(-a e^-a))`` with Lambert's W, here by Newton's method on ``u = exp(-a (1 - u))``.
    """
    if spare <= 0:
        raise ValueError("without spare space there is nothing to clean with")
    a = 1 + spare
    valid = math.exp(-a)  # from below, where Newton's method converges without overshooting
    for _ in range(200):
        power = math.exp(-a * (1 - valid))
        step = (power - valid) / (1 - a * power)
        valid += step
        if abs(step) < 1e-15:
            break
    return 1 / (1 - valid)


def spare(amplified: float) -> float:
    """The spare factor at which uniform writes are amplified ``amplified`` times.

    Solved for ``a``, the equation above is ``a = -A ln(1 - 1/A)``.
    """
    if amplified <= 1:
        raise ValueError("an amplification of 1 or less tells nothing about spare space")
    return -amplified * math.log1p(-1 / amplified) - 1
