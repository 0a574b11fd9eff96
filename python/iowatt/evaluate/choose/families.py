"""Families of candidates: which drives, joined how.

Each has a file in the library (``model/library/candidates``).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final, Literal

from iowatt.base.errors import InputError
from iowatt.base.strict import Name, Strict, key
from iowatt.evaluate.choose.design import Design, Kind, Level, bays_of
from iowatt.evaluate.choose.question import AskedLimits, StorageQuestion
from iowatt.model.library import DatedSource, LibraryFolder, device_file

FOLDER: Final = LibraryFolder("candidates", "family of candidates", "docs/howto/choose.md lists them")

#: Mirrored pairs of flash drives that a cache or tiers are tried with.
PAIRS: Final = (1, 2, 4)
#: Drives of the middle one of three tiers.
MIDDLE: Final = 6
#: Drives per node that a cluster is tried with.
EACH: Final = (2, 4, 6, 10)


class CandidateFamily(Strict):
    """A family of candidates."""

    name: Name = key("Its name.", example="flash-qlc")
    title: str = key("What it is.", min_length=1)
    kind: Kind = key("How its drives are joined.")
    devices: list[str] = key("Drives to try; of a cache or tiers the fast ones.", min_length=1)
    middle: list[str] = key("Drives of the middle one of three tiers.", default=[])
    slow: list[str] = key("The slow drives of a cache or tiers.", default=[])
    levels: list[Literal[5, 6, 10]] = key("RAID levels to try.", default=[6])
    power: dict[str, str] = key(
        "Power figures of a drive that its data sheet lacks, as a scenario's `device.power` has them.",
        default={},
    )
    source: list[DatedSource] = key("Why these.", min_length=1)

    def designs(self) -> Iterator[Design]:
        """Each way to join its drives."""
        for level in self.levels:
            yield from self._of_level(level)

    def _of_level(self, level: Level) -> Iterator[Design]:
        power = tuple(sorted(self.power.items()))
        if self.kind == "cluster":
            for device in self.devices:
                yield from (Design(self.name, self.kind, device, 6, each=each) for each in EACH)
        elif self.kind not in ("cache", "tiers"):
            yield from (Design(self.name, self.kind, one, level, power=power) for one in self.devices)
        else:
            for slow in self.slow:
                for fast in self.devices:
                    for middle in self.middle or (None,):
                        for pairs in PAIRS:
                            yield Design(
                                self.name, self.kind, slow, level, fast, 2 * pairs, middle,
                                0 if middle is None else MIDDLE,
                            )  # fmt: skip


@cache
def library() -> tuple[CandidateFamily, ...]:
    """The families of the library, by name."""
    return tuple(FOLDER.document(name).validate(CandidateFamily) for name in FOLDER.names())


def family_names() -> tuple[str, ...]:
    """Their names."""
    return FOLDER.names()


def families_of(question: StorageQuestion) -> list[CandidateFamily]:
    """The families that a question admits, with its own ones, sorted by name.

    Raises ``InputError`` where neither a family nor a system of one's own is left.
    """
    families = {one.name: one for one in library()}
    for asked in question.family:
        known = families.get(asked.name)
        families[asked.name] = (
            _own_family(asked.name, asked.devices)
            if known is None
            else known.model_copy(update={"devices": asked.devices})
        )
    found = [
        family
        for name, family in sorted(families.items())
        if name not in question.without and (question.families is None or name in question.families)
    ]
    if not found and not question.own:
        raise InputError("empty", "families", "no family of candidates is left")
    return found


def _own_family(name: str, devices: list[str]) -> CandidateFamily:
    source = DatedSource(
        figures=["devices"], quality="assumed", date="2026-11", text="stated in the question"
    )
    return CandidateFamily(
        name=name, title=name, kind="flash", devices=devices, levels=[5, 6, 10], source=[source]
    )


def refused_drive(design: Design, limits: AskedLimits) -> str | None:
    """Why a question's limits exclude a design's drives; None where they do not."""
    for name in design.devices:
        vendor = device_file(name).vendor
        if limits.vendors is not None and (vendor or "").lower() not in [
            one.lower() for one in limits.vendors
        ]:
            return f"{name} is of {vendor}, which is not among the vendors"
        if limits.form_factors is not None and bays_of(name) not in limits.form_factors:
            return f"{name} needs a bay of {bays_of(name)} inches"
    return None
