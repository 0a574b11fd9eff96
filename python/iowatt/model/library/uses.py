"""What the figures of a device file suffice for, which it lacks for the rest, and its endurance ratings."""

from __future__ import annotations

from typing import Final

from iowatt.model.library import derive
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.ssd import derive as ssd
from iowatt.model.library.ssd import joules

_WATTS: Final = ("active", "positioning", "idle")
_SPIN_DOWN: Final = ("standby", "spin_up", "spin_down", "spin_up_time", "spin_down_time")


def lacks(file: DeviceFile) -> dict[str, list[str]]:
    """Key paths that are missing for each purpose that applies to the kind of device; empty where none is.

    ``power``: joules of work and idling. ``mechanics``: response times, enough to simulate time.
    ``simulation``: both. ``spin-down``: also what stopping costs. ``price``: what one cost.
    """
    price = [] if file.price.usd is not None else ["price.usd"]
    if file.kind == "ssd":
        responding, drawing = ssd.missing(file), _ssd_watts(file)
        return {
            "simulation": [*responding, *drawing],
            "mechanics": responding,
            "power": drawing,
            "price": price,
        }
    states = derive.power(file, derive.Steps())
    watts = [f"power.{name}" for name in _WATTS if getattr(states, name) is None]
    stopping = [f"power.{name}" for name in _SPIN_DOWN if getattr(states, name) is None]
    moving = derive.missing_mechanics(file)
    return {
        "simulation": [*moving, *watts],
        "mechanics": moving,
        "power": watts,
        "spin-down": stopping,
        "price": price,
    }


def good_for(file: DeviceFile) -> list[str]:
    """The purposes for which nothing is missing."""
    return [purpose for purpose, missing in lacks(file).items() if not missing]


def _ssd_watts(file: DeviceFile) -> list[str]:
    idle = [] if derive.usable(file, "idle") is not None else ["power.idle"]
    works = joules.work(file, derive.Steps()).sequential_write is not None
    return idle + ([] if works else ["power.active"])


def file_ratings(file: DeviceFile) -> tuple[dict[str, float], tuple[str, ...]]:
    """Endurance ratings by name, and notes on what was derived or assumed; simulated or not.

    An SSD has ``bytes_written``, what hosts may write (``tbw``, else ``dwpd`` over the warranty), and
    ``pe_cycles``.
    """
    if file.kind == "hdd":
        return file.endurance.ratings(), ()
    steps = derive.Steps()
    wear = ssd.wear(file, steps)
    rated = {"bytes_written": wear.rated_bytes, "pe_cycles": wear.pe_cycles}
    found = {name: float(value) for name, value in rated.items() if value is not None}
    return found, tuple(f"{file.name}: {text}" for text in steps.notes())
