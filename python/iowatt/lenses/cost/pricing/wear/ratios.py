"""The share of each rating of a drive that the work uses, in total and per day.

An SSD's TBW counts bytes that *hosts* may write under the vendor's workload, so it includes the amplification
of that workload. Bytes programmed are therefore compared with TBW times the amplification of the rating.

A disk has two ratings, starts and stops of its spindle, and loads and unloads of its heads; they differ by a
factor of 6 to 60, and a stop counts against both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from iowatt.base.errors import InputError
from iowatt.lenses.book import Book
from iowatt.lenses.cost.pricing.component import number
from iowatt.lenses.cost.result.costs import DailyBudget
from iowatt.lenses.cost.systems.system import PricedDrive

TB: Final = 1e12
STARTS_STOPS: Final = "start_stop_cycles"
LOADS_UNLOADS: Final = "load_unload_cycles"
RATED: Final = "wear.amplification_rated"
FACTOR: Final = "wear.endurance_factor"
DAYS_PER_YEAR: Final = 365.0
SECONDS_PER_DAY: Final = 86_400.0


@dataclass(frozen=True)
class Ratio:
    """Share of one rating that the work done once uses."""

    #: percentage_used, pe_cycles, nand_bytes, bytes_written, start_stop_cycles or load_unload_cycles.
    rating: str
    fraction: float
    #: In words.
    formula: str
    source: str
    #: Keys of the book that change it.
    rests_on: tuple[str, ...]
    #: As an expression of the workbook.
    expression: str


@dataclass(frozen=True)
class WearLimit:
    """A rating, an amplification or a factor; ``keys`` has the book's key where the book states it."""

    value: float
    source: str
    keys: tuple[str, ...]
    expression: str


def limit(drive: PricedDrive, book: Book, rating: str, key: str, scale: float = 1.0) -> WearLimit | None:
    """A rating of a drive by ``wear.limits``: its data sheet's, else the book's ``key`` times ``scale``.

    None where neither has it. Does not record the key as used.
    """
    by_sheet = book.word("wear.limits") == "rated"
    rated = drive.ratings.get(rating)
    if rated is not None and by_sheet:
        return WearLimit(rated, f"data sheet of {drive.model}", (), number(rated))
    figure = book.figures.get(key)
    if figure is None:
        return None
    times = "" if scale == 1.0 else f"*{number(scale)}"
    value = book.peek(key) * scale
    if not value > 0:
        raise InputError(
            "out-of-range", f"{book.name}: {key}", f"{value:g} is not accepted; expected a limit above 0"
        )
    return WearLimit(value, figure.source, (key,), f"{{{key}}}{times}")


def _cycles(drive: PricedDrive) -> dict[str, float]:
    """Cycles of a disk in the work done once, by rating."""
    return {STARTS_STOPS: drive.counts.start_stops, LOADS_UNLOADS: drive.counts.load_unloads}


def of_disk(drive: PricedDrive, book: Book) -> list[Ratio]:
    """Shares of starts and stops, loads and unloads of a disk, where their limits are known."""
    words = {STARTS_STOPS: "starts and stops", LOADS_UNLOADS: "loads and unloads"}
    found = []
    for rating, count in _cycles(drive).items():
        most = limit(drive, book, rating, f"wear.{rating}")
        if most is not None:
            formula = f"{words[rating]} / {most.value:,.0f}"
            text = f"{number(count)}/({most.expression})" if count else "0"
            keys = most.keys if count else ()
            found.append(Ratio(rating, count / most.value, formula, most.source, keys, text))
    return found


def budgets(drive: PricedDrive, book: Book, years: float, work_s: float) -> Iterator[DailyBudget]:
    """What each rating of a drive allows per day over ``years``, and what work of ``work_s`` seconds uses.

    ``limit / (365 x years)``. An SSD's limit is bytes that hosts write, at the amplification of the rating.
    """
    used = {rating: (count, f"wear.{rating}", 1.0) for rating, count in _cycles(drive).items()}
    if drive.kind == "ssd":
        used = {"bytes_written": (drive.counts.bytes_written, "wear.ssd_tbw", TB)}
    for rating, (count, key, scale) in used.items():
        most = limit(drive, book, rating, key, scale)
        if most is not None:
            yield DailyBudget(
                rating=rating, limit=most.value, source=most.source, years=years,
                per_day=most.value / (years * DAYS_PER_YEAR), used_per_day=count * SECONDS_PER_DAY / work_s,
            )  # fmt: skip


def of_ssd(drive: PricedDrive, book: Book) -> list[Ratio]:
    """Shares of an SSD's known ratings, the best known first."""
    counts, found = drive.counts, list[Ratio]()
    if counts.percentage_used:  # it counts whole percents, so 0 tells nothing
        found.append(
            Ratio(
                "percentage_used", counts.percentage_used, "the drive's own percentage used",
                "read from the drive", (), number(counts.percentage_used),
            )
        )  # fmt: skip
    share = counts.pe_fraction
    if share is not None and book.word("wear.limits") != "book":  # the book has no limit of cycles
        factor = _factor(book)
        found.append(
            Ratio(
                "pe_cycles", share / factor.value,
                "program and erase cycles / (rated cycles x endurance factor)",
                f"cycles of {drive.model}, counted in its flash", factor.keys if share else (),
                f"{number(share)}/{factor.expression}" if share else "0",
            )
        )  # fmt: skip
    return [*found, *_bytes(drive, book)]


def _bytes(drive: PricedDrive, book: Book) -> list[Ratio]:
    """Shares of TBW: of bytes programmed into flash, and of bytes that hosts wrote."""
    most = limit(drive, book, "bytes_written", "wear.ssd_tbw", TB)
    if most is None:
        return []
    counts = drive.counts
    if not counts.bytes_written and not counts.bytes_read:
        return [Ratio("bytes_written", 0.0, "bytes written / TBW", most.source, (), "0")]
    reads = book.peek("wear.reads")
    written = counts.bytes_written + reads * counts.bytes_read
    formula, text, keys = _written(drive, book, reads)
    factor = _factor(book)
    keys = (*keys, *most.keys, *factor.keys)
    host = Ratio(
        "bytes_written", written / (most.value * factor.value), f"{formula} / (TBW x endurance factor)",
        most.source, keys, f"{text}/({most.expression}*{factor.expression})",
    )  # fmt: skip
    waf = _amplification(drive, book) if RATED in book.figures else None
    if waf is None:
        return [host]
    nand = Ratio(
        "nand_bytes", written * waf.value / (most.value * book.peek(RATED) * factor.value),
        f"{formula} x WAF / (TBW x WAF of the rating x endurance factor)",
        f"{most.source}; WAF {waf.value:.3g}: {waf.source}", (*keys, *waf.keys, RATED),
        f"{text}*{waf.expression}/({most.expression}*{{{RATED}}}*{factor.expression})",
    )  # fmt: skip
    return [nand, host]


def _written(drive: PricedDrive, book: Book, reads: float) -> tuple[str, str, tuple[str, ...]]:
    """Bytes written and the part of bytes read that counts as written: in words, as an expression, keys."""
    text = number(drive.counts.bytes_written)
    formula = f"(bytes written + {reads:g} x bytes read)" if reads else "bytes written"
    if not drive.counts.bytes_read or "wear.reads" not in book.figures:
        return formula, text, ()
    return formula, f"({text}+{{wear.reads}}*{number(drive.counts.bytes_read)})", ("wear.reads",)


def _amplification(drive: PricedDrive, book: Book) -> WearLimit | None:
    """Bytes programmed per byte that hosts write: of the work itself, else of the drive's class.

    Both sides of a ratio need one basis: a simulated amplification is not compared with an amplification of
    the rating that is assumed from field figures.
    """
    value = drive.counts.write_amplification
    simulated = drive.counts.pe_fraction is not None
    if value is not None and (not simulated or book.figures[RATED].quality != "assumed"):
        return WearLimit(value, "of the work itself", (), number(value))
    key = f"wear.amplification.{drive.price_class}"
    if key not in book.figures:
        return None
    return WearLimit(book.peek(key), book.figures[key].source, (key,), f"{{{key}}}")


def _factor(book: Book) -> WearLimit:
    """Actual life over rated life."""
    if FACTOR not in book.figures:
        return WearLimit(1.0, "", (), "1")
    return WearLimit(book.peek(FACTOR), "", (FACTOR,), f"{{{FACTOR}}}")
