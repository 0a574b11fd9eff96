"""Libraries of a scenario: the figures of their parts found, or what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.base.problems import Reporter
from iowatt.base.results import Note
from iowatt.model.library.tape import (
    MediaLibraryFigures,
    TapeDriveFigures,
    TapeDrivePower,
    media_library,
    tape_drive,
)
from iowatt.model.scenario.keys.library import LibraryKeys
from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.model.scenario.resolved import ResolvedSystem
from iowatt.model.scenario.resolved_library import ResolvedLibrary


def resolve_libraries(scenario: Scenario, system: ResolvedSystem) -> None:
    """Append the libraries of ``scenario`` to ``system``, or report what is wrong with them."""
    array = scenario.array
    if not array.pool and not array.library and not scenario.cluster:
        message = "there are neither pools of drives nor libraries nor clusters"
        hint = "add [[array.pool]], [[array.library]] or [[cluster]]"
        system.report("missing", ("array",), message, hint)
    if not array.library:
        return
    if array.controller is not None:
        message = "a library stands beside arrays, not behind an array controller"
        hint = "leave array.controller out, or give the array a scenario of its own"
        system.report("conflict", ("array", "controller"), message, hint)
    if array.power is not None:
        message = (
            "the watts of a library are those of its own keys, and array.power is for enclosures of drives"
        )
        hint = "leave array.power out: the library's watts are at its input"
        system.report("conflict", ("array", "power"), message, hint)
    taken = {pool.name for pool in array.pool} | {virtual.name for virtual in array.virtual_pool}
    for index, library in enumerate(array.library):
        if library.name in taken:
            message = f"the name {library.name!r} is taken by a pool"
            where = ("array", "library", index, "name")
            system.report("duplicate", where, message, "give each a name of its own")
        resolved = _resolve(library, system.report.at(f"array.library.{index}"))
        if resolved is not None:
            system.libraries.append(resolved)
            system.notes.extend(note for note in resolved.notes if note not in system.notes)


def _resolve(keys: LibraryKeys, report: Reporter) -> ResolvedLibrary | None:
    drive = _found(keys.drive, tape_drive, report.at("drive"))
    robotics = _found(keys.robotics, media_library, report.at("robotics"))
    if drive is None or robotics is None:
        return None
    if (drive.slowest or 0) > (drive.rate or 0):
        message = f"the slowest speed, {drive.slowest:g} B/s, is above the fastest, {drive.rate:g} B/s"
        report("conflict", "drive.slowest", message, "give a slower one")
        return None
    notes = [
        Note(code="assumed-figures", text=text)
        for part in (drive, robotics)
        for text in getattr(part, "assumptions", ())
    ]
    drive_name = keys.drive.name or f"{keys.name}-drive"
    return ResolvedLibrary(keys, drive, robotics, drive_name, keys.robotics.name or keys.name, notes)


def _found(choice: Any, find: Any, report: Reporter) -> Any:
    """The figures of a choice, complete; None where some are missing, or there is no such part."""
    figures = choice
    if choice.name is not None:
        try:
            known = find(choice.name)
        except InputError as error:
            report(error.code, "name", error.message, error.hint)
            return None
        changes = {name: getattr(choice, name) for name in choice.model_fields_set - {"name", "power"}}
        if "power" in choice.model_fields_set:
            own = {name: getattr(choice.power, name) for name in choice.power.model_fields_set}
            changes["power"] = known.power.model_copy(update=own)
        figures = known.model_copy(update=changes)
    missing = list(_missing(figures, _NEEDED[isinstance(figures, MediaLibraryFigures)]))
    for name in missing:
        report(
            "missing-figure",
            name,
            f"the figure {name} is missing",
            "give it here, or name a part of the library",
        )
    return None if missing else figures


_NEEDED: Final[dict[bool, type[Any]]] = {False: TapeDriveFigures, True: MediaLibraryFigures}


def _missing(figures: Any, model: type[Any]) -> Sequence[str]:
    lacking = [name for name in model.model_fields if getattr(figures, name) is None]
    if model is TapeDriveFigures:
        power = figures.power
        lacking += [f"power.{name}" for name in TapeDrivePower.model_fields if getattr(power, name) is None]
    return lacking
