"""Systems of unequal work or capacity on equal terms: how many of each do as much, and hold as much.

Watts and dollars of one system are multiplied by its *copies*: as many of it as do the most work and hold the
largest usable capacity of all that are compared, max(work / own work, capacity / own capacity). Copies are
fractions: it is the ratio of watts or dollars to work and to TB that is compared, not a purchase.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from iowatt.base.results import Result

SAME_WORK: Final = 0.05
"""Relative difference up to which systems have done the same work: a system that keeps up completes at least
95 % of what is offered."""

SAME_CAPACITY: Final = 0.01
"""Relative difference up to which usable capacities count as equal."""

SAME_SIZE: Final = 0.05
"""Relative difference up to which mean sizes of requests are alike; beyond, a request is another unit of
work."""


@dataclass(frozen=True)
class Delivered:
    """What one system gives: ``work`` in requests (per second, or over one horizon for all systems), the mean
    size of a request in bytes, and its usable capacity in GB. None where not known."""

    work: float | None
    request_bytes: float | None
    usable_gb: float | None


class EqualTerms(Result):
    """What differs between systems, and the amounts that watts and dollars are put to."""

    #: None where the work of one is not known, or requests differ in size by more than 5 %.
    work_differs: bool | None
    #: None where not all usable capacities are known.
    capacities_differ: bool | None
    #: The most work of all, in requests.
    work: float | None
    #: The largest usable capacity.
    usable_gb: float | None

    @property
    def unequal(self) -> list[str]:
        """What is put to equal amounts: ``work``, ``usable capacity``, both or nothing."""
        differ = (("work", self.work_differs), ("usable capacity", self.capacities_differ))
        return [name for name, differs in differ if differs]

    def copies(self, one: Delivered) -> float | None:
        """How many of a system do as much work and hold as much; None for one that does no work at all."""
        found = [1.0]
        for differs, amount, own in (
            (self.work_differs, self.work, one.work),
            (self.capacities_differ, self.usable_gb, one.usable_gb),
        ):
            if differs:
                if not own or amount is None:
                    return None
                found.append(amount / own)
        return max(found)


def equal_terms(systems: Sequence[Delivered]) -> EqualTerms:
    """The terms of systems that are compared."""
    work, work_differs = _most([one.work for one in systems], SAME_WORK)
    sizes = [one.request_bytes for one in systems if one.request_bytes]
    if sizes and max(sizes) > (1 + SAME_SIZE) * min(sizes):
        work_differs = None
    usable, capacities_differ = _most([one.usable_gb or None for one in systems], SAME_CAPACITY)
    return EqualTerms(
        work_differs=work_differs, capacities_differ=capacities_differ, work=work, usable_gb=usable
    )


def _most(amounts: Sequence[float | None], same: float) -> tuple[float | None, bool | None]:
    """The largest amount, and whether amounts differ by more than ``same``; None where one is not known."""
    known = [amount for amount in amounts if amount is not None]
    if not known or len(known) < len(amounts):
        return None, None
    return max(known), max(known) > (1 + same) * min(known)
