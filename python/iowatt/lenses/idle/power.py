"""The two power states of a drive that the policies choose between, and where their figures come from."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from iowatt.base.errors import Argument, InputError
from iowatt.lenses.idle.result import DrivePower

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

NEEDED = ("idle_w", "standby_w", "spin_up_w", "spin_down_w", "spin_up_s", "spin_down_s")


@dataclass(frozen=True)
class TwoStates:
    """A drive that idles (spinning) or stands by; joules are all that a transition draws."""

    name: str
    idle_w: float
    standby_w: float
    spin_down_s: float
    spin_down_j: float
    spin_up_s: float
    spin_up_j: float

    @property
    def transition_s(self) -> float:
        """Seconds to stop and to start again."""
        return self.spin_up_s + self.spin_down_s

    @property
    def break_even_s(self) -> float | None:
        """Length of a period over which stopping costs what idling costs; None where it never pays."""
        from iowatt import core

        (found,) = core.break_even(json.dumps(self.levels()))
        return found if math.isfinite(found) else None

    def quicker(self, factor: float) -> TwoStates:
        """The drive with both transitions ``factor`` as long, at the same watts."""
        return replace(
            self,
            spin_down_s=factor * self.spin_down_s,
            spin_down_j=factor * self.spin_down_j,
            spin_up_s=factor * self.spin_up_s,
            spin_up_j=factor * self.spin_up_j,
        )

    def levels(self) -> dict[str, Any]:
        """``Levels`` of iowatt-power: idling, and standby below it."""
        return {
            "idle_w": self.idle_w,
            "below": [
                {
                    "watts": self.standby_w,
                    "enter": {"seconds": self.spin_down_s, "joules": self.spin_down_j},
                    "leave": {"seconds": self.spin_up_s, "joules": self.spin_up_j},
                    "stopped": True,
                }
            ],
        }

    def described(self) -> DrivePower:
        """All figures."""
        return DrivePower(**asdict(self), break_even_s=self.break_even_s)


class MissingFiguresError(InputError):
    """A drive cannot be stopped on paper: a figure for it is not known."""


def named(device: str) -> TwoStates:
    """A drive of the library, or of a device file; its mechanics need not be known.

    Raises
    ------
    InputError
        Where there is no such drive, or figures of its power are missing (naming them).
    """
    from iowatt.model.library import device_file, state_watts

    file = device_file(device)
    if file.kind != "hdd":
        raise InputError(
            "not-applicable",
            Argument("drive"),
            f"{file.name!r} is an SSD, which has no spindle; expected a disk",
        )
    known = state_watts(file)
    figures = {
        "idle_w": known.idle,
        "standby_w": known.standby,
        "spin_up_w": known.spin_up,
        "spin_down_w": known.spin_down,
        "spin_up_s": known.spin_up_time,
        "spin_down_s": known.spin_down_time,
    }
    return _of(file.name, figures, Argument("drive"))


def of_run(run: Run) -> list[TwoStates]:
    """The states of each drive of a Run, in the order of its devices.

    Raises
    ------
    InputError
        Where the Run's plan lacks power figures, as the plan of a measured Run does.
    """
    try:
        pools = zip(run.plan["names"]["pools"], run.plan["simulation"]["pools"], strict=True)
        powers = {name: pool["device"]["power"] for name, pool in pools}
        return [
            _of(str(device["model"]), powers[device["pool"]], str(device["name"]))
            for device in run.summary["devices"]
        ]
    except (KeyError, TypeError, AttributeError, ValueError):
        raise MissingFiguresError(
            "missing-figure",
            str(run.path or run.name),
            "the Run's plan does not have the power of its drives",
            hint="`drive=NAME` uses the power figures of that drive",
        ) from None


def _of(name: str, power: Mapping[str, Any], where: str) -> TwoStates:
    """From the power figures of a plan: as ``Levels`` of iowatt-power, or by their names."""
    if "levels" in power:
        return _stopped(name, power, where)
    missing = [key for key in NEEDED if not isinstance(power.get(key), int | float)]
    if missing:
        raise _missing(name, missing, where)
    return TwoStates(
        name,
        idle_w=float(power["idle_w"]),
        standby_w=float(power["standby_w"]),
        spin_down_s=float(power["spin_down_s"]),
        spin_down_j=float(power["spin_down_w"] * power["spin_down_s"]),
        spin_up_s=float(power["spin_up_s"]),
        spin_up_j=float(power["spin_up_w"] * power["spin_up_s"]),
    )


def _stopped(name: str, power: Mapping[str, Any], where: str) -> TwoStates:
    """Idling, and the level at which the spindle stands still."""
    levels = power["levels"]
    low = next((level for level in levels["below"] if level.get("stopped")), None)
    if low is None:
        raise _missing(name, ["standby_w and its transitions"], where)
    return TwoStates(
        name,
        idle_w=float(levels["idle_w"]),
        standby_w=float(low["watts"]),
        spin_down_s=float(low["enter"]["seconds"]),
        spin_down_j=float(low["enter"]["joules"]),
        spin_up_s=float(low["leave"]["seconds"]),
        spin_up_j=float(low["leave"]["joules"]),
    )


def _missing(name: str, figures: list[str], where: str) -> MissingFiguresError:
    return MissingFiguresError(
        "missing-figure",
        where,
        f"{name!r} lacks power figures that spinning down needs: {', '.join(figures)}",
        hint="take another drive (`drive=NAME`), or state them in a device file of your own",
    )
