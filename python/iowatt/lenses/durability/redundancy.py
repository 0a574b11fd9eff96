"""A group with one parity or copy more or less, as one would build it.

Of an erasure code and of copies the data units stay: another parity or copy is another drive of a group, or
takes space of a pool whose drives hold many groups. Of RAID-0, 5 and 6 the drives stay, and parity takes one.
The data stays where it fits; volumes that fill the pool fill what is left of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from iowatt.lenses.durability.groups import DataGroup

#: Share of a pool from which its volumes are taken to fill it.
_FULL: Final = 0.999
#: Parity over whole drives, by the lost drives that it survives.
_RAID: Final = {0: "RAID-0", 1: "RAID-5", 2: "RAID-6", 3: "triple parity"}
_UNITS: Final = {"copies": "copy", "ec": "parity", "raid": "parity"}


def with_more(group: DataGroup, more: int) -> DataGroup | None:
    """The group with ``more`` (1 or -1) parities or copies.

    None where it has too few drives or units of a failure domain, and for codes whose parities are of several
    kinds.
    """
    kept, survives = group.redundancy, group.survives + more
    if kept is None or survives < 0:
        return None
    if kept.kind == "raid":
        return _raid(group, survives)
    scheme = f"{survives + 1} copies" if kept.kind == "copies" else f"EC {kept.data}+{survives}"
    if kept.kind == "copies" and not survives:
        scheme = "one copy"
    changed = replace(group, survives=survives, scheme=scheme, title=scheme)
    if group.code["code"] == "declustered":
        return _wider(changed, int(group.code["width"]) + more, survives)
    if group.code["code"] == "spans":
        return _of_members(changed, group.members // 2 * (survives + 1))
    return _of_members(changed, group.members + more)


def _raid(group: DataGroup, survives: int) -> DataGroup | None:
    width = int(group.code.get("width", group.members))
    if survives >= width or survives not in _RAID:
        return None
    share = (width - survives) / (width - group.survives)
    scheme = _RAID[survives]
    code = {**group.code, "losses": survives}
    return _in_space(replace(group, survives=survives, code=code, scheme=scheme, title=scheme), share)


def _of_members(group: DataGroup, members: int) -> DataGroup | None:
    """The same data on so many drives."""
    if members < 1 or not all(domain.packed for domain in group.domains):
        return None
    code: dict[str, object] = {"code": "any", "losses": group.survives}
    if group.code["code"] == "spans" and group.survives:
        code = {"code": "spans", "width": group.survives + 1, "losses": group.survives}
    domains = tuple(domain.over(members) for domain in group.domains)
    return replace(group, members=members, code=code, domains=domains)


def _wider(group: DataGroup, width: int, survives: int) -> DataGroup | None:
    """Sets of so many units in the same space: fewer of them the wider they are."""
    if width > (group.places or group.members):
        return None
    share = group.code["width"] / width
    code = {**group.code, "width": width, "losses": survives, "sets": group.code["sets"] * share}
    return _in_space(replace(group, code=code), share)


def _in_space(group: DataGroup, share: float) -> DataGroup:
    """The group with ``share`` of its usable bytes."""
    usable = group.usable_bytes * share
    full = group.user_bytes > min(usable, _FULL * group.usable_bytes)
    user = usable if full else group.user_bytes
    filled = group.filled * user / group.user_bytes / share if group.code["code"] == "declustered" else 1.0
    return replace(group, usable_bytes=usable, user_bytes=user, filled=min(1.0, filled))


def in_words(before: Sequence[DataGroup], after: Sequence[DataGroup | None], more: int) -> str:
    """What groups become: their scheme where it is one, else what all have more or less of."""
    pairs = [(old, new) for old, new in zip(before, after, strict=True) if new is not None]
    schemes = {new.scheme for _, new in pairs}
    if len(schemes) == 1:
        return schemes.pop()
    units = sorted({_UNITS[old.redundancy.kind] for old, _ in pairs if old.redundancy is not None})
    unit = " or ".join(units)
    return f"one more {unit}" if more > 0 else f"one {unit} less"
