"""An array's power in numbers: the part of a plan file that the calculator and Runs work from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from iowatt.model.power.drives import Drives
from iowatt.model.power.laws import Part
from iowatt.model.power.supplies import Supplies

Mix = tuple[int, ...]


@dataclass(frozen=True)
class Enclosure:
    """Like enclosures. ``filling`` is (how many of them in a row, drives of each of ``pools`` in one)."""

    name: str
    pools: tuple[str, ...]
    slots: int
    filling: tuple[tuple[int, Mix], ...]
    parts: tuple[Part, ...]
    supplies: Supplies | None

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(number for number, _ in self.filling)

    @property
    def drives(self) -> int:
        """Drives in all of them."""
        return sum(number * sum(mix) for number, mix in self.filling)

    def each(self) -> Iterator[Mix]:
        """The drives of each pool in each of them, one after another."""
        for number, mix in self.filling:
            for _ in range(number):
                yield mix

    def component(self, part: Part) -> str:
        """The name of a part in results."""
        return f"{self.name}.{part.name}"


@dataclass(frozen=True)
class Stagger:
    """How drives are started; seconds."""

    at_once: int
    interval_s: float | None
    per_array: bool


@dataclass(frozen=True)
class ArrayPlan:
    """An array's power."""

    enclosures: tuple[Enclosure, ...]
    drives: Mapping[str, Drives]
    stagger: Stagger | None
    pue: float | None
    btu_per_wh: float
    btu_slip: bool

    @property
    def parts(self) -> list[tuple[Enclosure, Part]]:
        """All parts with their enclosures."""
        return [(enclosure, part) for enclosure in self.enclosures for part in enclosure.parts]

    def sources(self) -> list[str]:
        """Where all figures come from."""
        lines = [line for kind in self.drives.values() for line in kind.sources]
        lines += [line for _, part in self.parts for line in part.sources]
        return list(dict.fromkeys(lines))

    def as_dict(self) -> dict[str, Any]:
        """The part ``power`` of a plan file."""
        stagger = self.stagger
        return {
            "enclosures": [
                {
                    "name": enclosure.name,
                    "pools": list(enclosure.pools),
                    "slots": enclosure.slots,
                    "filling": [[number, list(mix)] for number, mix in enclosure.filling],
                    "parts": [part.as_dict() for part in enclosure.parts],
                    "supplies": None if enclosure.supplies is None else enclosure.supplies.as_dict(),
                }
                for enclosure in self.enclosures
            ],
            "drives": [kind.as_dict() for kind in self.drives.values()],
            "stagger": None
            if stagger is None
            else {
                "at_once": stagger.at_once,
                "interval_s": stagger.interval_s,
                "per_array": stagger.per_array,
            },
            "pue": self.pue,
            "btu_per_wh": self.btu_per_wh,
            "btu_slip": self.btu_slip,
        }

    @classmethod
    def of(cls, plan: Mapping[str, Any]) -> ArrayPlan:
        """From the part ``power`` of a plan file."""
        return cls(
            enclosures=tuple(_enclosure(part) for part in plan["enclosures"]),
            drives={part["pool"]: Drives.of(part) for part in plan["drives"]},
            stagger=None if plan["stagger"] is None else Stagger(**plan["stagger"]),
            pue=plan["pue"],
            btu_per_wh=plan["btu_per_wh"],
            btu_slip=plan["btu_slip"],
        )


def _enclosure(plan: Mapping[str, Any]) -> Enclosure:
    supplies = plan["supplies"]
    return Enclosure(
        name=plan["name"],
        pools=tuple(plan["pools"]),
        slots=plan["slots"],
        filling=tuple((number, tuple(mix)) for number, mix in plan["filling"]),
        parts=tuple(Part.of(part) for part in plan["parts"]),
        supplies=None if supplies is None else Supplies.of(supplies),
    )


def fill(counts: Sequence[int], slots: int, enclosures: int, *, even: bool) -> list[Mix]:
    """Drives of each pool in each of ``enclosures`` with ``slots``; they must fit."""
    if even:
        shares = [
            [count // enclosures + (at < count % enclosures) for at in range(enclosures)] for count in counts
        ]
        return [tuple(share[at] for share in shares) for at in range(enclosures)]
    left = list(counts)
    mixes = []
    for _ in range(enclosures):
        room, mix = slots, []
        for at, count in enumerate(left):
            taken = min(room, count)
            left[at] -= taken
            room -= taken
            mix.append(taken)
        mixes.append(tuple(mix))
    return mixes


def runs(mixes: Sequence[Mix]) -> tuple[tuple[int, Mix], ...]:
    """Equal neighbours counted."""
    found: list[tuple[int, Mix]] = []
    for mix in mixes:
        if found and found[-1][1] == mix:
            found[-1] = (found[-1][0] + 1, mix)
        else:
            found.append((1, mix))
    return tuple(found)
