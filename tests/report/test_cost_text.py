"""Costs on a terminal: within its width, and what a reader looks for is there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iowatt.pages.cost import deciding, text, words
from report.cost_document import choice, document


def told(**options):
    return list(text.lines(document(**options)))


def row(lines, name):
    return next(line for line in lines if line.startswith(name)).removeprefix(name).split()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"basis": "work", "amount": 1.0},
        {"amount": 40.0},
        {"names": ["a" * 90, "b " * 50, "c\nd\te"]},
        {"book": {"purchase.price.ssd-sata": 99_999.0}},
    ],
)
def test_no_line_is_wider_than_a_terminal(options):
    lines = told(**options)
    assert max(map(len, lines)) <= words.WIDE
    assert not any("\n" in line for line in lines)


def test_systems_stand_side_by_side_with_groups_and_totals():
    found = document()
    lines = told()
    assert [float(cell) for cell in row(lines, "purchase")] == pytest.approx(
        [system["by_group"]["purchase"] for system in found["systems"]], abs=0.005
    )
    assert [float(cell) for cell in row(lines, "total")] == pytest.approx(
        [system["usd"] for system in found["systems"]], abs=0.005
    )
    assert [float(cell) for cell in row(lines, "present value")] == pytest.approx(
        [system["present_usd"] for system in found["systems"]], abs=0.005
    )
    assert row(lines, "against tiering")[0] == f"{100 * found['comparison'][0]['share']:+.1f}"


def test_without_discounting_there_is_no_present_value():
    assert not any(line.startswith("present value") for line in told(book={"discount.rate": 0.0}))


def test_the_other_normalisation_says_how_long_equal_work_takes():
    found = document()
    lines = told()
    at = next(n for n, line in enumerate(lines) if line.startswith("the other way"))
    usd = row(lines[at:], "total")
    assert [float(cell.replace(",", "")) for cell in usd] == pytest.approx(
        [system["usd"] for system in found["other"]["systems"]], abs=0.005
    )


def test_it_says_who_is_cheapest_under_which_assumption():
    lines = told()
    years = next(line for line in lines if "8 years" in line and "caching" in line)
    assert years.index("caching") < years.index("4.2 years") < years.index("tiering")
    energy = next(line for line in lines if "(energy.factor)" in line)
    assert "tiering" in energy and "caching" not in energy and "0.01" in energy and "100" in energy
    assert any(all(part in line for part in ("90 %", "100", "3.1", "6 years")) for line in lines)


def test_a_total_beside_its_draws_names_what_moves_it_there():
    found = document()
    assert words.leaning(found) == []  # in the middle of its draws
    one = found["uncertainty"]["systems"][0]
    usd = one["usd"]
    one["quantiles"] = {f"p{p}": usd + 2.0 * p for p in (5, 25, 50, 75, 95)}
    one["share_above"] = 0.97
    bars = next(t["bars"] for t in found["tornado"] if t["of"] == "total" and t["system"] == one["name"])
    for at, bar in enumerate(bars):
        bar["usd_low"], bar["usd_high"] = (usd, usd + 1.0) if at == 2 else (usd - 1.0, usd + 1.0)
    (sentence,) = words.leaning(found)
    assert one["name"] in sentence and "97" in sentence
    assert not any(other["name"] in sentence for other in found["uncertainty"]["systems"][1:])
    assert [bar["key"] in sentence for bar in bars] == [at == 2 for at in range(len(bars))]
    shown = " ".join(" ".join(text.lines(found)).split())
    assert sentence.replace("\u00a0", " ") in shown
    assert deciding.totals(found).remarks == [sentence]


def test_wear_tells_what_wears_which_drives_and_when():
    lines = told()
    line = next(line for line in lines if line.startswith("caching: ssd"))
    assert line.count("1.8 years") == 2 and "bytes" in line


def test_one_system_alone_is_told_without_comparisons():
    found = document()
    found["systems"], found["comparison"] = found["systems"][:1], []
    found["choice"] = choice(found["systems"])
    found["other"]["systems"], found["crossovers"] = found["other"]["systems"][:1], []
    found["uncertainty"] = None
    lines = list(text.lines(found))
    assert not any("against" in line or "cheapest" in line for line in lines)
    assert any(line.startswith("what moves the total of tiering") for line in lines)


def test_many_systems_are_told_in_several_tables():
    found = document()
    many = [{**found["systems"][0], "name": f"system {n}"} for n in range(12)]
    found["systems"], found["choice"] = many, choice(many)
    found["other"]["systems"] = [found["other"]["systems"][0]] * 12
    found["comparison"] = [{"a": "system 0", "b": one["name"], "usd": 0.0, "share": 0.0} for one in many[1:]]
    found["uncertainty"], found["tornado"], found["crossovers"] = None, [], []
    lines = list(text.lines(found))
    assert max(map(len, lines)) <= words.WIDE
    heads = [line for line in lines if line.startswith("USD over the horizon")]
    assert sum(line.count("system ") for line in heads) == 12


def test_alike_names_are_told_apart():
    assert words.labels(document(names=["a", "a", "a"])) == ["a", "a (2)", "a (3)"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0.00"), (-0.0, "0.00"), (12.345, "12.35"), (-12.345, "-12.35"), (123456.7, "123,457"),
        (0.00123, "0.00123"), (None, "–"),
    ],
)  # fmt: skip
def test_dollars_have_the_digits_that_suit_them(value, shown):
    assert words.dollars(value) == shown


def test_less_than_a_cent_is_not_shown_as_nothing():
    assert words.dollars(0.0001, 2) == "<0.01"
    assert words.dollars(-0.0001, 2) == "-<0.01"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.002739, "0.00274"), (4.2, "4.2"), (30.0, "30"), (1234.5, "1,234"), (1e9, "1,000,000,000")],
)
def test_figures_have_no_digits_too_many(value, shown):
    assert words.figure(value) == shown


NAMES = st.text(st.characters(), max_size=60)  # halves of surrogate pairs among them


@settings(deadline=None, max_examples=60)
@given(name=NAMES, note=NAMES)
def test_whatever_a_system_is_called_a_terminal_can_show_it(name, note):
    found = document(names=[name])
    found["systems"][0]["notes"] = [note]
    for line in text.lines(found):
        assert len(line) <= words.WIDE
        assert line.isascii() or line.encode("utf-8")
        assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in line)
