"""The arm and the spindle of a DiskSim drive (``dm_mech_g1``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from iowatt.base.errors import InputError
from iowatt.base.packed_file import locate
from iowatt.model.library.disksim import seek
from iowatt.model.library.disksim.parameter import (
    Table,
    duration,
    ignored,
    numbers,
    one_of,
    read_fields,
    real,
    seconds,
    used,
    word,
)
from iowatt.model.library.disksim.seek import SeekTable
from iowatt.model.library.disksim.tree import Block

SEEK_TYPES: Final = ("linear", "curve", "constant", "hpl", "hplplus10", "extracted")
MECHANICS: Table = {
    "Access time type": used("access_time", one_of("constant", "averageRotation", "trackSwitchPlusRotation")),
    "Constant access time": used("constant_access_s", duration, required=False),
    "Seek type": used("seek_type", one_of(*SEEK_TYPES)),
    "Average seek time": used("average", duration, required=False),
    "Constant seek time": used("constant", duration, required=False),
    "Single cylinder seek time": used("single", duration, required=False),
    "Full strobe seek time": used("full", duration, required=False),
    "Full seek curve": used("curve_file", word, required=False),
    "First ten seek times": used("first_ten", numbers, required=False),
    "HPL seek equation values": used("hpl", numbers, required=False),
    "Add. write settling delay": used("write_settle_s", seconds),
    "Head switch time": used("head_switch_s", duration),
    "Rotation speed (in rpms)": used("rpm", real(above=0, high=1e6)),
    "Percent error in rpms": ignored(
        "DiskSim 4.0 reads it and does not use it (rpm randomization is disabled); neither does iowatt",
        neutral=0,
    ),
}
"""``dm_mech_g1``. The seek type decides which seek parameters are used; the others are reported."""


SEEK_KEYS = {
    "linear": ("Single cylinder seek time", "Average seek time", "Full strobe seek time"),
    "curve": ("Single cylinder seek time", "Average seek time", "Full strobe seek time"),
    "constant": ("Constant seek time",),
    "hpl": ("HPL seek equation values",),
    "hplplus10": ("HPL seek equation values", "First ten seek times"),
    "extracted": ("Full seek curve",),
}
_ALL_SEEK_KEYS = tuple(dict.fromkeys(key for keys in SEEK_KEYS.values() for key in keys))


@dataclass(frozen=True)
class DiskSimMechanics:
    """Arm and spindle. Times in seconds.

    seek: The table ``seek`` of a device file.
    head_switch_s: To another head of the same cylinder; positioning takes the longer of this and the seek.
    write_settle_s: Added to the positioning of a write where that is not zero; negative where reads are the
        slower ones.
    access_time: ``rotating``: positioning follows the platter. ``average-rotation``: half a turn in place of
        the rotational wait. ``constant``: every access takes ``constant_access_s``.
    """

    rpm: float
    seek: SeekTable
    head_switch_s: float
    write_settle_s: float
    access_time: Literal["rotating", "average-rotation", "constant"]
    constant_access_s: float = 0.0

    @property
    def turn_s(self) -> float:
        """One turn of the spindle."""
        return 60 / self.rpm


def read_mechanics(block: Block, cylinders: int, warnings: list[str], notes: list[str]) -> DiskSimMechanics:
    """The mechanics that a ``dm_mech_g1`` block describes; its seek curve file is read too.

    Raises ``InputError`` where a parameter is missing, out of range, or the curve file is not one.
    """
    fields = read_fields(block, MECHANICS, warnings)
    kind = fields["seek_type"]
    for key in _ALL_SEEK_KEYS:
        if key in SEEK_KEYS[kind] and key not in block.entries:
            raise InputError("missing", block.where("Seek type"), f"seek type {kind} needs {key!r}")
        if key not in SEEK_KEYS[kind] and key in block.entries:
            warnings.append(
                f"{block.where(key)}: {block}: {key} is ignored: seek type {kind} does not use it"
            )
    if kind == "linear":
        notes.append(
            f"{block.where('Seek type')}: seeks are two straight lines as DiskSim's manual says; "
            "DiskSim 4.0 itself gives every seek of 2 cylinders or more the full stroke's time"
        )
    access = fields["access_time"]
    constant = fields.get("constant_access_s")
    if access == "constant" and constant is None:
        raise InputError(
            "missing",
            block.where("Access time type"),
            "access time type constant needs 'Constant access time'",
        )
    if access != "constant" and constant is not None:
        warnings.append(
            f"{block.where('Constant access time')}: {block}: Constant access time is ignored: "
            f"access time type {access} does not use it"
        )
    return DiskSimMechanics(
        rpm=fields["rpm"],
        seek=_seek(block, kind, fields, cylinders),
        head_switch_s=fields["head_switch_s"],
        write_settle_s=fields["write_settle_s"],
        access_time=(
            "constant"
            if access == "constant"
            else "rotating"
            if access == "trackSwitchPlusRotation"
            else "average-rotation"
        ),
        constant_access_s=constant if access == "constant" and constant is not None else 0.0,
    )


def _seek(block: Block, kind: str, fields: Mapping[str, Any], cylinders: int) -> SeekTable:
    three: list[Any] = [fields.get(name) for name in ("single", "average", "full")]
    if kind == "extracted":
        place = block.where("Full seek curve")
        return seek.read_seek(locate(fields["curve_file"], block.path.parent, place))
    if kind == "constant":
        return seek.constant(fields["constant"])
    if kind == "linear":
        return seek.linear(*three, cylinders=cylinders)
    return seek.curve(*three) if kind == "curve" else _hpl(block, kind, fields)


def _hpl(block: Block, kind: str, fields: Mapping[str, Any]) -> SeekTable:
    values, first = fields["hpl"], ()
    if len(values) != 6:
        raise InputError(
            "wrong-type",
            block.where("HPL seek equation values"),
            f"'HPL seek equation values' must be 6 numbers, not {len(values)}",
        )
    if kind == "hplplus10":
        first = fields["first_ten"]
        if len(first) != 10 or min(first) < 0:
            raise InputError(
                "out-of-range",
                block.where("First ten seek times"),
                "'First ten seek times' must be 10 times in milliseconds",
            )
    return seek.hpl(values, first)
