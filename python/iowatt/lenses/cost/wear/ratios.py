"""What one Work uses of each rating of a drive, as a share of it and by the day.

An SSD's TBW is a number of bytes that *hosts* may write, under the workload that its vendor rates with; so
its amplification is in the rating already. Bytes programmed are compared with TBW times the amplification of
the rating, never with TBW itself, which would count amplification twice.

A disk has two ratings, one of starts and stops of its spindle and one of loads and unloads of its heads; the
two differ by a factor of 6 to 60, and a stop counts against both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from iowatt.base.errors import InputError
from iowatt.lenses.cost.book.book import Book
from iowatt.lenses.cost.expression import number
from iowatt.lenses.cost.result import DailyBudget
from iowatt.lenses.cost.system import Drive

TB: Final = 1e12
STARTS_STOPS: Final = "start_stop_cycles"
LOADS_UNLOADS: Final = "load_unload_cycles"
RATED: Final = "wear.amplification_rated"
FACTOR: Final = "wear.endurance_factor"


@dataclass(frozen=True)
class Ratio:
    """Share of one rating that one Work uses."""

    #: percentage_used, pe_cycles, nand_bytes, bytes_written, start_stop_cycles or load_unload_cycles.
    rating: str
    fraction: float
    #: In symbols, for readers.
    formula: str
    source: str
    #: Keys of the book that change it.
    rests_on: tuple[str, ...]
    #: In the words of a spreadsheet (`iowatt.lenses.cost.expression`).
    expression: str


@dataclass(frozen=True)
class Limit:
    """A rating, or an amplification; ``key`` is the book's, None where a data sheet or the work says it."""

    value: float
    source: str
    key: str | None
    expression: str

    @property
    def keys(self) -> tuple[str, ...]:
        """The book's key, if any."""
        return () if self.key is None else (self.key,)


def limit(drive: Drive, book: Book, rating: str, key: str, scale: float = 1.0) -> Limit | None:
    """A rating of a drive by ``wear.limits``: of its data sheet, else ``key`` of the book in ``scale`` of it.

    Nothing is recorded as used. None where neither has it.
    """
    by_sheet = book.word("wear.limits") == "rated"
    rated = drive.ratings.get(rating)
    if rated is not None and by_sheet:
        return Limit(rated, f"data sheet of {drive.model}", None, number(rated))
    figure = book.figures.get(key)
    if figure is None:
        return None
    times = "" if scale == 1.0 else f"*{number(scale)}"
    value = _peek(book, key) * scale
    if not value > 0:
        raise InputError(
            "out-of-range", f"{book.name}: {key}", f"{value:g} is not accepted; expected a limit above 0"
        )
    return Limit(value, figure.source, key, f"{{{key}}}{times}")


def of_disk(drive: Drive, book: Book) -> list[Ratio]:
    """Starts and stops, loads and unloads of a disk, as far as a limit of them is known."""
    counted = {STARTS_STOPS: drive.counts.start_stops, LOADS_UNLOADS: drive.counts.load_unloads}
    words = {STARTS_STOPS: "starts and stops", LOADS_UNLOADS: "loads and unloads"}
    found = []
    for rating, count in counted.items():
        most = limit(drive, book, rating, f"wear.{rating}")
        if most is not None:
            formula = f"{words[rating]} / {most.value:,.0f}"
            text = f"{number(count)}/({most.expression})"
            keys = most.keys if count else ()
            found.append(
                Ratio(rating, count / most.value, formula, most.source, keys, text if count else "0")
            )
    return found


def of_ssd(drive: Drive, book: Book) -> list[Ratio]:
    """All that an SSD's wear can be held against, what is known best first."""
    return [*_own(drive), *_cycles(drive, book), *_bytes(drive, book)]


def _own(drive: Drive) -> list[Ratio]:
    """What the drive says itself; it counts in whole percents, so that 0 says nothing."""
    used = drive.counts.percentage_used
    if not used:
        return []
    said = "the drive's own percentage used"
    return [Ratio("percentage_used", used, said, "read from the drive", (), number(used))]


def _cycles(drive: Drive, book: Book) -> list[Ratio]:
    """Program and erase cycles; the book has no limit of these."""
    share = drive.counts.pe_fraction
    if share is None or book.word("wear.limits") == "book":
        return []
    factor, text = _factor(book)
    return [
        Ratio(
            rating="pe_cycles",
            fraction=share / factor,
            formula="program and erase cycles / (rated cycles x endurance factor)",
            source=f"cycles of {drive.model}, counted of its flash",
            rests_on=_factor_keys(book) if share else (),
            expression=f"{number(share)}/{text}" if share else "0",
        )
    ]


def _bytes(drive: Drive, book: Book) -> list[Ratio]:
    """Bytes that hosts wrote, and those that flash was programmed with for them, against TBW."""
    most = limit(drive, book, "bytes_written", "wear.ssd_tbw", TB)
    if most is None:
        return []
    counts = drive.counts
    if not counts.bytes_written and not counts.bytes_read:
        return [Ratio("bytes_written", 0.0, "bytes written / TBW", most.source, (), "0")]
    reads = _peek(book, "wear.reads")
    written = counts.bytes_written + reads * counts.bytes_read
    said, text, keys = _written(drive, book, reads)
    factor, factor_text = _factor(book)
    keys = (*keys, *most.keys, *_factor_keys(book))
    host = Ratio(
        rating="bytes_written",
        fraction=written / (most.value * factor),
        formula=f"{said} / (TBW x endurance factor)",
        source=most.source,
        rests_on=keys,
        expression=f"{text}/({most.expression}*{factor_text})",
    )
    amplification = _amplification(drive, book) if RATED in book.figures else None
    if amplification is None:
        return [host]
    by_nand = Ratio(
        rating="nand_bytes",
        fraction=written * amplification.value / (most.value * _peek(book, RATED) * factor),
        formula=f"{said} x WAF / (TBW x WAF of the rating x endurance factor)",
        source=f"{most.source}; WAF {amplification.value:.3g}: {amplification.source}",
        rests_on=(*keys, *amplification.keys, RATED),
        expression=f"{text}*{amplification.expression}/({most.expression}*{{{RATED}}}*{factor_text})",
    )
    return [by_nand, host]


def _written(drive: Drive, book: Book, reads: float) -> tuple[str, str, tuple[str, ...]]:
    """Bytes written, and what of those read counts as such: in symbols, as an expression, keys."""
    text = number(drive.counts.bytes_written)
    said = f"(bytes written + {reads:g} x bytes read)" if reads else "bytes written"
    if not drive.counts.bytes_read or "wear.reads" not in book.figures:
        return said, text, ()
    return said, f"({text}+{{wear.reads}}*{number(drive.counts.bytes_read)})", ("wear.reads",)


def _amplification(drive: Drive, book: Book) -> Limit | None:
    """Bytes programmed for each that hosts write: of the work itself, else of the drive's class.

    Both sides of a ratio are of one basis: what a model of the flash came to says nothing beside an
    amplification of the rating that is assumed from drives in the field.
    """
    value = drive.counts.write_amplification
    simulated = drive.counts.pe_fraction is not None
    comparable = not simulated or book.figures[RATED].quality != "assumed"
    if value is not None and comparable:
        return Limit(value, "of the work itself", None, number(value))
    key = f"wear.amplification.{drive.price_class}"
    if key not in book.figures:
        return None
    return Limit(_peek(book, key), book.figures[key].source, key, f"{{{key}}}")


def _factor(book: Book) -> tuple[float, str]:
    """What drives last over their rating; its value and its text."""
    return (_peek(book, FACTOR), f"{{{FACTOR}}}") if FACTOR in book.figures else (1.0, "1")


def _factor_keys(book: Book) -> tuple[str, ...]:
    return (FACTOR,) if FACTOR in book.figures else ()


def _peek(book: Book, key: str) -> float:
    """A number of the book without a record that it was used; 0 without one."""
    figure = book.figures.get(key)
    if figure is None:
        return 0.0
    if isinstance(figure.value, str):
        raise InputError(
            "wrong-type", f"{book.name}: {key}", f"{figure.value!r} is a word; expected a number"
        )
    return figure.value


DAYS_PER_YEAR: Final = 365.0
SECONDS_PER_DAY: Final = 86_400.0


def budgets(drive: Drive, book: Book, years: float, work_s: float) -> Iterator[DailyBudget]:
    """What each rating of a drive allows a day over ``years``, beside what a Work of ``work_s`` s uses of it.

    ``limit / (365 x years)``. Of an SSD it is bytes that hosts write, at the amplification of the rating.
    """
    counts = drive.counts
    used = (
        {"bytes_written": (counts.bytes_written, "wear.ssd_tbw", TB)}
        if drive.kind == "ssd"
        else {
            STARTS_STOPS: (counts.start_stops, f"wear.{STARTS_STOPS}", 1.0),
            LOADS_UNLOADS: (counts.load_unloads, f"wear.{LOADS_UNLOADS}", 1.0),
        }
    )
    for rating, (count, key, scale) in used.items():
        most = limit(drive, book, rating, key, scale)
        if most is not None:
            per_day = most.value / (years * DAYS_PER_YEAR)
            yield DailyBudget(
                rating=rating, limit=most.value, source=most.source, years=years, per_day=per_day,
                used_per_day=count * SECONDS_PER_DAY / work_s,
            )  # fmt: skip
