"""Keys of the book for durability: how drives and what holds them fail, their repair, the price of a loss.

Annual failure rates of drives are ``failures.afr.*``, the same figures as those of cost.
"""

from __future__ import annotations

from typing import Final

from iowatt.lenses.book.book_key import BookKey

DURABILITY_KEYS: Final = (
    BookKey(
        "durability.afr",
        "",
        "Which annual failure rate of drives holds. field: failures.afr, of fleets in use. rated: of the "
        "drive's file (afr_percent, else mtbf_hours), that of the field where it has none.",
        words=("field", "rated"),
    ),
    BookKey(
        "durability.weibull_shape.*",
        "",
        "Shape of the time to failure by kind (hdd, ssd) or model: 1 is a constant rate, below 1 it falls "
        "with age, above 1 it rises; the mean rate over the horizon stays the annual one.",
        low=0.1,
        high=20,
    ),
    BookKey("durability.age", "years", "Age of the drives at the start, for a rate that changes with age."),
    BookKey(
        "durability.uber.*",
        "/bit",
        "Unrecoverable read errors for each bit that a rebuild reads, by model, before the rating of its "
        "file, and by class (hdd-enterprise, hdd-desktop, ssd-enterprise, ssd-client), after it.",
        high=1,
    ),
    BookKey(
        "durability.latent.*",
        "/year",
        "Latent sector errors that appear on a drive, by model or class; a scrub removes them.",
    ),
    BookKey(
        "durability.scrub_days",
        "days",
        "Time between two scrubs of a drive; 0: it is never scrubbed.",
    ),
    BookKey(
        "durability.lost_sector",
        "bytes",
        "What is lost by an unreadable sector of a stripe without redundancy left.",
    ),
    BookKey("durability.detect_hours", "h", "From a failure until it is noticed and its rebuild may begin."),
    BookKey(
        "durability.replace_hours",
        "h",
        "From a failure until people have put in another drive; a spare does not wait for them.",
    ),
    BookKey(
        "durability.rebuild_rate.*",
        "MB/s",
        "Rate at which an idle drive is rebuilt, by kind (hdd, ssd) or model, where no rebuild was "
        "simulated; the busy share of the drives, if known, is taken off.",
        low=1e-3,
    ),
    BookKey(
        "durability.batch.factor",
        "",
        "Failure rate of drives of a bad production batch over that of the others; 1: all are alike. The "
        "mean rate stays.",
        low=1,
    ),
    BookKey("durability.batch.bad_share", "", "Share of batches that are bad.", high=0.99),
    BookKey(
        "durability.batch.drives",
        "",
        "Drives of one batch in a group.",
        low=1,
    ),
    BookKey(
        "durability.failures.*",
        "/year",
        "Failures of an enclosure, a controller, a node or a rack in which what is behind it cannot be "
        "reached.",
    ),
    BookKey("durability.repair_hours.*", "h", "Mean time of repairing one of them.", low=1e-3),
    BookKey(
        "durability.lost_share.*",
        "",
        "Share of these failures that destroy the data behind.",
        high=1,
    ),
    BookKey(
        "durability.controllers",
        "",
        "Controllers of which one suffices, where the scenario does not say.",
        low=1,
        high=2,
    ),
    BookKey(
        "durability.usd_per_loss",
        "USD",
        "Cost of losing data, however little, paid with the probability of a loss over the horizon.",
    ),
    BookKey("durability.usd_per_lost_gb", "USD/GB", "Cost of data that is lost."),
    BookKey(
        "durability.usd_per_unavailable_hour",
        "USD/h",
        "Cost of an hour in which not all data can be reached.",
    ),
)
