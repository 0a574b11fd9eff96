"""All configurations of a family, by whole shelves and by single drives."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import suggestion
from iowatt.emerald.family.family import Family
from iowatt.emerald.family.file import Configuration
from iowatt.emerald.family.hardware import ControllerClass, DriveOption, RaidOption, Shelf
from iowatt.model.raid import LEAST_DRIVES, count_problem

By = Literal["shelf", "drive"]


@dataclass(frozen=True)
class Group:
    """Like drives under one level."""

    drive: str
    count: int
    raid: str


@dataclass(frozen=True)
class Candidate:
    """A configuration; of a scale-out family, counts are those of all nodes."""

    controller: str
    groups: tuple[Group, ...]
    nodes: int = 1

    @property
    def drives(self) -> int:
        """All drives."""
        return sum(group.count for group in self.groups)

    @property
    def label(self) -> str:
        """Groups and class: ``120 x sff-15k-146gb, raid-5, lower``."""
        parts = [f"{group.count} x {group.drive}, {group.raid}" for group in self.groups]
        nodes = f"{self.nodes} x " if self.nodes > 1 else ""
        return f"{' + '.join(parts)}, {nodes}{self.controller}"

    def as_dict(self) -> dict[str, Any]:
        """As a document has it."""
        return {"controller": self.controller, "nodes": self.nodes, "groups": list(map(asdict, self.groups))}


def of_configuration(configuration: Configuration) -> Candidate:
    """The candidate that a ``[[configuration]]`` names."""
    groups = tuple(Group(one.drive, one.count, one.raid) for one in configuration.group)
    return Candidate(configuration.controller, groups, configuration.nodes)


def named_candidate(family: Family, name: str) -> Candidate:
    """A configuration of the family by name. Raises ``InputError`` where there is none."""
    names = [one.name for one in family.file.configuration]
    if name not in names:
        text, hint = f"there is no configuration {name!r}", suggestion(name, names, "configurations")
        raise InputError("unknown-name", family.document.source, text, hint=hint)
    return of_configuration(family.configuration(name))


def candidates(
    family: Family,
    *,
    drive: str | None = None,
    raid: str | None = None,
    controller: str | None = None,
    by: By = "shelf",
) -> tuple[Candidate, ...]:
    """Configurations of one type of drive, rising in drives within each series.

    ``drive``, ``raid``, ``controller``: names; None: all of them.
    ``by``: in steps of whole shelves, or of single drives (of a scale-out family, always by whole nodes).
    Raises ``InputError``: a name that the family does not have.
    """
    drives = _chosen(family.file.drive, drive, "drive")
    levels = _chosen(family.file.raid, raid, "raid")
    classes = _chosen(family.file.controller, controller, "controller")
    return tuple(
        Candidate(owner.name, (Group(option.name, count, level.name),), nodes)
        for option in drives
        for level in levels
        if level in family.levels_of(option)
        for owner in classes
        for nodes, count in counts(family, option, level, owner, by=by)
    )


def _chosen(listed: Sequence[Any], name: str | None, kind: str) -> list[Any]:
    found = [one for one in listed if name is None or one.name == name]
    if not found:
        names = [one.name for one in listed]
        hint = suggestion(str(name), names, f"{kind} options")
        raise InputError("unknown-name", Argument(kind), f"there is no {kind} {name!r}", hint=hint)
    return found


def counts(
    family: Family, drive: DriveOption, raid: RaidOption, controller: ControllerClass, *, by: By
) -> list[tuple[int, int]]:
    """(nodes, drives in all) of the configurations of one series."""
    shelf = family.shelf_of(drive)
    if shelf is None:
        return []
    most = _most(family, drive, shelf, controller)
    out = family.file.scale_out
    if out is None:
        return [(1, count) for count in _steps(_range(drive, raid, shelf, most, by), drive, raid)]
    each = out.drives_per_node or [*range(shelf.slots, most + 1, shelf.slots)]
    return [
        (nodes, nodes * number)
        for number in each
        if number <= most
        for nodes in range(out.nodes.least, out.nodes.most + 1, out.nodes.step)
        if _takes(nodes * number, drive, raid, number)
    ]


def _range(drive: DriveOption, raid: RaidOption, shelf: Shelf, most: int, by: By) -> Iterable[int]:
    if by == "shelf":
        full = [*range(shelf.slots, most + 1, shelf.slots)]
        return [*full, most] if most % shelf.slots else full
    return range(fewest(drive, raid), most + 1, drive.step)


def _steps(listed: Iterable[int], drive: DriveOption, raid: RaidOption) -> list[int]:
    """The counts that the level takes; where a shelf's do not (an odd number of mirrors), the next fewer."""
    found: list[int] = []
    for count in listed:
        fitting = next((n for n in (count, count - 1) if _takes(n, drive, raid, n)), None)
        if fitting is not None and fitting not in found:
            found.append(fitting)
    return found


def _takes(count: int, drive: DriveOption, raid: RaidOption, per_node: int) -> bool:
    if count < fewest(drive, raid) or (raid.width is not None and per_node < raid.width):
        return False
    return raid.width is not None or count_problem(raid.level, count) is None


def fewest(drive: DriveOption, raid: RaidOption) -> int:
    """Fewest drives of a group."""
    return max(drive.least, raid.least or 0, raid.width or LEAST_DRIVES[raid.level])


def _most(family: Family, drive: DriveOption, shelf: Shelf, controller: ControllerClass) -> int:
    """Most drives of an option behind one controller."""
    width = family.form_factor(drive)
    limit = controller.drives.get(width, 0) if width else 0
    limit = min(limit, controller.most_drives or limit)
    shelves = min(shelf.most or math.inf, controller.shelves or math.inf)
    return limit if math.isinf(shelves) else min(limit, int(shelves) * shelf.slots)


def problem(family: Family, candidate: Candidate) -> str | None:
    """Why a configuration cannot be built, in a sentence; None where it can."""
    controller, nodes = family.controller(candidate.controller), candidate.nodes
    by_width: dict[str, int] = {}
    by_shelf: dict[str, int] = {}
    for group in candidate.groups:
        drive, raid = family.drive(group.drive), family.raid(group.raid)
        if raid not in family.levels_of(drive):
            return f"{drive.name} is not offered with {raid.name}"
        if group.count % nodes:
            return f"{group.count} drives do not divide evenly over {nodes} nodes"
        wrong = None if raid.width is not None else count_problem(raid.level, group.count)
        if wrong is not None:
            return wrong[0]
        if group.count < fewest(drive, raid) or group.count // nodes < (raid.width or 1):
            return f"{group.count} x {drive.name} are fewer than {raid.name} takes, {fewest(drive, raid)}"
        shelf, width = family.shelf_of(drive), family.form_factor(drive)
        if shelf is None or width is None:
            return f"no shelf takes {drive.name}"
        by_width[width] = by_width.get(width, 0) + group.count // nodes
        by_shelf[shelf.name] = by_shelf.get(shelf.name, 0) + group.count // nodes
    return _too_many(family, controller, by_width, by_shelf)


def _too_many(
    family: Family, controller: ControllerClass, by_width: dict[str, int], by_shelf: dict[str, int]
) -> str | None:
    for width, count in by_width.items():
        most = controller.drives.get(width, 0)  # type: ignore[call-overload]
        if count > most:
            return f"{count} drives of {width} inches are more than {controller.name!r} takes, {most}"
    total = sum(by_width.values())
    if controller.most_drives is not None and total > controller.most_drives:
        return f"{total} drives are more than {controller.name!r} takes, {controller.most_drives}"
    shelves = 0
    for name, count in by_shelf.items():
        shelf = family.shelf(name)
        needed = -(-count // shelf.slots)
        shelves += needed
        if shelf.most is not None and needed > shelf.most:
            return f"{needed} shelves {name!r} are more than one controller takes, {shelf.most}"
    if controller.shelves is not None and shelves > controller.shelves:
        return f"{shelves} shelves are more than {controller.name!r} takes, {controller.shelves}"
    return None


def shelves(family: Family, candidate: Candidate) -> dict[str, int]:
    """How many shelves of each kind a configuration has."""
    found: dict[str, int] = {}
    for group in candidate.groups:
        shelf = family.shelf_of(family.drive(group.drive))
        assert shelf is not None
        found[shelf.name] = found.get(shelf.name, 0) + group.count // candidate.nodes
    return {name: candidate.nodes * -(-count // family.shelf(name).slots) for name, count in found.items()}
