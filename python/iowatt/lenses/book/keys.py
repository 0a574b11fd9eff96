"""The keys of a book: unit, bounds, words and meaning of each. ``*`` matches a name."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final

from iowatt.lenses.book.book_key import BookKey
from iowatt.lenses.book.durability_keys import DURABILITY_KEYS

KEYS: Final = (
    BookKey(
        "purchase.charge",
        "",
        "Whole drives, or the part of each that volumes use, by its price per GB.",
        words=("device", "used"),
    ),
    BookKey(
        "purchase.price.*.larger",
        "USD/GB",
        "The same of drives larger than those that the class's price was taken from: an extrapolation.",
    ),
    BookKey("purchase.price.*", "USD/GB", "Price of a class of drives."),
    BookKey("purchase.model.*", "USD", "Price of one drive of a model, before that of its class."),
    BookKey(
        "purchase.factor",
        "",
        "Factor of a price that comes with the drive: that of its device file or inventory.",
    ),
    BookKey(
        "purchase.part.*",
        "USD",
        "Price of one part other than a drive, by its name: ENCLOSURE.PART, or PART for those of all "
        "enclosures.",
    ),
    BookKey(
        "purchase.server",
        "USD",
        "Price of a server of a cluster without the drives of its pools, where neither the scenario nor "
        "purchase.part has one.",
    ),
    BookKey("purchase.switch", "USD", "Price of a switch of a cluster, likewise."),
    BookKey("purchase.other", "USD", "Other purchases at the start."),
    BookKey(
        "energy.tariff",
        "",
        "The tariff where none is given: a library name, a file, or flat:USD_PER_KWH.",
        any_word=True,
    ),
    BookKey(
        "energy.factor",
        "",
        "Factor of all prices of the tariff, customer charges and minimum bills too.",
    ),
    BookKey("energy.escalation", "/year", "How energy's prices rise.", low=-0.5, high=1),
    BookKey(
        "energy.demand",
        "",
        "months: demand is charged for each month of the time. run: a month's charge for each "
        "repetition of the work, as equation 6 of dollars2014 has it.",
        words=("months", "run"),
    ),
    BookKey(
        "energy.fixed",
        "",
        "Charges for the meter that do not depend on its readings. share: the system's share, by its part "
        "of the site's mean power (energy.site_kw); nothing where that is 0. months: all of it, the meter "
        "being the system's own. none: only energy and demand, as in equations 7 and 8 of dollars2014.",
        words=("share", "months", "none"),
    ),
    BookKey(
        "energy.site_kw",
        "kW",
        "What else the meter's site draws all the time; the bill is what comes on top, and a share of what "
        "is charged for the meter (energy.fixed).",
    ),
    BookKey(
        "cooling.pue",
        "",
        "Power usage effectiveness: the facility's power over that of its IT.",
        low=1,
        high=10,
    ),
    BookKey(
        "wear.charge",
        "",
        "replacements: a drive is bought again when it is worn out. depreciation: what is used up "
        "is charged in place of the purchase. paper: wear is charged beside the purchase, from the "
        "first byte (twice for one drive). none.",
        words=("replacements", "depreciation", "paper", "none"),
    ),
    BookKey("wear.reads", "", "Part of a byte written that a byte read counts as.", high=1),
    BookKey(
        "wear.limits",
        "",
        "rated: of each drive's data sheet, the book's where it has none. book: always the book's.",
        words=("rated", "book"),
    ),
    BookKey(
        "wear.ssd_basis",
        "",
        "What is compared with an SSD's endurance. best: the drive's own percentage where measured, else the "
        "vendor's rating (TBW), else cycles of the simulated flash. host: bytes that hosts wrote over TBW. "
        "nand: those times write amplification over TBW times that of the rating. cycles: program and erase "
        "cycles of the simulated flash over those of its cells, which are mostly assumed.",
        words=("best", "host", "nand", "cycles"),
    ),
    BookKey(
        "wear.ssd_tbw", "TB", "Bytes that hosts may write to an SSD without a rating, or wear.limits = book."
    ),
    BookKey(
        "wear.amplification.*",
        "",
        "Write amplification of SSDs whose flash was not simulated, by class.",
        low=0.5,
    ),
    BookKey(
        "wear.amplification_rated", "", "The one that a TBW is rated with (the vendor's workload).", low=0.5
    ),
    BookKey("wear.endurance_factor", "", "What drives last over what they are rated.", low=0.01),
    BookKey(
        "wear.start_stop_cycles",
        "",
        "Starts and stops of a disk without a rating, or wear.limits = book.",
        low=1,
    ),
    BookKey("wear.load_unload_cycles", "", "Loads and unloads, the same way.", low=1),
    BookKey(
        "wear.price_decline", "/year", "How the price of what replaces a drive falls.", low=-0.5, high=0.9
    ),
    BookKey("wear.service_life", "years", "After which a drive is replaced, worn or not.", low=0.1),
    BookKey("failures.afr.*", "/year", "Annual failure rate by kind (hdd, ssd) or model.", high=5),
    BookKey(
        "failures.starts",
        "",
        "Failures that a disk's starts cause, beyond those that the fleet of failures.afr has anyway. none. "
        "stated: failures.per_start each. rated: one over the rated starts and stops, as if every drive "
        "failed when it has used them up, the most that the rating can mean.",
        words=("none", "stated", "rated"),
    ),
    BookKey(
        "failures.per_start",
        "/start",
        "Failures for each start of a disk, for failures.starts.",
        high=1,
    ),
    BookKey("failures.starts_in_fleet", "/year", "Starts of a disk in the fleet that failures.afr is of."),
    BookKey("failures.warranty", "years", "During which a failed drive is replaced free of charge."),
    BookKey("failures.labour", "USD", "Work of replacing one drive."),
    *DURABILITY_KEYS,
    BookKey("service.once", "USD", "Installing and the like, once; of dollars2014 the fixed estimate."),
    BookKey("service.per_year", "USD/year", "Maintenance, space and people."),
    BookKey("disposal.per_drive", "USD", "Erasing and disposing of one drive at the end."),
    BookKey(
        "disposal.residual",
        "",
        "Share of its price that a drive brings at the end, if it is not worn.",
        high=1,
    ),
    BookKey("discount.rate", "/year", "By which later dollars count less.", low=-0.5, high=1),
    BookKey(
        "carbon.grid",
        "g/kWh",
        "Emissions of electricity wherever it is; without it, of the tariff's country, else of the world.",
    ),
    BookKey(
        "carbon.grid.*",
        "g/kWh",
        "Emissions of electricity of a country, by the tariff's name of it; carbon.grid.world: of any other.",
    ),
    BookKey("carbon.estimate", "", "Which estimate of embodied carbon is used.", any_word=True),
    BookKey(
        "carbon.embodied.*.*",
        "kg/GB",
        "Embodied carbon by GB of a drive, of an estimate: by model, class of price, or kind (hdd, ssd).",
    ),
    BookKey(
        "carbon.unit.*.*",
        "kg",
        "Embodied carbon of a drive of any capacity, in addition to that by GB; by the same names.",
    ),
    BookKey("carbon.price", "USD/t", "Price of a tonne of CO2e."),
)


def key_rule(name: str) -> BookKey | None:
    """The first key whose pattern matches ``name``."""
    return next((key for key in KEYS if fnmatchcase(name, key.pattern)), None)
