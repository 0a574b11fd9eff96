"""A power level of a drive below idling: what it draws, and what the way there and back costs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Low:
    """A power level below idling; joules are all that a way draws."""

    name: str
    idle_w: float
    watts: float
    enter_s: float
    enter_j: float
    leave_s: float
    leave_j: float
    #: Whether the spindle stands still, so that a visit is a start and a stop.
    stopped: bool
    #: Whether requests are served there, at less speed.
    serves: bool = False
    #: Why the ways may draw less than that; empty where they are known.
    at_most: str = ""

    @property
    def saved_w(self) -> float:
        """Watts below idling."""
        return self.idle_w - self.watts

    @property
    def break_even_s(self) -> float | None:
        """Length of a period over which a visit draws what idling does; None where it saves nothing.

        ``(E_down + E_up - P_low (t_down + t_up)) / (P_idle - P_low)``, at least 0.
        """
        if self.saved_w <= 0.0:
            return None
        extra_j = self.enter_j + self.leave_j - self.watts * (self.enter_s + self.leave_s)
        return max(0.0, extra_j / self.saved_w)
