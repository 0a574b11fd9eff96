"""The power levels of a drive below idling, from figures that may have gaps.

The break-even time of a level is ``(E_down + E_up - P_low (t_down + t_up)) / (P_idle - P_low)``; the crate
iowatt-power has it, and the policies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from iowatt.model.library.electrical.figures import HddPower, PowerLevel

STANDBY: Final = "standby"
#: Number of the standby state in a plan, and of the first state beyond those that every drive has.
STANDBY_STATE, FIRST_FURTHER = 3, 6

# What the figures of standby are called in the table ``power``.
_STANDBY_FIGURES: Final = {
    "power": "standby",
    "enter_time": "spin_down_time",
    "enter_power": "spin_down",
    "leave_time": "spin_up_time",
    "leave_power": "spin_up",
}


@dataclass(frozen=True)
class Ladder:
    """Levels whose figures are all known, from the one that draws most to the one that draws least.

    ``names[i]`` is level ``i + 1`` of ``plan`` (``Levels`` of iowatt-power); level 0 is idling.
    """

    names: tuple[str, ...]
    plan: dict[str, Any]

    def number(self, name: str) -> int:
        """The number of a level by its name."""
        return self.names.index(name) + 1

    def states(self, further: Mapping[str, int] | None = None) -> list[int]:
        """The state that each level is reported as; ``further`` numbers those other than standby."""
        others = [name for name in self.names if name != STANDBY]
        numbers = further or {name: FIRST_FURTHER + i for i, name in enumerate(others)}
        return [STANDBY_STATE if name == STANDBY else numbers[name] for name in self.names]


def power_levels(power: HddPower, rpm: float) -> dict[str, PowerLevel]:
    """All levels that a drive of full speed ``rpm`` has, by name; their figures may have gaps."""
    levels = {level.name: level for level in power.level}
    if power.speeds is not None and power.idle is not None:
        levels.update({level.name: level for level in _speeds(power, power.idle, rpm)})
    standby = {name: getattr(power, figure) for name, figure in _STANDBY_FIGURES.items()}
    if any(figure is not None for figure in standby.values()):
        levels[STANDBY] = PowerLevel.model_construct(name=STANDBY, speed=None, stopped=True, **standby)
    return levels


def speed_problem(power: HddPower, rpm: float) -> str | None:
    """The fault in the reduced speeds of a drive of full speed ``rpm``, or None."""
    for level in power.level:
        if level.speed is not None and level.speed > rpm:
            return f"level {level.name!r} turns at {level.speed:g} rpm, and full speed is {rpm:g} rpm"
    if power.speeds is None:
        return None
    fast = [speed for speed in power.speeds.rpm if speed >= rpm]
    if fast:
        return f"a reduced speed of {fast[0]:g} rpm is not below full speed, {rpm:g} rpm"
    if power.idle is not None and power.speeds.electronics > power.idle:
        drawn = power.speeds.electronics
        return f"its electronics draw {drawn:g} W, more than all of it idling ({power.idle:g} W)"
    speeds = {level.name for level in _speeds(power, power.idle or 0.0, rpm)}
    both = sorted(speeds & {level.name for level in power.level})
    if both:
        return f"level {both[0]!r} is given both as a level and as a speed"
    return None


def _speeds(power: HddPower, idle_w: float, rpm: float) -> list[PowerLevel]:
    """A level for each lower speed: ``P(n) = P_electronics + P_spindle (n / n_max)^a``."""
    assert power.speeds is not None
    speeds = power.speeds
    levels = []
    for steps, slower in enumerate(sorted(set(speeds.rpm), reverse=True), start=1):
        share = (slower / rpm) ** speeds.exponent
        levels.append(
            PowerLevel.model_construct(
                name=f"rpm_{slower:g}",
                power=speeds.electronics + (idle_w - speeds.electronics) * share,
                enter_time=steps * speeds.step_time,
                enter_power=speeds.step_power,
                leave_time=steps * speeds.step_time,
                leave_power=speeds.step_power,
                speed=slower,
                stopped=False,
            )
        )
    return levels


def missing_figures(level: PowerLevel) -> list[str]:
    """Keys of the figures that a level lacks; a transition that takes no time needs no power."""
    needed = ["power", "enter_time", "leave_time"]
    needed += [f"{way}_power" for way in ("enter", "leave") if getattr(level, f"{way}_time") != 0.0]
    lacking = [name for name in needed if getattr(level, name) is None]
    if level.name == STANDBY:
        order = list(_STANDBY_FIGURES)
        return [_STANDBY_FIGURES[name] for name in sorted(lacking, key=order.index)]
    return lacking


def ladder(power: HddPower, rpm: float) -> Ladder:
    """The levels that lack no figure and draw no more than idling."""
    return ladder_of(power_levels(power, rpm), power.idle, rpm)


def ladder_of(all_levels: Mapping[str, PowerLevel], idle_w: float | None, rpm: float = 1.0) -> Ladder:
    """The same for given levels below ``idle_w``; their speeds become shares of ``rpm``.

    Without known idle watts no level counts as below idling.
    """
    if idle_w is None:
        return Ladder((), {"idle_w": None, "below": []})
    known = [level for level in all_levels.values() if not missing_figures(level)]
    usable = [level for level in known if level.power is not None and level.power <= idle_w]
    usable.sort(key=lambda level: -(level.power or 0.0))
    below = [
        {
            "watts": level.power,
            "enter": _transition(level.enter_time, level.enter_power),
            "leave": _transition(level.leave_time, level.leave_power),
            "stopped": bool(level.stopped),
            "serves_at": None if level.speed is None else level.speed / rpm,
        }
        for level in usable
    ]
    return Ladder(tuple(level.name for level in usable), {"idle_w": idle_w, "below": below})


def _transition(seconds: float | None, watts: float | None) -> dict[str, float]:
    return {"seconds": seconds or 0.0, "joules": (seconds or 0.0) * (watts or 0.0)}
