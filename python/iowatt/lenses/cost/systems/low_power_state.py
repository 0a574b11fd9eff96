"""Power states of a drive below idle, from a Run's plan or the library."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from iowatt.model.library.electrical import FIRST_FURTHER, STANDBY, STANDBY_STATE

if TYPE_CHECKING:
    from iowatt.model.library.electrical import PowerFigures


@dataclass(frozen=True)
class LowPowerState:
    """A power state below idle; joules are those of a whole transition."""

    name: str
    idle_w: float
    watts: float
    enter_s: float
    enter_j: float
    leave_s: float
    leave_j: float
    #: Whether the spindle stops, so that a visit counts as a start and a stop.
    stopped: bool
    #: Whether requests are served in this state, at reduced speed.
    serves: bool = False
    #: Why the transitions may draw less; empty where they are known.
    at_most: str = ""

    @property
    def saved_w(self) -> float:
        """Watts below idling."""
        return self.idle_w - self.watts

    @property
    def break_even_s(self) -> float | None:
        """Length of a visit that draws as much as idling; None where it saves nothing.

        ``(E_down + E_up - P_low (t_down + t_up)) / (P_idle - P_low)``, at least 0.
        """
        if self.saved_w <= 0.0:
            return None
        extra_j = self.enter_j + self.leave_j - self.watts * (self.enter_s + self.leave_s)
        return max(0.0, extra_j / self.saved_w)


def states_of_plan(plan: Mapping[str, Any], pool: str) -> tuple[LowPowerState, ...]:
    """The states below idle of the drives in a Run's pool, deepest last."""
    try:
        number = plan["names"]["pools"].index(pool)
        power = plan["simulation"]["pools"][number]["device"]["power"]
        levels, states = power["levels"], power["states"]
        further = plan["names"].get("states", [])
        names = [STANDBY if state == STANDBY_STATE else further[state - FIRST_FURTHER] for state in states]
    except (KeyError, TypeError, ValueError, IndexError):
        return ()
    return tuple(_states(names, levels))


def _states(names: Sequence[str], levels: Mapping[str, Any]) -> Iterator[LowPowerState]:
    for name, below in zip(names, levels["below"], strict=True):
        yield LowPowerState(
            name=name, idle_w=float(levels["idle_w"]), watts=float(below["watts"]),
            enter_s=float(below["enter"]["seconds"]), enter_j=float(below["enter"]["joules"]),
            leave_s=float(below["leave"]["seconds"]), leave_j=float(below["leave"]["joules"]),
            stopped=bool(below.get("stopped", False)), serves=below.get("serves_at") is not None,
        )  # fmt: skip


def spent_low(row: Mapping[str, Any], states: Sequence[LowPowerState]) -> tuple[float, float]:
    """Seconds of a drive in lower states and in transitions, and the joules saved, which may be negative.

    ``row`` is its row of the table ``devices``. Saved is the energy of idling minus the ledger's joules.
    """
    names = ("spin_down", "spin_up", *(state.name for state in states)) if states else ()
    seconds = math.fsum(row.get(f"time_{state}_s") or 0.0 for state in names)
    drawn = math.fsum(row.get(f"energy_{state}_j") or 0.0 for state in names)
    return seconds, (states[0].idle_w * seconds - drawn if states else 0.0)


def states_of_library(name: str) -> tuple[LowPowerState, ...]:
    """The states below idle of a library device or device file, deepest last; none of an SSD.

    Where only the watts of spinning up or down are missing, standby has their upper bound (``at_most``): the
    published peak for the whole start, idle power for the stop. Raises ``InputError`` for an unknown device.
    """
    from iowatt.model.library import device_file, state_watts
    from iowatt.model.library.electrical import ladder

    file = device_file(name)
    if file.kind != "hdd":
        return ()
    steps = ladder(state_watts(file), file.rpm or 1.0)
    known = tuple(_states(steps.names, steps.plan))
    bound = None if any(state.stopped for state in known) else _at_most(file.power)
    return known if bound is None else (*known, bound)


def _at_most(power: PowerFigures) -> LowPowerState | None:
    """Standby by the figures that vendors publish; None where one is missing."""
    starts = power.spin_up if power.spin_up is not None else power.spin_up_peak
    if power.idle is None or power.standby is None or starts is None or power.spin_up_time is None:
        return None
    stop_s = power.spin_down_time or 0.0
    stops = power.idle if power.spin_down is None else power.spin_down
    taken = []
    if power.spin_up is None:
        taken.append("spinning up is assumed to draw its peak throughout")
    if power.spin_down_time is None:
        taken.append("the time to stop is not known and left out")
    elif power.spin_down is None:
        taken.append("stopping is assumed to draw idle power")
    return LowPowerState(
        name=STANDBY, idle_w=power.idle, watts=power.standby, enter_s=stop_s, enter_j=stop_s * stops,
        leave_s=power.spin_up_time, leave_j=power.spin_up_time * starts, stopped=True,
        at_most="; ".join(taken),
    )  # fmt: skip
