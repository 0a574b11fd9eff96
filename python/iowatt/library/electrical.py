"""Watts: what the simulator's states draw, and the figures that vendors publish instead."""

from __future__ import annotations

from typing import Any

from iowatt.scenario.quantity import Duration, Power
from iowatt.scenario.strict import Strict, key


def watts(description: str) -> Any:
    """An optional key in watts."""
    return key(description, default=None, unset="not known", unit="W")


def seconds(description: str, **constraints: Any) -> Any:
    """An optional key in seconds."""
    return key(description, default=None, unset="not known", unit="s", **constraints)


class HddPower(Strict):
    """Electrical figures of a disk, all optional: what is not published is left out, never guessed."""

    active: Power | None = watts("Media transfer, and command or bus time that holds the disk.")
    positioning: Power | None = watts("Seek, settle, head switch and rotational wait.")
    idle: Power | None = watts("Spinning without work.")
    standby: Power | None = watts("Stopped.")
    spin_up: Power | None = watts("While spinning up.")
    spin_down: Power | None = watts("While spinning down.")
    spin_up_time: Duration | None = seconds("From standby to ready.")
    spin_down_time: Duration | None = seconds("From spinning to stopped.")


class PowerFigures(HddPower):
    """Electrical figures of a device as published: those of the states, and those to derive them from."""

    idle_b: Power | None = watts("Idle with the heads unloaded (Idle_B).")
    idle_c: Power | None = watts("Idle with the heads unloaded and less speed (Idle_C).")
    seek: Power | None = watts("Seeking all the time.")
    random_read: Power | None = watts("Random reads of small blocks, one after the other.")
    random_write: Power | None = watts("Random writes of small blocks, one after the other.")
    sequential_read: Power | None = watts("Sequential reads.")
    sequential_write: Power | None = watts("Sequential writes.")
    max: Power | None = watts("The most it draws: a limit, no mean of any work.")
    spin_up_peak: Power | None = watts("Highest draw while spinning up; not the mean of a spin-up.")
    spin_up_peak_12v_amps: float | None = key(
        "Highest current on the 12 V supply while spinning up.",
        default=None,
        unset="not known",
        unit="A",
        ge=0,
    )
