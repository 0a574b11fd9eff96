"""Reads a family file, and finds contradictions between keys that are right each on its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from iowatt.base.document import TomlDocument, read_text
from iowatt.base.errors import InputError
from iowatt.base.problems import KeyPath, Problem, suggestion
from iowatt.emerald.family.candidate import counts, fewest, of_configuration, problem
from iowatt.emerald.family.family import Family
from iowatt.emerald.family.file import FamilyFile
from iowatt.emerald.family.hardware import DriveOption
from iowatt.emerald.family.metric import all_metrics, find_metric
from iowatt.model.power import find_part
from iowatt.model.raid import LEAST_DRIVES, LEAST_SET


def load(path: Path, sets: Sequence[str] = ()) -> Family:
    """The family of a file.

    ``sets``: ``path=value`` overrides.
    Raises ``InputError``: keys that are wrong or contradict each other, and devices that do not exist, with
    lines.
    """
    hint = "docs/howto/emerald-bff.md builds one; `iowatt schema family` describes it"
    return read(read_text(path, hint), str(path), path.parent, sets)


def read(text: str, source: str, base: Path, sets: Sequence[str] = ()) -> Family:
    """The family of a text that messages call ``source``. Raises as :func:`load`."""
    document = TomlDocument(text, source, sets, FamilyFile)
    family = Family(document.validate(FamilyFile), document, base, text, tuple(sets))
    document.fail(_problems(family))
    return family


def _problems(family: Family) -> Iterator[Problem]:
    """All contradictions; configurations are checked once the rest holds."""
    found = [*_names(family), *_controllers(family), *_levels(family), *_nodes(family)]
    for at, drive in enumerate(family.file.drive):
        found += _drive(family, drive, ("drive", at))
    found += _metrics(family)
    yield from found
    if not found:
        yield from _offered(family)
        for at in range(len(family.file.configuration)):
            yield from _configuration(family, at)


def _names(family: Family) -> Iterator[Problem]:
    named = [(kind, "name") for kind in ("controller", "shelf", "drive", "raid", "configuration")]
    for kind, name in (*named, ("ras", "feature"), ("com", "method")):
        seen: set[str] = set()
        for at, one in enumerate(getattr(family.file, kind)):
            own = getattr(one, name)
            if own in seen:
                message = f"the {name} {own!r} is taken by another {kind}"
                yield Problem("duplicate", (kind, at, name), message, "give each a different one")
            seen.add(own)


def _controllers(family: Family) -> Iterator[Problem]:
    for at, one in enumerate(family.file.controller):
        path: KeyPath = ("controller", at)
        try:
            kinds = [
                part.kind or (find_part(part.model, family.base).kind if part.model else None)
                for part in one.part
            ]
        except InputError as error:
            yield Problem(error.code, (*path, "part"), error.message, error.hint)
            continue
        if "controller" not in kinds:
            message = "none of its parts has the kind controller"
            yield Problem("missing", (*path, "part"), message, 'give one of them kind = "controller"')
        most = max(one.drives.values())
        if one.most_drives is not None and one.most_drives < most:
            message = f"{one.most_drives} drives in all are fewer than {most} of one form factor"
            hint = f"{most} or more, or a lower limit in drives"
            yield Problem("conflict", (*path, "most_drives"), message, hint)
        if one.shelves is not None:
            slots = max(shelf.slots for shelf in family.file.shelf)
            if one.shelves * slots < min(one.drives.values()):
                message = (
                    f"{one.shelves} shelves of {slots} drives hold {one.shelves * slots}, fewer than drives "
                    f"allows, {min(one.drives.values())}"
                )
                yield Problem("conflict", (*path, "shelves"), message, "more shelves, or fewer drives")


def _levels(family: Family) -> Iterator[Problem]:
    for at, one in enumerate(family.file.raid):
        path: KeyPath = ("raid", at)
        if one.width is not None:
            if one.level not in LEAST_SET:
                message = f"sets of chunklets have level 0, 5, 6 or 10, not {one.level}"
                yield Problem("not-applicable", (*path, "width"), message, "leave width out")
            elif one.width < LEAST_SET[one.level] or (one.level == 10 and one.width % 2):
                even = "an even number of drives, " if one.level == 10 else ""
                needed = f"{even}{LEAST_SET[one.level]} or more"
                message = f"a set of RAID-{one.level} has {needed}, not {one.width}"
                yield Problem("out-of-range", (*path, "width"), message)
            if one.stripe_unit > one.chunklet:
                message = f"{one.stripe_unit} bytes are more than a chunklet has, {one.chunklet}"
                hint = "a smaller unit, or a larger chunklet"
                yield Problem("out-of-range", (*path, "stripe_unit"), message, hint)
        fewest_drives = LEAST_DRIVES[one.level] if one.width is None else one.width
        if one.least is not None and one.least < fewest_drives:
            message = f"{one.least} drives are fewer than the level needs, {fewest_drives}"
            yield Problem("out-of-range", (*path, "least"), message, f"{fewest_drives} or more")


def _nodes(family: Family) -> Iterator[Problem]:
    out = family.file.scale_out
    if out is None:
        for at, one in enumerate(family.file.configuration):
            if one.nodes != 1:
                message, hint = f"{one.nodes} nodes, and no [scale_out]", "leave it out, or add [scale_out]"
                yield Problem("not-applicable", ("configuration", at, "nodes"), message, hint)
        return
    if out.nodes.least > out.nodes.most:
        message = f"least, {out.nodes.least} nodes, is more than most, {out.nodes.most}"
        yield Problem("conflict", ("scale_out", "nodes", "least"), message, f"at most {out.nodes.most}")
    most = max(max(one.drives.values()) for one in family.file.controller)
    for number in out.drives_per_node or ():
        if number > most:
            message = f"{number} drives are more than any node takes, {most}"
            yield Problem("out-of-range", ("scale_out", "drives_per_node"), message, f"at most {most}")


def _drive(family: Family, drive: DriveOption, path: KeyPath) -> Iterator[Problem]:
    shelves = [one.name for one in family.file.shelf]
    levels = [one.name for one in family.file.raid]
    for at, name in enumerate(drive.raid or ()):
        if name not in levels:
            hint = suggestion(name, levels, "raid")
            yield Problem("unknown-name", (*path, "raid", at), f"there is no level {name!r}", hint)
    if drive.shelf is not None and drive.shelf not in shelves:
        hint = suggestion(drive.shelf, shelves, "shelves")
        yield Problem("unknown-name", (*path, "shelf"), f"there is no shelf {drive.shelf!r}", hint)
        return
    try:
        width = family.form_factor(drive)
        capacity = family.capacity(drive)
    except InputError as error:
        yield Problem(error.code, (*path, "device"), str(error).partition("\n")[0], error.hint)
        return
    own = family.device(drive).form_factor
    if drive.form_factor is not None and own in ("2.5", "3.5") and own != drive.form_factor:
        message = f"its file says {own} inches, not {drive.form_factor}"
        yield Problem("conflict", (*path, "form_factor"), message, "leave it out, or choose another device")
        return
    if capacity is None:
        hint = 'device = { name = "...", capacity = "300GB" }'
        yield Problem("missing-figure", (*path, "device"), "its file does not say its capacity", hint)
    if width is None:
        message = "its file does not say 2.5 or 3.5 inches"
        yield Problem("missing-figure", (*path, "form_factor"), message, 'form_factor = "2.5"')
        return
    shelf = family.shelf_of(drive)
    if shelf is None:
        message = f"no shelf takes a drive of {width} inches"
        known = ", ".join(f"{one.name} ({one.form_factor})" for one in family.file.shelf)
        hint = f"shelves: {known}; add one, or another drive"
        yield Problem("infeasible", (*path, "form_factor"), message, hint)
    elif width == "3.5" and shelf.form_factor == "2.5":
        message = f"a drive of 3.5 inches does not fit the slots of {shelf.name!r}, 2.5 inches"
        yield Problem("infeasible", (*path, "shelf"), message, "a shelf of 3.5 inches, or another drive")


def _metrics(family: Family) -> Iterator[Problem]:
    try:
        all_metrics(family)
    except InputError as error:
        yield Problem(error.code, ("rules",), error.message, error.hint)
        return
    for at, one in enumerate(family.file.configuration):
        for place, listed in (("metrics", one.metrics or ()), ("limits", one.limits)):
            for name in listed:
                try:
                    find_metric(family, name)
                except InputError as error:
                    yield Problem(error.code, ("configuration", at, place), error.message, error.hint)


def _offered(family: Family) -> Iterator[Problem]:
    """Every drive with every level must fit some controller."""
    for at, drive in enumerate(family.file.drive):
        for raid in family.levels_of(drive):
            if not any(counts(family, drive, raid, one, by="drive") for one in family.file.controller):
                message = f"no controller takes the {fewest(drive, raid)} drives that {raid.name!r} needs"
                hint = "a higher limit in drives, or a lower least or width"
                yield Problem("infeasible", ("drive", at), message, hint)


def _configuration(family: Family, at: int) -> Iterator[Problem]:
    one, path = family.file.configuration[at], ("configuration", at)
    controllers = [named.name for named in family.file.controller]
    if one.controller not in controllers:
        message = f"there is no controller {one.controller!r}"
        hint = suggestion(one.controller, controllers, "controllers")
        yield Problem("unknown-name", (*path, "controller"), message, hint)
        return
    drives, levels = ([named.name for named in getattr(family.file, kind)] for kind in ("drive", "raid"))
    for number, group in enumerate(one.group):
        for kind, known in (("drive", drives), ("raid", levels)):
            name = getattr(group, kind)
            if name not in known:
                message, hint = f"there is no {kind} {name!r}", suggestion(name, known, f"{kind} options")
                yield Problem("unknown-name", (*path, "group", number, kind), message, hint)
                return
    wrong = problem(family, of_configuration(one))
    if wrong is not None:
        yield Problem("infeasible", (*path, "group"), wrong)
