"""Sizes of caches: bytes, shares of what a trace touches or spans, or numbers of objects."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from iowatt.base.errors import Argument, InputError
from iowatt.base.units import parse_capacity

MOST_SLOTS = 1 << 31
"""Slots of the largest cache that is simulated."""

_SHARE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,20})?)\s*%")
_COUNT = re.compile(r"[0-9]{1,10}")


@dataclass(frozen=True)
class CacheSize:
    """One size as it was asked for: ``bytes``, a ``share`` (1 is the whole) or ``slots``."""

    text: str
    bytes: int | None = None
    share: Decimal | None = None
    slots: int | None = None

    def slots_of(self, block: int | None, whole: int) -> int:
        """Blocks (or objects) of a cache of this size, rounded down.

        Raises
        ------
        InputError
            It holds none, or more than are simulated.
        """
        if self.slots is not None:
            found = self.slots
        elif self.share is not None:
            found = int(self.share * whole)
        else:
            found = (self.bytes or 0) // (block or 1)
        unit = "object" if block is None else f"block of {block} bytes"
        if found == 0:
            raise InputError("out-of-range", Argument("size"), f"{self.text} holds no {unit}")
        if found > MOST_SLOTS:
            message = f"{self.text} is {found} blocks; at most {MOST_SLOTS} are simulated"
            raise InputError("out-of-range", Argument("size"), message)
        return found


def parse_size(text: str, *, objects: bool) -> CacheSize:
    """A size as of the command line: ``1%``, ``4GiB``; without blocks ``27517`` objects in place of bytes.

    Raises
    ------
    InputError
        With what would be accepted.
    """
    text = text.strip()
    if match := _SHARE.fullmatch(text):
        share = Decimal(match[1]) / 100
        if not 0 < share <= 1:
            raise InputError("out-of-range", None, f"{text} is not between 0 and 100 %")
        return CacheSize(text, share=share)
    if objects:
        if _COUNT.fullmatch(text):
            return CacheSize(text, slots=int(text))
        raise InputError(
            "bad-syntax",
            None,
            f"{text!r} is not accepted; expected a number of objects such as 27517, or a share of those that "
            "are touched such as 1% (bytes need `block=`)",
        )
    return CacheSize(text, bytes=parse_capacity(text))
