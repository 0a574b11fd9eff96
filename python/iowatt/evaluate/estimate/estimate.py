"""What an estimate holds. Modelled, never measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Station:
    """Where time goes: ``demand_s`` is what a request takes of it (visits times service), over its
    servers."""

    name: str
    kind: str
    servers: int
    utilisation: float
    demand_s: float


@dataclass(frozen=True)
class Estimate:
    """An estimate of a scenario: ``row`` has the keys of a sweep's row (``search.row.of_run``).

    ``saturated``: open requests come faster than they can be served; throughput is then what can be, and no
    response time is given. ``assumptions`` say what was taken for granted.
    """

    row: dict[str, float]
    stations: tuple[Station, ...]
    saturated: bool
    assumptions: tuple[str, ...]

    @property
    def bottleneck(self) -> Station | None:
        """The busiest station."""
        return max(self.stations, key=lambda station: station.utilisation, default=None)
