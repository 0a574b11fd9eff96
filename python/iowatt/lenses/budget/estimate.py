"""From one Run to other rates: an estimate of what each hop would take, and of the rate that breaks a level.

Waiting at a hop whose station is busy for the share rho is taken to grow as rho / (1 - rho), as it does in
M/M/1, in M/G/1 (Pollaczek-Khinchine) and, near saturation, in most queues; service stays as it is. Of c
servers side by side it grows as rho^(sqrt(2 (c + 1)) - 1) / (1 - rho) (Sakasegawa, "An approximation formula
L_q = alpha rho^beta / (1 - rho)", Annals of the Institute of Statistical Mathematics 29, 1977), which is the
same for one. At s times the rate of the Run a hop that waits W now waits W s^e (1 - rho) / (1 - s rho), e
being that exponent. Hops without a known utilisation stay as seen. So does waiting at a station whose visits
are held back on purpose, as interrupts are by moderation: it is bounded and shrinks with the rate. Such a
station still breaks a level where it is saturated.

A percentile q is taken to grow by ln(1 / (1 - q)) times what mean waiting grows by: near saturation waiting
is exponential (Kingman, "The single server queue in heavy traffic", Proceedings of the Cambridge
Philosophical Society 57, 1961), and so are the slow requests of many other queues.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iowatt.lenses.budget.ledger import Floats, RequestMeans

_HALVINGS: Final = 200


@dataclass(frozen=True)
class ScaledClass:
    """A response time at one rate: waiting at each hop, and busy shares (NaN where not known)."""

    waits_ms: Floats
    #: Time that is not waiting; it does not change with the rate.
    rest_ms: float
    busy: Floats
    #: Exponent of waiting at low utilisation: 1 for one server, larger for several.
    exponent: Floats
    #: Whether the hop is a queue; if not, its waiting stays as measured up to saturation.
    queues: NDArray[np.bool_]

    @property
    def most(self) -> float:
        """Times the rate at which the first hop is saturated; infinite where none is ever."""
        known = self.busy[self.busy > 0]
        return float(1 / known.max()) if known.size else float("inf")

    def waiting(self, factor: float) -> Floats:
        """Waiting at each hop in ms at so many times the rate; below :attr:`most`."""
        rho = np.where(np.isnan(self.busy) | ~self.queues, 0.0, self.busy)
        growth = np.where(rho > 0, factor**self.exponent * (1 - rho) / (1 - factor * rho), 1.0)
        return self.waits_ms * growth

    def response(self, factor: float) -> float:
        """Response time in ms at so many times the rate."""
        return float(self.waiting(factor).sum()) + self.rest_ms

    def alone(self, within_ms: float) -> list[float | None]:
        """For each hop the factor at which its waiting alone takes the response time to the level.

        The others stay as measured. A hop without waiting, or one that is held back, exceeds it at
        saturation. None where its utilisation is not known, or where the others alone exceed the level.
        """
        return [self._alone(at, within_ms) for at in range(len(self.busy))]

    def _alone(self, at: int, within_ms: float) -> float | None:
        rho, now = float(self.busy[at]), float(self.waits_ms[at]) if self.queues[at] else 0.0
        room = within_ms - (self.rest_ms + float(self.waits_ms.sum()) - now)
        if not 0 < rho < 1 or room <= 0:
            return None
        if now <= 0:
            return 1 / rho
        power, growth = float(self.exponent[at]), room / now
        return _root(lambda factor: factor**power * (1 - rho) / (1 - factor * rho) - growth, 1 / rho)

    def together(self, within_ms: float) -> float | None:
        """The factor at which the response time is the level, all hops growing.

        The first saturation breaks it at the latest. None where it is beyond the level at any rate, or no
        utilisation is known.
        """
        if not np.all(np.isnan(self.busy) | (self.busy < 1)) or self.response(0.0) >= within_ms:
            return None
        most = self.most
        if not np.isfinite(most):
            return None
        return _root(lambda factor: self.response(factor) - within_ms, most)


def _root(excess: Callable[[float], float], most: float) -> float:
    """The root of an increasing function below ``most``; ``most`` where it has none."""
    low, high = 0.0, most
    if excess(high * (1 - 1e-12)) <= 0:
        return high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if excess(middle) <= 0:
            low = middle
        else:
            high = middle
    return low


def scaled_class(
    mean: RequestMeans,
    busy: Sequence[float | None],
    servers: Sequence[int] | None = None,
    *,
    queues: Sequence[bool] | None = None,
    value_ms: float | None = None,
    quantile: float | None = None,
) -> ScaledClass:
    """Return a class that takes its mean response time, or ``value_ms`` at a quantile.

    For each hop ``busy`` is its busy share (None where not known), ``servers`` its servers (default one), and
    ``queues`` whether it is a queue (default all are).
    """
    side_by_side = np.array([1] * len(busy) if servers is None else servers, dtype=float)
    waits = mean.waiting_ms if quantile is None else mean.waiting_ms * math.log(1 / (1 - quantile))
    whole = mean.response_ms if value_ms is None else value_ms
    return ScaledClass(
        waits,
        whole - float(waits.sum()),
        np.array([float("nan") if share is None else share for share in busy]),
        np.sqrt(2 * (side_by_side + 1)) - 1,
        np.array([True] * len(busy) if queues is None else queues, dtype=bool),
    )
