"""From a scenario's keys to an array's power in numbers, and all that is impossible about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import InputError
from iowatt.base.problems import KeyPath
from iowatt.model.library import DeviceFile, device_file, state_watts
from iowatt.model.power import PoolDrives, ResolvedPower, resolve_power
from iowatt.model.scenario.path_hops import hop_names

if TYPE_CHECKING:
    from iowatt.model.scenario.keys.array import Pool
    from iowatt.model.scenario.keys.scenario import Scenario


_ON_WATTS: Final = re.compile(r"\b(power|watts?|W)\b")
_SSD_WORK: Final = ("random_read", "random_write", "sequential_read", "sequential_write", "active")


@dataclass(frozen=True)
class CalculatorWatts:
    """Watts of a drive as its file has them, ready and at random work; ``how`` is the key of the latter."""

    idle: float | None
    operating: float | None
    how: str


def drive_watts(file: DeviceFile) -> CalculatorWatts:
    """What a drive of the library draws where a scenario gives no watts of its own."""
    known = state_watts(file)
    return CalculatorWatts(known.idle, *_operating(file, known, None))


def pool_drives(pool: Pool, base_dir: Path) -> PoolDrives:
    """The drives of ``pool``.

    Raises ``InputError`` where there is no such device or its file is wrong.
    """
    choice = pool.device
    file = device_file(choice.name, base_dir, choice.drive)
    known = state_watts(file)
    own = choice.power
    if own is not None:
        known = known.model_copy(update=own.model_dump(exclude_none=True))
    capacity = choice.capacity or file.capacity or 0
    peak = [watts for watts in (file.usable_watts("spin_up_peak"), known.spin_up) if watts is not None]
    operating, how = _operating(file, known, own)
    return PoolDrives(
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
        found = {name: watts for name in _SSD_WORK if (watts := file.usable_watts(name)) is not None}
        best = max(found, key=lambda name: found[name], default=None)
        return (None, "") if best is None else (found[best], f"power.{best}")
    watts = file.usable_watts("random_read")
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


def resolve(scenario: Scenario, base_dir: Path, *, simulated: bool) -> ResolvedPower:
    """The power of the array of ``scenario``; device and part files are relative to ``base_dir``.

    ``simulated``: a Run follows, which must know the utilisation of every part.
    """
    controller = scenario.array.controller
    resolved = ResolvedPower(
        base_dir,
        simulated and (controller is None or controller.processing is None),
        links=tuple(_links(scenario)),
    )
    if scenario.array.power is not None:
        drives = _drives(scenario, resolved)
        if not resolved.problems:
            cache = None if controller is None else controller.cache
            size = None if cache is None else cache.size
            resolve_power(scenario.array.power, drives, resolved, size)
    return resolved


def _links(scenario: Scenario) -> Iterator[str]:
    """Buses and links whose busy share a Run has, by the names that parts give them."""
    yield from (f"bus.{bus.name}" for bus in scenario.array.bus)
    controller = scenario.array.controller
    if controller is not None and controller.host_bandwidth is not None:
        yield "controller.host_link"
    if controller is not None and controller.cache is not None and controller.cache.mirror is not None:
        yield "controller.mirror_link"
    for path in scenario.path:
        named = zip(path.hop, hop_names(path.hop), strict=True)
        yield from (f"path.{path.name}.{name}" for hop, name in named if hop.link is not None)
        if path.hba is not None:
            yield f"path.{path.name}.hba"
        if path.port.command:
            yield f"path.{path.name}.port"


def _drives(scenario: Scenario, resolved: ResolvedPower) -> dict[str, PoolDrives]:
    kinds = {}
    for index, pool in enumerate(scenario.array.pool):
        path: KeyPath = ("array", "pool", index, "device")
        try:
            kind = pool_drives(pool, resolved.base_dir)
        except InputError as error:
            message = f"{error.place}: {error.message}" if error.place else error.message
            resolved.problem(error.code, path, message, error.hint)
            continue
        lacking = [name for name in ("idle", "operating") if getattr(kind, f"{name}_w") is None]
        if lacking:
            given = {"idle": 'idle = "..W"', "operating": 'active = "..W"'}
            figures = ", ".join(given[name] for name in lacking)
            resolved.problem(
                "missing-figure",
                path,
                f"{kind.model!r} has no {' and no '.join(lacking)} watts, which the array's power needs",
                f'give them: device = {{ name = "{pool.device.name}", power = {{ {figures} }} }}',
            )
        kinds[pool.name] = kind
    return kinds
