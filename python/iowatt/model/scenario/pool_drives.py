"""Watts of a pool's drives as an array's power needs them: no mechanics, so that any device file will do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.model.library import derive
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.find import device_file
from iowatt.model.power.drives import Drives

if TYPE_CHECKING:
    from iowatt.model.scenario.array import Pool

_ON_WATTS: Final = re.compile(r"\b(power|watts?|W)\b")
_SSD_WORK: Final = ("random_read", "random_write", "sequential_read", "sequential_write", "active")


def drives(pool: Pool, base_dir: Path) -> Drives:
    """The drives of ``pool``.

    Raises ``InputError`` where there is no such device or its file is wrong.
    """
    choice = pool.device
    file = device_file(choice.name, base_dir, choice.drive)
    steps = derive.Steps()
    known = derive.power(file, steps)
    own = choice.power
    if own is not None:
        known = known.model_copy(update=own.model_dump(exclude_none=True))
    capacity = choice.capacity or file.capacity or 0
    peak = [watts for watts in (derive.usable(file, "spin_up_peak"), known.spin_up) if watts is not None]
    operating, how = _operating(file, known, own)
    return Drives(
        pool=pool.name,
        model=file.name,
        count=pool.drives,
        raw_bytes=capacity * pool.drives,
        form_factor=file.form_factor,
        idle_w=known.idle,
        operating_w=operating,
        standby_w=known.standby,
        # Nothing spins up in an ssd.
        spin_up_w=known.idle if file.kind == "ssd" else max(peak, default=None),
        spin_up_s=0.0 if file.kind == "ssd" else known.spin_up_time,
        sources=tuple(_sources(file, own, operating, how)),
    )


def _operating(file: DeviceFile, known: Any, own: Any) -> tuple[float | None, str]:
    if own is not None:
        for name in ("positioning", "active"):
            if getattr(own, name) is not None:
                return getattr(own, name), "given by the scenario"
    if file.kind == "ssd":
        found = {name: watts for name in _SSD_WORK if (watts := derive.usable(file, name)) is not None}
        best = max(found, key=lambda name: found[name], default=None)
        return (None, "") if best is None else (found[best], f"power.{best}")
    watts = derive.usable(file, "random_read")
    if watts is not None:
        return watts, "power.random_read"
    for name in ("positioning", "active"):
        if (watts := getattr(known, name)) is not None:
            return watts, f"power.{name}"
    return None, ""


def _sources(file: DeviceFile, own: Any, operating: float | None, how: str) -> list[str]:
    """One sentence for each figure: its watts, how good it is, and where it comes from."""
    said = [f"{file.name}: {text}" for text in file.assumptions if _ON_WATTS.search(text)]
    for figure, watts, path in (("idle", file.power.idle, "power.idle"), ("operating", operating, how)):
        if watts is None:
            continue
        if path == "given by the scenario" or (own is not None and figure == "idle" and own.idle is not None):
            shown = own.idle if figure == "idle" and own.idle is not None else watts
            said.append(f"{file.name}: {figure} {shown:g} W, given by the scenario")
            continue
        source = file.source_of(path)
        if source is None:
            said.append(f"{file.name}: {figure} {watts:g} W, derived from its other figures ({path})")
        else:
            basis = f", {source.basis}" if source.basis else ""
            said.append(f"{file.name}: {figure} {watts:g} W, {source.quality}{basis}: {source.text}")
    return said
