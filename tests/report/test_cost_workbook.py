"""The workbook of costs: its values are ours, and it computes them anew when assumptions are changed."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.result.costs import Cost
from iowatt.pages.cost import live, words, write
from iowatt.pages.cost.sheets.cells import cell_names, sheet_names
from report.cost_document import cost, document, note
from report.cost_priced import CASES, priced
from report.recalculated import NEEDS_OFFICE, Values, recalculated

SHEETS = ("1 tiering", "2 caching", "3 disks only")
PRICED = sheet_names(["hybrid", "own prices"])
HOSTILE = ["=cmd()|' /C calc'!A0", "<script>alert(1)</script>", "a/b\\c:d*e?f[g]'"]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    target = tmp_path_factory.mktemp("costs") / "costs.xlsx"
    write(cost(), target)
    return target


#: Other values of figures, by name; what is stated in the workbook is left out of the comparison.
CHANGED = {
    # What is stated without a formula is five per cent of a purchase here.
    "prices": (
        {
            "purchase.price.ssd-sata": 0.2, "failures.afr.ssd": 0.02, "failures.labour": 0.0,
            "discount.rate": 0.0,
        },
        ("credit",),
    ),
    "facility": (
        {
            "cooling.pue": 1.2, "energy.factor": 1.3, "discount.rate": 0.11, "carbon.grid": 100.0,
            "carbon.embodied.survey.ssd": 0.003,
        },
        (),
    ),
}  # fmt: skip
#: Of a real pricing: every kind of component is moved by one of these.
OTHERWISE = {
    "purchase.price.ssd-sata": 0.21, "energy.factor": 1.2, "cooling.pue": 1.3, "wear.service_life": 3.5,
    "failures.warranty": 2.0, "service.per_year": 11.0, "disposal.per_drive": 4.0, "disposal.residual": 0.2,
    "carbon.price": 80.0, "carbon.grid.world": 250.0, "wear.price_decline": 0.1,
}  # fmt: skip
LONGER = {"wear.endurance_factor": 2.0, "wear.service_life": 6.0}


def cells(book):
    names = cell_names(list(book))
    return {names[key]: value for key, value in book.items()}


@pytest.fixture(scope="module")
def computed(written, tmp_path_factory):
    """The workbook with other values in its cells, computed by LibreOffice."""
    folder = tmp_path_factory.mktemp("computed")
    hostile = folder / "given.xlsx"
    write(cost(names=HOSTILE), hostile)
    real = folder / "priced.xlsx"
    write(priced(*CASES["flat"]), real)
    variants = {name: (written, cells(book)) for name, (book, _) in CHANGED.items()}
    variants |= {
        "longer": (written, {**cells(LONGER), "horizon_amount": 11.5}),
        "work": (written, {"horizon_basis": "work", "horizon_amount": 500_000.0}),
        "hostile": (hostile, {}),
        "real": (real, {}),
        "real-changed": (real, {**cells(OTHERWISE), "horizon_amount": 11.0}),
    }
    return recalculated(folder, variants) | {"hostile as written": Values(hostile)}


def assert_says(values, found, *, sheets=SHEETS, but=(), present=True):
    """Every component, total and kilogram of the workbook is that of the document."""
    for sheet, system in zip(sheets, found.systems, strict=True):
        usd, today = (values.column(sheet, title, key="O") for title in ("USD", "USD of today"))
        for component in system.components:
            if component.group not in but:
                title = component.key
                assert usd[title] == pytest.approx(component.usd, rel=1e-9, abs=1e-12), (sheet, title)
                if present:
                    assert today[title] == pytest.approx(component.present_usd, rel=1e-9, abs=1e-12)
        if not but:
            usd, today = values.column(sheet, "USD"), values.column(sheet, "USD of today")
            assert usd["Total"] == pytest.approx(system.usd, rel=1e-9)
            if present:
                assert today["Total"] == pytest.approx(system.present_usd, rel=1e-9)
        assert values.cells[sheet, "B8"] == pytest.approx(system.carbon.operational_kg, rel=1e-9)
        assert values.cells[sheet, "B9"] == pytest.approx(system.carbon.embodied_kg, rel=1e-9)
        assert values.cells[sheet, "B4"] == pytest.approx(system.repeats, rel=1e-9)


def summary(values, title):
    row = next(a[1:] for (s, a), v in values.cells.items() if s == "Summary" and a[0] == "A" and v == title)
    return [values.cells["Summary", f"{letter}{row}"] for letter in "BCD"]


def test_a_reader_that_does_not_compute_shows_our_values(written):
    values = Values(written)
    found = cost()
    assert_says(values, found)
    assert summary(values, "Total") == pytest.approx([system.usd for system in found.systems], rel=1e-12)
    for group, title in (("wear", "Wear"), ("energy", "Energy"), ("credit", "Credit")):
        assert summary(values, title) == pytest.approx(
            [system.by_group[group] for system in found.systems], rel=1e-12
        )
    assert summary(values, "Share of the first")[1:] == pytest.approx(
        [one.share for one in found.comparison], rel=1e-12
    )


def test_totals_on_equal_terms_follow_those_of_the_systems(written):
    values, found = Values(written), cost()
    equal = words.at_equal(found)
    assert summary(values, f"Total {equal}") == pytest.approx(
        [one.usd_equal for one in found.systems], rel=1e-12
    )
    assert summary(values, f"Share of the first {equal}")[1:] == pytest.approx(
        [one.share_equal for one in found.comparison], rel=1e-12
    )
    row = next(a[1:] for (s, a), v in values.cells.items() if s == "Summary" and v == f"Total {equal}")
    assert ("Summary", f"B{row}") in values.formulas


def test_every_component_that_has_an_expression_is_a_formula(written):
    values = Values(written)
    for sheet, system in zip(SHEETS, cost().systems, strict=True):
        for at, component in enumerate(system.components):
            assert ((sheet, f"G{13 + at}") in values.formulas) == (component.expression is not None)


@NEEDS_OFFICE
def test_computed_anew_nothing_changes_whatever_systems_are_called(computed):
    ours, theirs = computed["hostile as written"], computed["hostile"]
    assert set(ours.formulas) == set(theirs.formulas)
    for cell in ours.formulas:
        assert theirs.cells[cell] == pytest.approx(ours.cells[cell], rel=1e-9, abs=1e-12), cell


@NEEDS_OFFICE
@pytest.mark.parametrize("name", CHANGED)
def test_with_other_assumptions_it_says_what_a_new_pricing_says(computed, name):
    book, but = CHANGED[name]
    assert_says(computed[name], cost(book=book), but=but)


@NEEDS_OFFICE
def test_lives_and_horizons_change_how_often_a_drive_is_bought(computed):
    assert_says(computed["longer"], cost(amount=11.5, book=LONGER), but=("demand",), present=False)


@NEEDS_OFFICE
def test_the_horizon_may_become_equal_work(computed):
    assert_says(computed["work"], cost(basis="work", amount=500_000.0), but=("demand",), present=False)


@NEEDS_OFFICE
def test_a_real_pricing_is_followed_too(computed):
    assert_says(computed["real"], priced(*CASES["flat"]), sheets=PRICED)
    tariff, preset, sets = CASES["flat"]
    sets = (*sets, *(f"{key}={value!r}" for key, value in OTHERWISE.items()))
    fresh = priced(tariff, preset, sets, Horizon("time", 11.0))
    assert_says(computed["real-changed"], fresh, sheets=PRICED, present=False)


def test_it_says_what_it_follows(written):
    told = live.follows(cost())
    assert told[live.HORIZON].startswith("live ")
    assert told[live.HORIZON].rpartition(" in ")[2].split(", ") == ["credit", "demand"]
    assert told["cooling.pue"] == told["wear.service_life"] == "live"
    # The residual value is stated.
    assert told["purchase.price.ssd-sata"].startswith("live ")
    assert told["purchase.price.ssd-sata"].rpartition(" in ")[2] == "credit"
    assert told["discount.rate"].startswith("live (") and "present" in told["discount.rate"]
    values = Values(written)
    said = {v: values.cells["Assumptions", f"G{a[1:]}"] for (s, a), v in values.cells.items()
            if s == "Assumptions" and a[0] == "A" and v in told}  # fmt: skip
    assert said == {key: text for key, text in told.items() if key != live.HORIZON}


def test_an_expression_that_is_not_the_dollars_is_not_written(tmp_path):
    found = document()
    wrong = next(one for one in found["systems"][0]["components"] if one["key"] == "energy")
    wrong["expression"] = "1+{years}"
    write(Cost.model_validate(found), tmp_path / "wrong.xlsx")
    values = Values(tmp_path / "wrong.xlsx")
    assert values.column("1 tiering", "USD")["Energy"] == wrong["usd"]
    row = 13 + found["systems"][0]["components"].index(wrong)
    assert ("1 tiering", f"G{row}") not in values.formulas
    assert "energy" in live.follows(Cost.model_validate(found))["energy.factor"]


def test_names_are_text_in_every_cell_and_none_a_formula(tmp_path):
    found = document(names=HOSTILE)
    for system in found["systems"]:
        system["components"][0]["title"] = '=HYPERLINK("http://x","y")'
        system["components"][0]["source"] = "+1+1"
        system["drives"][0]["model"] = "@SUM(1)"
        system["notes"] = [note("x", "=1+1")]
    found["assumptions"][0]["source"] = "=1+1"
    write(Cost.model_validate(found), tmp_path / "hostile.xlsx")
    values = Values(tmp_path / "hostile.xlsx")
    assert values.cells["Summary", "B7"] == HOSTILE[0]
    words = r"work|Purchase|Wear|Failures|Energy|Cooling \(PUE\)|Demand charges|Credit"
    allowed = re.compile(rf"[\w$.+\-*/^(),:<>= ]|'[123] [^']*'!|\"({words})\"")
    for cell, formula in values.formulas.items():
        assert not allowed.sub("", formula.replace("'Payments'!", "")), (cell, formula)
        assert "cmd" not in re.sub(r"'[123] [^']*'!", "", formula)


def test_sheets_have_names_that_are_allowed_and_told_apart():
    names = sheet_names(["a" * 60, "a" * 60, "[x]:*?/\\'", "\x00\ud800\ufffe\uffff", "", "\U00010000" * 20])
    assert len(set(names)) == 6
    assert max(len(name.encode("utf-16-le")) // 2 for name in names) == 31
    assert not re.search("[\\[\\]:*?/\\\\'\x00\ufffe\uffff]", "".join(names))


def test_cells_have_names_of_their_own():
    names = cell_names(["purchase.model.a-b", "purchase.model.a_b", "purchase.model.A.B", "cooling.pue"])
    assert len({name.casefold() for name in names.values()}) == 4
    assert names["cooling.pue"] == "cooling_pue"


def test_the_same_document_gives_the_same_bytes(tmp_path):
    for name in ("a.xlsx", "b.xlsx"):
        write(cost(), tmp_path / name)
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


@settings(deadline=None, max_examples=12)
@given(names=st.lists(st.text(st.characters(), max_size=50), min_size=3, max_size=3))
@example(names=["", "\U00010000" * 20, "\ufffe\uffff"])
@example(names=["", "\x00\x1b\ud800\n", "'=1+1'!A1"])
@example(names=["a" * 50, "a" * 50, "A" * 50])
def test_whatever_systems_are_called_both_files_are_written_whole(tmp_path_factory, names):
    folder = tmp_path_factory.mktemp("called")
    found = cost(names=names)
    for end in ("xlsx", "html"):
        write(found, folder / f"costs.{end}")
    values = Values(folder / "costs.xlsx")
    assert summary(values, "Total") == pytest.approx([one.usd for one in found.systems], rel=1e-12)
    assert not any("cmd" in formula for formula in values.formulas.values())
