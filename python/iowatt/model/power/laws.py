"""What a part draws between idle and active, and a fan at a speed.

A part at utilisation u draws ``idle + (active - idle) x u``: it is active for the share u of the time. A fan
draws ``full x speed^3`` (the affinity law of fans), speed as a share of full speed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from iowatt.model.library.part import Law
from iowatt.model.power.supplies import Mode

if TYPE_CHECKING:
    from iowatt.model.power.efficiency import Floats


@dataclass(frozen=True)
class Part:
    """Like parts of one enclosure; watts of one. ``active_w`` of a fan is at full speed.

    ``at_wall`` figures were published or measured at the wall: they do not go through the supplies again.
    """

    name: str
    kind: str
    count: int
    law: Law
    idle_w: float
    active_w: float
    at_wall: bool = False
    full_iops: float | None = None
    full_bytes_per_s: float | None = None
    speed: float | None = None
    failover_speed: float | None = None
    sources: tuple[str, ...] = ()

    def watts(self, utilisation: float, mode: Mode = "normal") -> float:
        """Of all of them at a utilisation from 0 to 1."""
        if self.law == "speed-cubed":
            speed = self.failover_speed if mode == "failover" else self.speed
            return self.count * fan(self.active_w, 1.0 if speed is None else speed)
        return self.count * (self.idle_w + (self.active_w - self.idle_w) * utilisation)

    def utilisation(self, iops: Floats, bytes_per_s: Floats, processors: Floats | None) -> Floats:
        """Active share of the time in intervals with these rates, and this busy share of the processors."""
        import numpy as np

        share = np.zeros(len(iops))
        if self.law == "utilisation" and processors is not None:
            share = processors
        elif self.law in ("throughput", "utilisation"):
            if self.full_iops:
                share = share + iops / self.full_iops
            if self.full_bytes_per_s:
                share = share + bytes_per_s / self.full_bytes_per_s
        return np.clip(share, 0.0, 1.0)

    @classmethod
    def of(cls, plan: Mapping[str, Any]) -> Part:
        """From its part of a plan file."""
        return cls(**{**plan, "sources": tuple(plan["sources"])})

    def as_dict(self) -> dict[str, Any]:
        """Its part of a plan file."""
        return {**asdict(self), "sources": list(self.sources)}


def fan(full_w: float, speed: float) -> float:
    """Watts of a fan at ``speed``, a share of full speed, where it draws ``full_w``."""
    return full_w * speed**3
