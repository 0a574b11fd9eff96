"""Watts of the simulator's states, and the figures that vendors publish instead."""

from __future__ import annotations

from typing import Any, Final

from pydantic import ValidationInfo, field_validator

from iowatt.base.errors import BadValueError
from iowatt.base.quantity import Duration, Power, Speed
from iowatt.base.strict import Strict, key
from iowatt.model.library.flash import PowerState

RESERVED: Final = frozenset(
    ("active", "positioning", "idle", "standby", "spin_up", "spin_down", "total", "never")
)


def watts(description: str) -> Any:
    """An optional key in watts."""
    return key(description, unset="not known", unit="W")


def seconds(description: str, **constraints: Any) -> Any:
    """An optional key in seconds."""
    return key(description, default=None, unset="not known", unit="s", **constraints)


class PowerLevel(Strict):
    """A level between idling and stopped, such as a power condition of SAS and ATA drives."""

    name: str = key(
        "Its name in policies and results: idle_a (electronics saved), idle_b (heads unloaded), idle_c "
        "(heads unloaded, less speed), standby_y, or a name of your own.",
        pattern=r"^[a-z][a-z0-9_]{0,31}$",
        example="idle_b",
    )
    power: Power | None = watts("Draw while at it.")
    enter_time: Duration | None = seconds("From idling to it.")
    enter_power: Power | None = watts("Draw on the way to it; not needed where that takes no time.")
    leave_time: Duration | None = seconds("From it to full readiness, also called recovery time.")
    leave_power: Power | None = watts("Draw on the way back; not needed where that takes no time.")
    speed: Speed | None = key(
        "Its speed of rotation, where requests can be served at it.",
        unset="it must be left before anything is served",
        gt=0,
    )
    stopped: bool = key(
        "Whether the spindle stands still: entering and leaving it count as a stop and a start.",
        default=False,
        example=True,
    )

    @field_validator("name")
    @classmethod
    def _free(cls, name: str) -> str:
        if name in RESERVED:
            raise BadValueError(
                "not-accepted", None, f"{name!r} is the name of a fixed state; expected another"
            )
        return name


class Speeds(Strict):
    """Lower speeds of a spindle, each of which serves requests.

    Watts follow P(n) = P_electronics + P_spindle (n / n_max)^a, with P_spindle = idle - electronics.
    """

    rpm: list[Speed] = key(
        "The lower speeds. Each is a level named rpm_ and its number.",
        unit="rpm",
        example=[9000, 6000],
        min_length=1,
    )
    electronics: Power = key("Draw that does not depend on the speed.", example="3W")
    exponent: float = key(
        "How the spindle's draw grows with the speed: 2 (the fit of DRPM, 2003) to 2.8 (air drag).",
        default=2.8,
        gt=0,
        le=4,
        example=2,
    )
    step_time: Duration = key("From one speed to the next.", example="500ms")
    step_power: Power = key("Draw while the speed changes.", example="8W")


class HddPower(Strict):
    """Electrical figures of a drive, all optional: what is not published is left out, never guessed.

    SSDs have active, idle, active_idle and the states of NVMe; the others belong to disks.
    """

    active: Power | None = watts(
        "Media transfer, and command or bus time that holds the disk; of an SSD, working as fast as it can."
    )
    positioning: Power | None = watts("Seek, settle, head switch and rotational wait.")
    idle: Power | None = watts("Spinning, or an SSD ready, without work.")
    active_idle: Power | None = watts(
        "An SSD awake, without work: what controller, memory and interface draw as long as there is any."
    )
    standby: Power | None = watts("Stopped.")
    spin_up: Power | None = watts("While spinning up.")
    spin_down: Power | None = watts("While spinning down.")
    spin_up_time: Duration | None = seconds("From standby to ready.")
    spin_down_time: Duration | None = seconds("From spinning to stopped.")
    level: list[PowerLevel] = key("Levels between idling and standby.", default=[])
    speeds: Speeds | None = key("Lower speeds of the spindle.", unset="it has one speed")
    state: list[PowerState] = key("Power states of NVMe, of an SSD.", default=[])

    @field_validator("level", "state")
    @classmethod
    def _once(cls, named: list[Any], info: ValidationInfo) -> list[Any]:
        names = [one.name for one in named]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise BadValueError("duplicate", None, f"the {info.field_name} {twice[0]!r} is given twice")
        return named

    def with_figures(self, given: HddPower) -> HddPower:
        """These figures, replaced by those that ``given`` has.

        Levels are matched by name; the states of NVMe are replaced as a whole.
        """
        update: dict[str, Any] = {
            name: getattr(given, name)
            for name in HddPower.model_fields
            if name not in ("level", "state") and getattr(given, name) is not None
        }
        if given.state:
            update["state"] = given.state
        levels = {level.name: level for level in self.level}
        for level in given.level:
            known = levels.get(level.name)
            figures = {name: getattr(level, name) for name in level.model_fields_set}
            levels[level.name] = level if known is None else known.model_copy(update=figures)
        return self.model_copy(update={**update, "level": list(levels.values())})


class PowerFigures(HddPower):
    """Electrical figures of a device as published: those of the states, and those to derive them from."""

    idle_a: Power | None = watts("Idle with parts of the electronics off (Idle_A).")
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
        "Highest current on the 12 V supply while spinning up.", unset="not known", unit="A", ge=0
    )
