"""How much of a drive's life one Work uses: which rating binds, and what WAF has to do with it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cost_systems import book, hdd, ssd, system
from iowatt.lenses.cost.pricing import wear
from iowatt.lenses.cost.pricing.wear.life import life_years
from iowatt.lenses.cost.pricing.wear.ratios import budgets, limit
from iowatt.pages.cost.expression import evaluate
from refused import refused

TBW = 36.5e12
#: The class's amplification in the field, and that of the rating, of the default book.
FIELD, RATED = 2.13, 2.13


def test_an_ssd_without_simulated_flash_is_held_by_its_class_against_the_amplification_of_the_rating() -> (
    None
):
    found = wear.wearout(ssd(), book("wear.amplification.ssd-sata=4.26", "wear.ssd_basis=nand"))
    assert found.by == "nand_bytes"
    assert found.fraction == pytest.approx(2e9 * 4.26 / (TBW * RATED))
    assert found.ratios == {"nand_bytes": found.fraction, "bytes_written": pytest.approx(2e9 / TBW)}
    assert "not simulated" in found.note


def test_a_drive_that_amplifies_as_its_rating_does_wears_by_the_bytes_of_hosts() -> None:
    """The rating is of bytes that hosts write: WAF is in it, and must not count once more."""
    found = wear.wearout(ssd(counts={"write_amplification": RATED}), book("wear.ssd_basis=nand"))
    assert found.fraction == pytest.approx(2e9 / TBW, rel=1e-14)
    assert found.note == ""


def test_the_vendor_s_rating_binds_and_cycles_of_simulated_flash_stand_beside_it() -> None:
    """decisions.md D3: the rating says 0.37 lives in 5 years, assumed cycles and a simulated WAF say 1.48."""
    counts = {"write_amplification": 7.06, "pe_fraction": 4 * 2e9 / TBW}
    found = wear.wearout(ssd(counts=counts), book())
    assert (found.by, found.fraction) == ("bytes_written", pytest.approx(2e9 / TBW))
    assert found.ratios["pe_cycles"] == pytest.approx(4 * found.fraction)
    assert "4 times" in found.note
    asked = wear.wearout(ssd(counts=counts), book("wear.ssd_basis=cycles"))
    assert (asked.by, asked.fraction) == ("pe_cycles", pytest.approx(4 * 2e9 / TBW))


def test_without_a_rating_cycles_of_simulated_flash_bind() -> None:
    found = wear.wearout(ssd(ratings={}, counts={"pe_fraction": 4e-5}), book())
    assert (found.by, found.fraction) == ("pe_cycles", 4e-5)


def test_a_simulated_amplification_is_not_held_against_an_assumed_one_of_the_rating() -> None:
    """Bytes programmed by one basis at a time: of the field on both sides, unless the rating's is stated."""
    drive = ssd(counts={"write_amplification": 7.06, "pe_fraction": 1e-4})
    of_field = wear.wearout(drive, book("wear.ssd_basis=nand"))
    assert of_field.fraction == pytest.approx(2e9 * FIELD / (TBW * RATED))
    stated = wear.wearout(drive, book("wear.ssd_basis=nand", "wear.amplification_rated=3"))
    assert stated.fraction == pytest.approx(2e9 * 7.06 / (TBW * 3))


def test_the_drive_s_own_percentage_comes_first_and_one_that_did_not_move_says_nothing() -> None:
    measured = wear.wearout(ssd(counts={"percentage_used": 0.02, "pe_fraction": 0.5}), book())
    assert (measured.by, measured.fraction, measured.rests_on) == (
        "percentage_used", 0.02, ("wear.ssd_basis", "wear.limits"),
    )  # fmt: skip
    still = wear.wearout(ssd(counts={"percentage_used": 0.0}), book())
    assert still.by == "bytes_written"
    assert still.note
    assert (measured.note, wear.wearout(ssd(), book()).note) == ("", "")


@pytest.mark.parametrize(
    ("basis", "by", "fraction"),
    [
        ("host", "bytes_written", 2e9 / TBW),
        ("nand", "nand_bytes", 2e9 * FIELD / (TBW * RATED)),
        ("cycles", "pe_cycles", 0.3),
        ("best", "percentage_used", 0.4),
    ],
)
def test_the_basis_says_which_ratio_counts_and_all_are_shown(basis: str, by: str, fraction: float) -> None:
    drive = ssd(counts={"write_amplification": 3.0, "percentage_used": 0.4, "pe_fraction": 0.3})
    found = wear.wearout(drive, book(f"wear.ssd_basis={basis}"))
    assert (found.by, found.fraction) == (by, pytest.approx(fraction))
    assert set(found.ratios) == {"percentage_used", "pe_cycles", "nand_bytes", "bytes_written"}


def test_reads_count_as_part_of_writes_and_drives_may_last_longer_than_rated() -> None:
    found = wear.wearout(ssd(), book("wear.reads=0.1", "wear.ssd_basis=host", "wear.endurance_factor=2"))
    assert found.fraction == pytest.approx((2e9 + 0.1e9) / (TBW * 2))
    assert found.formula == "(bytes written + 0.1 x bytes read) / (TBW x endurance factor)"
    assert {"wear.reads", "wear.endurance_factor"} <= set(found.rests_on)


def test_the_factor_is_not_put_on_what_the_drive_says_itself() -> None:
    drive = ssd(counts={"percentage_used": 0.02})
    assert wear.wearout(drive, book("wear.endurance_factor=2")).fraction == 0.02


def test_limits_of_the_book_stand_in_for_a_rating_or_before_it() -> None:
    unrated = ssd(ratings={})
    assert wear.wearout(unrated, book("wear.ssd_tbw=100", "wear.ssd_basis=host")).fraction == 2e9 / 100e12
    by_book = wear.wearout(ssd(), book("wear.ssd_tbw=100", "wear.ssd_basis=host", "wear.limits=book"))
    assert by_book.fraction == 2e9 / 100e12
    assert "wear.ssd_tbw" in by_book.rests_on
    assert "wear.ssd_tbw" not in wear.wearout(ssd(), book("wear.ssd_tbw=100")).rests_on


def test_without_a_rating_nothing_is_charged_and_it_is_said() -> None:
    found = wear.wearout(ssd(ratings={}), book())
    assert (found.fraction, found.by, found.ratios) == (0.0, None, {})
    assert "wear.ssd_tbw=" in found.note


def test_a_limit_of_nothing_is_refused() -> None:
    with refused("out-of-range", re.compile(r": wear\.ssd_tbw$")):
        wear.wearout(ssd(ratings={}), book("wear.ssd_tbw=0"))


def test_a_disk_has_two_limits_and_the_larger_share_counts() -> None:
    """2 stops of 50,000 are 4e-5, 3 unloads of 300,000 are 1e-5; 30 would be 1e-4."""
    found = wear.wearout(hdd(), book())
    assert (found.by, found.fraction) == ("start_stop_cycles", 2 / 50_000)
    assert found.ratios == {"start_stop_cycles": 4e-5, "load_unload_cycles": 1e-5}
    assert wear.wearout(hdd(counts={"load_unloads": 30}), book()).by == "load_unload_cycles"


def test_a_disk_without_ratings_takes_those_of_the_book_each_for_itself() -> None:
    """300,000 is of loads and unloads; starts and stops have 10,000."""
    found = wear.wearout(hdd(ratings={"load_unload_cycles": 600_000.0}), book())
    assert found.ratios == {"start_stop_cycles": 2 / 10_000, "load_unload_cycles": 3 / 600_000}
    assert found.rests_on == ("wear.limits", "wear.start_stop_cycles")


def test_equation_11_counts_starts_and_stops_alone() -> None:
    many = hdd(counts={"start_stops": 2, "load_unloads": 3000})
    found = wear.wearout(many, book(preset="dollars2014"))
    assert (found.by, found.fraction) == ("start_stop_cycles", 2 / 300_000)
    assert found.ratios["load_unload_cycles"] == 3000 / 300_000


def test_only_figures_that_matter_are_recorded_as_used() -> None:
    still = book()
    wear.wearout(hdd(counts={"start_stops": 0, "load_unloads": 0}, ratings={}), still)
    assert set(still.used) == {"wear.charge", "wear.limits"}
    by_host = book("wear.ssd_basis=host")
    wear.wearout(ssd(), by_host)
    assert "wear.amplification.ssd-sata" not in by_host.used
    assert "wear.endurance_factor" in by_host.used


def test_bytes_a_year_beyond_the_workload_rating_are_a_warning_and_no_wear() -> None:
    """12 GB in 600 s are 631 TB a year."""
    rated = hdd(ratings={"bytes_per_year": 550e12}, counts={"start_stops": 0, "load_unloads": 0})
    assert wear.wearout(rated, book()).fraction == 0.0
    within = hdd(pool="calm", ratings={"bytes_per_year": 700e12})
    (said,) = wear.warnings(system("x", rated, within, rated))
    assert said.code == "workload-rating" and said.text.startswith("2 ") and "(test-hdd)" in said.text
    assert "631 TB" in said.text and "1.1 times" in said.text and "550 TB" in said.text


def test_life_is_in_years_of_365_days() -> None:
    worn = wear.wearout(hdd(), book())
    assert life_years(worn, 3600.0) == pytest.approx(3600 / 4e-5 / (365 * 86_400))
    assert life_years(replace(worn, fraction=0.0), 3600.0) is None
    assert worn.result(3600.0).life_years == life_years(worn, 3600.0)


@pytest.mark.parametrize(
    ("cycles", "years", "per_day"), [(10_000, 5, 5.479), (50_000, 5, 27.40), (300_000, 5, 164.4)]
)
def test_five_year_budgets_of_cycles(cycles: float, years: float, per_day: float) -> None:
    drive = hdd(ratings={"start_stop_cycles": float(cycles)})
    starts, _ = budgets(drive, book(), years, 600.0)
    assert starts.per_day == pytest.approx(per_day, rel=1e-3)
    assert starts.used_per_day == pytest.approx(2 * 144)
    assert starts.rating == "start_stop_cycles"


def test_an_ssd_s_budget_is_of_bytes() -> None:
    """36.5 TB over five years are 20 GB a day."""
    (one,) = budgets(ssd(), book(), 5.0, 600.0)
    assert (one.rating, one.per_day) == ("bytes_written", pytest.approx(20e9))
    assert list(budgets(ssd(ratings={}), book(), 5.0, 600.0)) == []
    assert limit(ssd(ratings={}), book(), "bytes_written", "wear.ssd_tbw") is None


COUNTS = st.fixed_dictionaries(
    {
        "bytes_read": st.floats(0, 1e15),
        "bytes_written": st.floats(0, 1e15),
        "start_stops": st.integers(0, 10**6),
        "load_unloads": st.integers(0, 10**6),
        "pe_fraction": st.none() | st.floats(0, 10),
        "write_amplification": st.none() | st.floats(0.5, 20),
        # None so small that a product with it underflows to one that did not move.
        "percentage_used": st.none() | st.just(0.0) | st.floats(1e-9, 2),
    }
)
BOOKS = st.tuples(
    st.sampled_from(["best", "host", "nand", "cycles"]), st.sampled_from(["rated", "book"]), st.floats(0, 1),
    st.floats(0.5, 4), st.sampled_from(["replacements", "paper"]),
)  # fmt: skip


def _book(said: tuple[Any, ...]) -> Any:
    basis, limits, reads, factor, charge = said
    return book(
        f"wear.ssd_basis={basis}", f"wear.limits={limits}", f"wear.reads={reads}",
        f"wear.endurance_factor={factor}", f"wear.charge={charge}", "wear.ssd_tbw=80",
    )  # fmt: skip


@given(counts=COUNTS, said=BOOKS, factor=st.floats(1e-3, 1e6), kind=st.sampled_from([ssd, hdd]))
def test_wear_grows_with_the_work_and_is_never_negative(
    counts: dict[str, Any], said: tuple[Any, ...], factor: float, kind: Any
) -> None:
    drive = kind(counts=counts)
    one = wear.wearout(drive, _book(said))
    more = wear.wearout(replace(drive, counts=drive.counts.scaled(factor)), _book(said))
    assert one.fraction >= 0
    assert more.fraction == pytest.approx(factor * one.fraction, rel=1e-9)
    assert one.by is not None
    assert one.fraction == one.ratios[one.by]


@given(counts=COUNTS, said=BOOKS, kind=st.sampled_from([ssd, hdd]))
def test_the_expression_is_the_fraction(counts: dict[str, Any], said: tuple[Any, ...], kind: Any) -> None:
    assumed = _book(said)
    worn = wear.wearout(kind(counts=counts), assumed)
    asked: list[str] = []

    def of(name: str) -> float:
        asked.append(name)
        return assumed.number(name)

    assert evaluate(worn.expression, of) == pytest.approx(worn.fraction, rel=1e-12)
    assert set(asked) <= set(worn.rests_on)
