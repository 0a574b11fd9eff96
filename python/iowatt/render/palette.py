"""Colours: one per disk state and series, safe for the common colour-vision deficiencies, with a dark twin.

States use the Okabe-Ito set (Okabe and Ito, "Color Universal Design", 2008); idle, which fills most
charts, is a quiet grey. A spec always carries the light colour; the page swaps in the dark twin.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

STATE_COLOURS = {
    "active": "#0072b2",
    "positioning": "#e69f00",
    "idle": "#a9b2bc",
    "standby": "#009e73",
    "spin_up": "#d55e00",
    "spin_down": "#cc79a7",
}
"""In the order in which tables list them: work first."""

ARRAY_COLOURS = {
    "parts": "#7a5195",
    "parts_idle": "#7a5195",
    "parts_active": "#56b4e9",
    "supply_loss": "#6b4f3a",
}
"""Other parts of the array, and the losses of its supplies."""

STATE_NAMES = {
    "active": "Active (transfer)",
    "positioning": "Positioning",
    "idle": "Idle",
    "standby": "Standby",
    "spin_up": "Spinning up",
    "spin_down": "Spinning down",
    "parts": "Other parts",
    "parts_idle": "Other parts, idle",
    "parts_active": "Other parts, active",
    "supply_loss": "Supply losses",
}

CAUSE_NAMES = {
    "host_read": "Host reads",
    "host_write": "Host writes",
    "redundancy": "Parity and copies",
    "rebuild": "Rebuild",
    "background": "Drive background work",
    "migration": "Data migration",
    "power_management": "Power level changes",
    "idle": "Idle",
    "low_power": "At low power",
}

STATE_IN_WORDS = {
    "active": "transferring data",
    "positioning": "positioning their heads",
    "spin_up": "spinning up",
    "spin_down": "spinning down",
}
"""What a drive in the state is doing."""

# None of the array's: a level and the supplies' losses stand in one chart.
_OTHER_STATES = ("#aa8866", "#8f7a00", "#332288", "#882255")

READ = "#4650b8"
WRITE = "#b5304f"
ALL = "#1f2933"
MEAN = "#1f2933"
P95 = "#2a9d8f"
P99 = "#7b4fa3"
BAR = "#4f7ca8"
RUNS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8f7a00", "#56b4e9", "#7a5195", "#1f2933")

DARK_TWINS = {
    "#0072b2": "#4ba6e0",
    "#e69f00": "#f0b429",
    "#a9b2bc": "#66717e",
    "#009e73": "#2bc597",
    "#d55e00": "#f07f32",
    "#cc79a7": "#dd96bd",
    "#56b4e9": "#7cc7f2",
    "#8f7a00": "#c9b23c",
    "#7a5195": "#b08ccb",
    "#6b4f3a": "#b08f78",
    "#aa8866": "#d9b998",
    "#332288": "#8f83e6",
    "#882255": "#c75a8c",
    "#4650b8": "#939cf5",
    "#b5304f": "#f4809a",
    "#1f2933": "#e6e9ee",
    "#2a9d8f": "#4cc9b8",
    "#7b4fa3": "#bd93e0",
    "#4f7ca8": "#7ba9d6",
}
"""Light colour to the colour with the same meaning on a dark ground."""


def of_systems(names: Sequence[str]) -> list[str]:
    """The colours of systems or workloads, one each: from the name, so that all pages agree.

    Where two names want the same colour, the one that sorts later takes the next free one; more than eight
    names share.
    """
    colours: dict[str, str] = {}
    for name in sorted(set(names)):
        wanted = zlib.crc32(name.encode()) % len(RUNS)
        turned = [*RUNS[wanted:], *RUNS[:wanted]]
        free = [colour for colour in turned if colour not in colours.values()]
        colours[name] = (free or turned)[0]
    return [colours[name] for name in names]


def state_colour(state: str) -> str:
    """The colour of a state; states by other names share a small set, always the same for a name."""
    known = STATE_COLOURS.get(state) or ARRAY_COLOURS.get(state)
    if known is not None:
        return known
    return _OTHER_STATES[sum(state.encode()) % len(_OTHER_STATES)]


def state_name(state: str) -> str:
    """The name of a state as a reader sees it."""
    return STATE_NAMES.get(state, state.replace("_", " ").capitalize())


def cause_name(cause: str) -> str:
    """The name of a cause as a reader sees it; those of an array's parts are named as their states."""
    return CAUSE_NAMES.get(cause) or state_name(cause)


def from_below(states: list[str]) -> list[str]:
    """States in order of stacking: idle lowest, so that what the work adds lies on top."""
    return sorted(in_order(states), key=lambda state: state != "idle")


def in_order(states: list[str]) -> list[str]:
    """States as tables list them: the drives' states, other states by name, and other parts last."""
    drives, array = list(STATE_COLOURS), list(ARRAY_COLOURS)

    def place(state: str) -> tuple[int, int, str]:
        if state in STATE_COLOURS:
            return 0, drives.index(state), state
        return (2, array.index(state), state) if state in ARRAY_COLOURS else (1, 0, state)

    return sorted(states, key=place)
