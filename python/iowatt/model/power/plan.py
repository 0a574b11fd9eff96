"""An array's power in numbers, as in the part ``power`` of a plan file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

from pydantic import BeforeValidator, PlainSerializer, TypeAdapter

from iowatt.model.power.efficiency import Mode, Supplies
from iowatt.model.power.part import Law

if TYPE_CHECKING:
    from iowatt.model.power.efficiency import Floats


@dataclass(frozen=True)
class ArrayPart:
    """Equal parts of one enclosure that work; watts of one. ``active_w`` of a fan is at full speed.

    ``at_wall``: the figures were published or measured at the wall, and no supply loss is added.
    """

    name: str
    kind: str
    count: int
    law: Law
    idle_w: float
    active_w: float
    at_wall: bool = False
    full_iops: float | None = None
    full_bytes_per_s: float | None = None
    speed: float | None = None
    failover_speed: float | None = None
    #: How many of ``count`` are enough; None: all of them.
    needed: int | None = None
    #: Failed ones, which ``count`` leaves out.
    failed: int = 0
    capacity_bytes: int | None = None
    #: The bus or link whose busy share it follows.
    of: str | None = None
    sources: tuple[str, ...] = ()

    def watts(self, utilisation: float, mode: Mode = "normal") -> float:
        """Watts of all of them at a utilisation from 0 to 1."""
        if self.law == "speed-cubed":
            speed = self.failover_speed if mode == "failover" else self.speed
            return self.count * fan(self.active_w, 1.0 if speed is None else speed)
        return self.count * (self.idle_w + (self.active_w - self.idle_w) * utilisation)

    def utilisation(
        self,
        iops: Floats,
        bytes_per_s: Floats,
        processors: Floats | None,
        links: Mapping[str, Floats] | None = None,
    ) -> Floats:
        """Utilisation in intervals with these rates and busy shares of processors, and of links by name."""
        import numpy as np

        share = np.zeros(len(iops))
        if self.law == "transfer" and links is not None and self.of is not None and self.of in links:
            share = links[self.of]
        elif self.law == "utilisation" and processors is not None:
            share = processors
        elif self.law in ("throughput", "utilisation"):
            if self.full_iops:
                share = share + iops / self.full_iops
            if self.full_bytes_per_s:
                share = share + bytes_per_s / self.full_bytes_per_s
        return np.clip(share, 0.0, 1.0)


def fan(full_w: float, speed: float) -> float:
    """Watts of a fan at ``speed``, a share of full speed, where it draws ``full_w``."""
    return full_w * speed**3


@dataclass(frozen=True)
class PoolDrives:
    """The drives of a pool; watts of one, None where not known.

    ``operating_w`` is that of random reads, as drive manuals define operating, else of positioning, else of
    transfers; for an SSD the highest that is known. ``spin_up_w`` is the highest draw of a start. ``sources``
    are the sources of these figures.
    """

    pool: str
    model: str
    count: int
    raw_bytes: int
    form_factor: str | None
    idle_w: float | None
    operating_w: float | None
    standby_w: float | None
    spin_up_w: float | None
    spin_up_s: float | None
    sources: tuple[str, ...] = ()


#: BTU (international table) in a watt-hour: 3600 J / 1055.05585262 J.
BTU_PER_WH: Final = 3.412142
#: What the spreadsheet of the 2013 study multiplied by (2072 W as 6506.1 BTU/h): a slip, 8 % low.
BTU_PER_WH_P9500_SLIP: Final = 3.14
#: One ton of refrigeration.
BTU_PER_H_PER_TON: Final = 12_000.0

BTU_FACTORS: Final = {"exact": BTU_PER_WH, "p9500-slip": BTU_PER_WH_P9500_SLIP}


def tons(watts: float) -> float:
    """Tons of refrigeration that remove ``watts`` of heat; 1 ton is 12,000 BTU/h, 3,516.85 W."""
    return watts * BTU_PER_WH / BTU_PER_H_PER_TON


Mix = tuple[int, ...]


@dataclass(frozen=True)
class Enclosure:
    """Equal enclosures. ``filling`` is (how many in a row, drives of each of ``pools`` in one)."""

    name: str
    pools: tuple[str, ...]
    slots: int
    filling: tuple[tuple[int, Mix], ...]
    parts: tuple[ArrayPart, ...]
    supplies: Supplies | None

    @property
    def count(self) -> int:
        """Number of enclosures."""
        return sum(number for number, _ in self.filling)

    @property
    def drives(self) -> int:
        """Drives in all of them."""
        return sum(number * sum(mix) for number, mix in self.filling)

    def mode(self, mode: Mode) -> Mode:
        """A mode as it is here: without redundant supplies none can be lost, so that there is no failover."""
        spare = self.supplies is not None and self.supplies.count > self.supplies.needed
        return mode if spare or mode != "failover" else "normal"

    def each(self) -> Iterator[Mix]:
        """The drives of each pool in each of them, one after another."""
        for number, mix in self.filling:
            for _ in range(number):
                yield mix

    def component(self, part: ArrayPart) -> str:
        """The name of a part in results."""
        return f"{self.name}.{part.name}"


@dataclass(frozen=True)
class StaggeredStart:
    """How drives are started; seconds."""

    at_once: int
    interval_s: float | None
    per_array: bool


@dataclass(frozen=True)
class ArrayPlan:
    """An array's power."""

    enclosures: tuple[Enclosure, ...]
    #: By pool; a list in the file.
    drives: Annotated[
        Mapping[str, PoolDrives],
        BeforeValidator(lambda kinds: {kind["pool"]: kind for kind in kinds}),
        PlainSerializer(lambda kinds: [asdict(kind) for kind in kinds.values()]),
    ]
    stagger: StaggeredStart | None
    pue: float | None
    btu_per_wh: float
    btu_slip: bool

    @property
    def parts(self) -> list[tuple[Enclosure, ArrayPart]]:
        """All parts with their enclosures."""
        return [(enclosure, part) for enclosure in self.enclosures for part in enclosure.parts]

    def sources(self) -> list[str]:
        """Where all figures come from."""
        lines = [line for kind in self.drives.values() for line in kind.sources]
        lines += [line for _, part in self.parts for line in part.sources]
        return list(dict.fromkeys(lines))

    def as_dict(self) -> dict[str, Any]:
        """The part ``power`` of a plan file."""
        return cast("dict[str, Any]", _adapter().dump_python(self, mode="json"))

    @classmethod
    def of(cls, plan: Mapping[str, Any]) -> ArrayPlan:
        """From the part ``power`` of a plan file."""
        return _adapter().validate_python(plan)


@cache
def _adapter() -> TypeAdapter[ArrayPlan]:
    return TypeAdapter(ArrayPlan)


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
    """Runs of equal neighbours: (length, mix)."""
    return tuple((len(list(equal)), mix) for mix, equal in groupby(mixes))
