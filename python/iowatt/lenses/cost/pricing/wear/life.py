"""The share of a drive's life that the work uses, by the rating that binds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from iowatt.base.results import Note
from iowatt.lenses.book import Book
from iowatt.lenses.cost.pricing.wear import ratios
from iowatt.lenses.cost.pricing.wear.ratios import LOADS_UNLOADS, STARTS_STOPS, Ratio
from iowatt.lenses.cost.result.costs import DriveWear
from iowatt.lenses.cost.systems.system import PricedDrive
from iowatt.lenses.wear import SECONDS_PER_YEAR

if TYPE_CHECKING:
    from iowatt.lenses.cost.systems.system import PricedSystem


#: The ratings of each ``wear.ssd_basis``, of which the first known one counts.
_BASES: Final[Mapping[str, Sequence[str]]] = {
    "best": ("percentage_used", "bytes_written", "pe_cycles"),
    "host": ("bytes_written",),
    "nand": ("nand_bytes", "bytes_written"),
    "cycles": ("pe_cycles", "bytes_written"),
}


@dataclass(frozen=True)
class Wearout:
    """Share of one drive's life that the work done once uses."""

    #: Its name.
    drive: str
    #: 0 or more, above 1 where the work wears out more than one drive; 0 where not known (``by`` None).
    fraction: float
    #: The rating that binds, as in ``ratios``; None where none is known.
    by: str | None
    #: Shares of all known ratings.
    ratios: Mapping[str, float]
    formula: str
    source: str
    rests_on: tuple[str, ...]
    note: str = ""
    #: ``fraction`` as an expression of the workbook.
    expression: str = field(default="0", repr=False)

    def result(self, work_s: float) -> DriveWear:
        """``drives[].wear`` of ``iowatt.cost/1``, for work of ``work_s`` seconds."""
        fields = {name: value for name, value in vars(self).items() if name in DriveWear.model_fields}
        return DriveWear(**fields, life_years=life_years(self, work_s))


def wearout(drive: PricedDrive, book: Book) -> Wearout:
    """The share of a drive's life that its ``counts`` use.

    For an SSD by ``wear.ssd_basis``, by default the vendor's rating; for a disk the larger of the two shares
    of cycles, with ``wear.charge = paper`` that of starts and stops alone (equation 11 of dollars2014).
    """
    if drive.kind == "hdd":
        choices: tuple[str, ...] = ("wear.limits",)
        known = ratios.of_disk(drive, book)
        only_stops = book.word("wear.charge") == "paper"
        counting = [ratio for ratio in known if not (only_stops and ratio.rating == LOADS_UNLOADS)]
    else:
        choices = ("wear.ssd_basis", "wear.limits")
        known = ratios.of_ssd(drive, book)
        by_rating = {ratio.rating: ratio for ratio in known}
        counting = [by_rating[name] for name in _BASES[book.word("wear.ssd_basis")] if name in by_rating][:1]
    shares = {ratio.rating: ratio.fraction for ratio in known}
    if not counting:
        return Wearout(drive.name, 0.0, None, shares, "", "", (), note=_unknown(drive))
    binding = max(counting, key=lambda ratio: ratio.fraction)
    keys = tuple(dict.fromkeys(key for ratio in counting for key in ratio.rests_on))
    for key in keys:
        book.find(key)  # records it as used
    return Wearout(
        drive.name, binding.fraction, binding.rating, shares, binding.formula, binding.source,
        (*choices, *keys), note=_note(drive, binding, shares),
        expression=largest([ratio.expression for ratio in counting if ratio.expression != "0"]),
    )  # fmt: skip


def largest(texts: Sequence[str]) -> str:
    """An expression of the largest of several; 0 of none."""
    return texts[0] if len(texts) == 1 else f"MAX({','.join(texts)})" if texts else "0"


def life_years(worn: Wearout, work_s: float) -> float | None:
    """Years of 365 days until work of ``work_s`` seconds, repeated, wears a drive out; None: never."""
    return work_s / worn.fraction / SECONDS_PER_YEAR if worn.fraction > 0 else None


def warnings(system: PricedSystem) -> Iterator[Note]:
    """Notes on disks that move more bytes a year than their workload rating, which is not charged.

    One for each model of a pool, with the drive that exceeds it most.
    """
    years = system.work.duration_s / SECONDS_PER_YEAR
    beyond: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for drive in system.drives:
        rated = drive.ratings.get("bytes_per_year")
        moved = (drive.counts.bytes_read + drive.counts.bytes_written) / years
        if rated is not None and moved > rated:
            beyond.setdefault((drive.pool, drive.model), []).append((moved, rated))
    for (pool, model), found in beyond.items():
        moved, rated = max(found)
        yield Note(
            code="workload-rating",
            text=f"{len(found)} of {pool} ({model}) at this rate: up to {moved / 1e12:,.0f} TB read and "
            f"written a year, {moved / rated:.2g} times the workload rating of {rated / 1e12:,.0f} TB; "
            "no wear is charged for that",
        )


def _unknown(drive: PricedDrive) -> str:
    rating, key = ("TBW", "wear.ssd_tbw") if drive.kind == "ssd" else ("cycles", f"wear.{STARTS_STOPS}")
    return f"its rated {rating} are not known, so its wear is not charged ({key}=... sets them)"


def _note(drive: PricedDrive, binding: Ratio, shares: Mapping[str, float]) -> str:
    notes = []
    if drive.counts.percentage_used == 0 and drive.kind == "ssd":
        notes.append("the drive's own percentage did not change during the work, so its ratings count")
    if binding.rating == "nand_bytes" and drive.counts.write_amplification is None:
        notes.append("its flash was not simulated: WAF is a field figure of its class")
    cycles = shares.get("pe_cycles", 0.0)
    if binding.rating == "bytes_written" and cycles > binding.fraction > 0:
        notes.append(
            f"by the cycles of its simulated flash it wears {cycles / binding.fraction:.3g} times as fast "
            "(wear.ssd_basis = cycles)"
        )
    return "; ".join(notes)
