"""What could not be expressed, in lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from iowatt.sources.export.loads import Omission

# fio takes 8 KiB of a line, and what is behind that in a comment for an option.
_NAMES: Final = 20


def listed(omissions: Iterable[Omission]) -> list[str]:
    """One line for each, those that differ in their stream only together."""
    groups: dict[tuple[str, str, str, str], list[str]] = {}
    for omission in omissions:
        head, _, rest = omission.key.partition(".")
        name, _, key = rest.rpartition(".") if head == "stream" else ("", "", omission.key)
        named = (name, key) if name and key else ("", omission.key)
        groups.setdefault((named[1], omission.asked, omission.exported, omission.why), []).append(named[0])
    lines = []
    for (key, asked, exported, why), names in groups.items():
        listed_names = ", ".join(names[:_NAMES])
        if len(names) > _NAMES:
            listed_names += f" and {len(names) - _NAMES} more"
        whose = f" of {listed_names}" if any(names) else ""
        lines.append(f"{key}{whose}: {asked}; exported as {exported}: {why}")
    return lines
