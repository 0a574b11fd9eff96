"""The power policy of a pool of disks against the power levels of its drives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from iowatt.base.problems import Reporter, nearest
from iowatt.model.library import Disk
from iowatt.model.library.electrical import STANDBY, PowerLevel, missing_figures, power_levels, speed_problem
from iowatt.model.library.ssd import Ssd
from iowatt.model.scenario.keys.array import Pool
from iowatt.model.scenario.keys.power import MultiSpeedPolicy, NeverPolicy, levels_needed

SPIN_DOWN_NEEDS: Final = ("standby", "spin_up", "spin_down", "spin_up_time", "spin_down_time")


def check_levels(pool: Pool, drive: Disk, report: Reporter) -> None:
    """Report levels that the policy uses and the disk lacks, or that make no sense."""
    wrong = speed_problem(drive.power, drive.rpm)
    if wrong is not None:
        report("conflict", "device", f"{drive.name!r}: {wrong}")
        return
    known = power_levels(drive.power, drive.rpm)
    usable = drive.ladder.names
    needed = levels_needed(pool.power)
    if not needed and not usable and not isinstance(pool.power, NeverPolicy):
        needed = [STANDBY]
    for name in needed:
        if name not in usable:
            _refuse_level(pool, drive, name, known, report)
    _speeds(pool, known, report)
    check_timers(pool, drive, report)


def _refuse_level(
    pool: Pool, drive: Disk, name: str, known: Mapping[str, PowerLevel], report: Reporter
) -> None:
    """Report why a level cannot be used."""
    if name not in known and name != STANDBY:
        hint = f"it has {', '.join(sorted(known))}" if known else "it has none"
        hint += f'; or give it one: device = {{ power = {{ level = [{{ name = "{name}", ... }}] }} }}'
        if near := nearest(name, known):
            hint = f"did you mean {near!r}?"
        report("unknown-name", "power", f"{drive.name!r} has no power level {name!r}", hint)
        return
    lacking = missing_figures(known[name]) if name in known else SPIN_DOWN_NEEDS
    if not lacking:
        message = f"level {name!r} of {drive.name!r} draws more than idling ({drive.power.idle:g} W)"
        report("conflict", "power", message)
        return
    reason = f"the policy {pool.power.policy!r} needs"
    if name == STANDBY:
        refuse_missing(pool, drive, reason, lacking, report)
        return
    figures = ", ".join(f"{figure} of level {name}" for figure in lacking)
    message = f"{reason} power figures that {drive.name!r} does not have: {figures}"
    level = f'level = [{{ name = "{name}", {_blanks(lacking)} }}]'
    hint = f'give them: device = {{ name = "{pool.device.name}", power = {{ {level} }} }}'
    report("missing-figure", "device", message, hint)


def check_timers(pool: Pool, drive: Disk | Ssd, report: Reporter) -> None:
    """Report timers that never act: later than the timer of a level that draws less."""
    timers = getattr(pool.power, "timers", None) or {}
    order = [name for name in drive.ladder.names if name in timers]
    for at, name in enumerate(order):
        deeper = next((other for other in order[at + 1 :] if timers[name] > timers[other]), None)
        if deeper is not None:
            message = (
                f"{name!r} is never entered: {deeper!r}, which draws less, is entered after "
                f"{timers[deeper]:g} s, before its {timers[name]:g} s"
            )
            hint = f"a time that rises from level to level, here {', '.join(order)}; or leave it out"
            report("conflict", ("power", "timers", name), message, hint)


def _speeds(pool: Pool, known: Mapping[str, PowerLevel], report: Reporter) -> None:
    """A policy of several speeds needs speeds."""
    if not isinstance(pool.power, MultiSpeedPolicy):
        return
    for name in pool.power.timers:
        level = known.get(name)
        if level is not None and level.speed is None and not level.stopped:
            message = f"level {name!r} has no speed, so it serves no requests"
            hint = "give its speed, or use the policy multi-level"
            report("conflict", "power.timers", message, hint)


def refuse_missing(
    pool: Pool, drive: Disk | Ssd, reason: str, names: Sequence[str], report: Reporter
) -> None:
    """Report power figures that a drive lacks; ``reason`` says what needs them."""
    message = f"{reason} power figures that {drive.name!r} does not have: {', '.join(names)}"
    hint = f'give them: device = {{ name = "{pool.device.name}", power = {{ {_blanks(names)} }} }}'
    report("missing-figure", "device", message, hint)


def _blanks(names: Sequence[str]) -> str:
    """Keys to be filled in, each with its unit."""
    return ", ".join(f'{name} = "..{"s" if name.endswith("_time") else "W"}"' for name in names)
