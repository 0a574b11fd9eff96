"""What tiering and caching share: a fast part, a slow part, extents, and moves in the background."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iowatt.base.problems import KeyPath, Problem
from iowatt.base.quantity import BlockSize
from iowatt.base.strict import key
from iowatt.model.scenario.virtual.scheme import Part, Placed, Scheme, extent_problems


class TwoParts(Scheme):
    """A fast part before a slow one, in extents."""

    fast: Part = key("The fast part.", example={"pool": "ssd", "capacity": "300GB"})
    slow: Part = key("The slow part.", example={"pool": "hdd"})
    extent: BlockSize = key(
        "Unit of placement: what is moved or copied as a whole. A whole number of sectors of both parts. "
        "Smaller extents move less for nothing, and take more memory (about 16 bytes each).",
        default=1 << 20,
        example="64KiB",
        gt=0,
        le=2**40,
    )
    promotion_threshold: int = key(
        "Accesses to an extent of the slow part, reads and writes alike, after which it is moved (tiering) "
        "or copied (caching) to the fast part. In a cache that allocates on write, reads alone are such.",
        default=4,
        within=(1, 65_535),
        example=16,
    )
    max_migrations: int = key(
        "Most extents that change places (tiering) or are copied at a time, and most that are written back "
        "at a time (caching). What is due while as many are under way is left to its next access, and "
        "counted (postponed).",
        default=4,
        within=(1, 4096),
        example=8,
    )

    def parts(self) -> list[tuple[KeyPath, str, Part]]:
        """The fast part, then the slow one."""
        return [(("fast",), "fast", self.fast), (("slow",), "slow", self.slow)]

    def problems(self, parts: Sequence[Placed]) -> Iterator[Problem]:
        """Extents must fit both parts."""
        yield from extent_problems("extent", self.extent, parts)
