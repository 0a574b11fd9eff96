"""What ``iowatt doctor`` shows: components by purpose, and the machine."""

from __future__ import annotations

import re

from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Figure, Table, text_columns
from iowatt.sources.environment import Doctor


def document(found: Doctor) -> Document:
    """The document of the components; what is missing is a caveat, which decides where it is essential."""
    missing = [part for part in found.parts if not part.found]
    verdict = "Scenarios can be run here."
    if not found.ready:
        names = ", ".join(part.name for part in missing if part.essential)
        verdict = f"Scenarios cannot be run here: {names} missing."
    purposes = dict.fromkeys(part.purpose for part in found.parts)
    machine = found.machine
    memory = f"{machine.memory_bytes / 2**30:.1f} GiB" if machine.memory_bytes else "an unknown amount"
    return Document(
        "doctor",
        "installation",
        "iowatt's installation",
        meta=f"{machine.system}, {machine.cores} cores, {memory} of memory",
        verdict=[verdict],
        sections=[Section("components", "Components", [_components(found, one) for one in purposes])],
        caveats=[
            Caveat(f"{part.name} ({part.purpose}) is missing: {part.fix}", decides=part.essential)
            for part in missing
        ],
    )


def _components(found: Doctor, purpose: str) -> Figure:
    rows: list[list[Cell]] = [
        [part.name, part.detail if part.found else f"missing: {part.fix}"]
        for part in found.parts
        if part.purpose == purpose
    ]
    table = Table(text_columns("Component", "Version or path"), rows)
    key = re.sub("[^a-z]+", "-", purpose.lower()).strip("-")
    return Figure(key, purpose[0].upper() + purpose[1:], "", table, brief=True)
