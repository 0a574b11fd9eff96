"""The two power states of a drive that the policies choose between, and where their figures come from."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from iowatt.errors import InputError

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

NEEDED = ("idle_w", "standby_w", "spin_up_w", "spin_down_w", "spin_up_s", "spin_down_s")


@dataclass(frozen=True)
class TwoStates:
    """A drive that idles (spinning) or stands by. Watts are means over a state or a transition."""

    name: str
    idle_w: float
    standby_w: float
    spin_up_w: float
    spin_down_w: float
    spin_up_s: float
    spin_down_s: float

    @property
    def transition_s(self) -> float:
        """Seconds to stop and to start again."""
        return self.spin_up_s + self.spin_down_s

    @property
    def break_even_s(self) -> float | None:
        """Length of a period over which stopping costs what idling costs; None where it never pays."""
        from iowatt import _core

        (found,) = _core.break_even(json.dumps(self.levels()))
        return found if math.isfinite(found) else None

    def quicker(self, factor: float) -> TwoStates:
        """The drive with both transitions ``factor`` as long, at the same watts."""
        return replace(self, spin_up_s=factor * self.spin_up_s, spin_down_s=factor * self.spin_down_s)

    def levels(self) -> dict[str, Any]:
        """``Levels`` of iowatt-power: idling, and standby below it."""
        return {
            "idle_w": self.idle_w,
            "below": [
                {
                    "watts": self.standby_w,
                    "enter": {"seconds": self.spin_down_s, "joules": self.spin_down_w * self.spin_down_s},
                    "leave": {"seconds": self.spin_up_s, "joules": self.spin_up_w * self.spin_up_s},
                    "stopped": True,
                }
            ],
        }

    def described(self) -> dict[str, Any]:
        """All figures."""
        return {
            "name": self.name,
            **{key: getattr(self, key) for key in NEEDED},
            "break_even_s": self.break_even_s,
        }


class MissingFiguresError(InputError):
    """A drive cannot be stopped on paper: a figure for it is not known."""


def named(device: str) -> TwoStates:
    """A drive of the library, or of a device file; its mechanics need not be known.

    Raises
    ------
    InputError
        Where there is no such drive, or figures of its power are missing (naming them).
    """
    from iowatt.library.derive import Steps, power
    from iowatt.library.find import device_file

    file = device_file(device)
    if file.kind != "hdd":
        raise InputError(f"{file.name!r} is an ssd: it has no spindle to stop", where="--device")
    known = power(file, Steps())
    figures = {
        "idle_w": known.idle,
        "standby_w": known.standby,
        "spin_up_w": known.spin_up,
        "spin_down_w": known.spin_down,
        "spin_up_s": known.spin_up_time,
        "spin_down_s": known.spin_down_time,
    }
    return _of(file.name, figures, "--device")


def of_run(run: Run) -> list[TwoStates]:
    """The states of each drive of a Run, in the order of its devices.

    Raises
    ------
    InputError
        Where the Run's plan has no power figures, as of one that was measured, or not all.
    """
    try:
        pools = zip(run.plan["names"]["pools"], run.plan["simulation"]["pools"], strict=True)
        powers = {name: pool["device"]["power"] for name, pool in pools}
        drives = [
            (str(device["model"]), powers[device["pool"]], str(device["name"]))
            for device in run.summary["devices"]
        ]
    except (KeyError, TypeError, AttributeError, ValueError):
        raise MissingFiguresError(
            "the Run's plan does not say what its drives draw",
            where=str(run.path or run.name),
            hint="name a drive whose power figures to use with --device",
        ) from None
    return [_of(*drive) for drive in drives]


def _of(name: str, power: Mapping[str, Any], where: str) -> TwoStates:
    missing = [key for key in NEEDED if not isinstance(power.get(key), int | float)]
    if missing:
        raise MissingFiguresError(
            f"{name!r} lacks figures of its power that spinning down needs: {', '.join(missing)}",
            where=where,
            hint="name another drive with --device, or give them in a device file of your own",
        )
    return TwoStates(name, **{key: float(power[key]) for key in NEEDED})
