"""The page of costs: its figures say what the document says, and names are text."""

from __future__ import annotations

import io
import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from iowatt.lenses.cost.result.costs import Cost
from iowatt.pages.cost import deciding, over_time, sentences, totals, words, write
from iowatt.pages.cost import document as made
from iowatt.pages.cost import drives as drive_figures
from iowatt.pages.cost.page import caveats
from iowatt.pages.cost.sentences import leaning
from iowatt.render import numbers, terminal
from iowatt.render.write import page
from refused import refused
from report.cost_document import HOSTILE, YEAR, choice, cost, document, note, year


def data_of(html):
    return json.loads(re.search(r'id="report-data">(.*?)</script>', html, re.S)[1])


def html_of(found):
    return page([made(found)])


def lines(found, **options):
    """What a terminal shows, line by line."""
    out = io.StringIO()
    console = Console(file=out, width=terminal.WIDTH, highlight=False, soft_wrap=True)
    terminal.show(made(found), console=console, **options)
    return out.getvalue().splitlines()


#: Each system does 60,000 requests in 300, 340 and 900 s, again and again: in equal time not equally often.
COPIES = [1.0, 340 / 300, 900 / 300]


def test_bars_and_their_table_add_up_to_the_totals():
    found = cost()
    figure = totals.groups(found)
    for at, (system, copies) in enumerate(zip(found.systems, COPIES, strict=True)):
        drawn = sum(trace["x"][at] for trace in figure.spec["data"])
        column = dict(zip(figure.table.column("Group"), figure.table.column(system.name), strict=True))
        groups = [column[trace["name"]] for trace in figure.spec["data"]]
        assert column["Purchase"] == system.by_group["purchase"]
        assert list(column.values()) == [*groups, system.usd, system.usd_equal, system.present_usd]
        assert sum(groups) == pytest.approx(column["Total"], rel=1e-12)
        assert drawn == pytest.approx(column["At equal work"], rel=1e-12)
        assert drawn == pytest.approx(copies * system.usd, rel=1e-12)
    assert "at equal work" in figure.caption and "Credits" in figure.caption


def test_bars_of_equal_work_are_the_totals():
    found = cost(basis="work", amount=1000.0)
    figure = totals.groups(found)
    assert "At equal work" not in figure.table.column("Group") and "at equal" not in figure.caption
    for at, system in enumerate(found.systems):
        assert sum(trace["x"][at] for trace in figure.spec["data"]) == pytest.approx(system.usd, rel=1e-12)


def test_without_discounting_there_is_no_present_value():
    for basis, last in (("time", "At equal work"), ("work", "Total")):
        table = totals.groups(cost(basis=basis, book={"discount.rate": 0.0})).table
        assert table.column("Group")[-1] == last


def test_what_is_got_stands_beside_the_totals():
    found = cost()
    table = totals.systems(found).table
    assert table.column("Total") == [one.usd for one in found.systems]
    equal = table.column("At equal work")
    assert equal == pytest.approx([c * one.usd for c, one in zip(COPIES, found.systems, strict=True)])
    assert table.column("Against tiering")[1:] == pytest.approx(
        [100 * (usd / equal[0] - 1) for usd in equal[1:]]
    )
    assert table.column("Mean") == [one.work.response_ms for one in found.systems]
    assert table.column("p95") == [one.work.response_p95_ms for one in found.systems]
    assert table.column("Per usable TB") == [one.usd_per_usable_tb for one in found.systems]


def test_the_other_normalisation_says_how_long_equal_work_takes():
    found = cost()
    table = totals.other(found).table
    assert [row[-1] for row in table.rows] == [one.usd for one in found.other.systems]
    assert [row[-2] for row in table.rows] == [one.years for one in found.other.systems]


def test_dollars_over_time_end_at_the_total_and_step_at_replacements():
    system = cost().systems[1]
    years, dollars = over_time.added_up(system)
    assert dollars[-1] == pytest.approx(system.usd, rel=1e-12)
    assert np.all(np.diff(years) >= 0)
    replacement = system.drives[0].replacements[0]
    at = np.flatnonzero(np.isclose(years, replacement.at_years, rtol=1e-12))
    assert len(at) == 2
    assert dollars[at[1]] - dollars[at[0]] == pytest.approx(replacement.usd, rel=1e-9)
    assert years[-1] == pytest.approx(system.seconds / YEAR)


def test_thousands_of_payments_make_a_curve_that_can_be_drawn():
    found = document()
    system = found["systems"][0]
    system["components"][0]["flows"] = [{"usd": 1.0, "at_s": float(n), "until_s": None} for n in range(5000)]
    years, dollars = over_time.added_up(Cost.model_validate(found).systems[0])
    assert len(years) < 1000
    rest = sum(f["usd"] for c in system["components"][1:] for f in c["flows"])
    assert dollars[-1] == pytest.approx(5000 + rest, rel=1e-9)


def test_a_bill_by_month_is_the_documents():
    found = document()
    found["systems"] = found["systems"][:2]
    figures = over_time.bills(Cost.model_validate(found))
    assert len(figures) == 2
    for figure, system in zip(figures, found["systems"], strict=True):
        assert len(figure.table.rows) == len(system["bill"]["months"]) == 96
        drawn = sum(sum(trace["y"]) for trace in figure.spec["data"])
        assert drawn == pytest.approx(sum(figure.table.column("Bill")), rel=1e-12)


def test_bills_of_many_systems_are_one_figure():
    found = document()
    (figure,) = over_time.bills(cost())
    for system, trace in zip(found["systems"], figure.spec["data"], strict=True):
        rows = [row for row in figure.table.rows if row[0] == system["name"]]
        assert [row[1] for row in rows] == trace["x"] == [one["month"] for one in system["bill"]["months"]]
        assert sum(trace["y"]) == pytest.approx(sum(row[-1] for row in rows), rel=1e-12)
    long = found["systems"][0]["bill"]
    long["months"] = [{**one, "month": str(2026 + n)} for n, one in enumerate(long["months"][:30])]
    assert [figure.key for figure in over_time.bills(Cost.model_validate(found))] == [
        "bill-1", "bill-2", "bill-0",
    ]  # fmt: skip


def test_a_bill_says_what_of_it_is_not_in_the_costs():
    (figure,) = over_time.bills(cost())
    assert "energy." not in figure.caption
    before = list(caveats(cost()))
    found = document()
    found["assumptions"] += [
        {**found["assumptions"][0], "key": "energy.site_kw", "value": 200.0},
        {**found["assumptions"][0], "key": "energy.fixed", "value": "none"},
    ]
    found = Cost.model_validate(found)
    (figure,) = over_time.bills(found)
    assert "(energy.site_kw)" in figure.caption and "(energy.fixed)" in figure.caption
    (more,) = [one for one in caveats(found) if one not in before]
    assert "200 kW" in more.text


def test_only_in_equal_time_do_crossing_lines_tell_who_is_cheaper():
    assert "has cost less" in over_time.cumulative(cost()).caption
    caption = over_time.cumulative(cost(basis="work", amount=1000.0)).caption
    assert "cheaper" not in caption and "year" in caption


def test_a_tornado_begins_at_the_value_and_ends_at_both_ends():
    found = cost()
    figure = deciding.tornados(found)[0]
    told = found.tornado[3]
    assert told.of == "difference"
    low, high = figure.spec["data"]
    for trace, key in ((low, "usd_low"), (high, "usd_high")):
        ends = [base + x for base, x in zip(trace["base"], trace["x"], strict=True)]
        assert ends == pytest.approx([getattr(bar, key) for bar in told.bars], rel=1e-12)


def test_differences_come_before_totals_where_systems_are_compared():
    found = cost()
    titles = [figure.title for figure in deciding.tornados(found)]
    assert ["difference" in title for title in titles] == [True] * 2 + [False] * 3


def test_crossings_are_marked_where_they_are():
    places, years, energy = deciding.crossovers(cost())
    assert places.table.column("Crossover at")[0] == 4.2
    assert {shape["x0"] for shape in years.spec["layout"]["shapes"]} == {4.2, 8.0}
    assert energy.spec["layout"]["xaxis"]["type"] == "log"


def test_carbon_has_a_bar_for_each_estimate_and_says_which_is_used():
    found = cost()
    figure = drive_figures.carbon(found)
    assert len(figure.table.rows) == 6
    used = [row for row in figure.table.rows if row[2] == "yes"]
    assert [row[5] for row in used] == pytest.approx(
        [s.carbon.operational_kg + s.carbon.embodied_kg for s in found.systems], rel=1e-12
    )


def test_wear_is_of_the_drive_that_wears_fastest():
    figure = drive_figures.wear(cost())
    assert figure.table.column("Replaced") == [1, 1, 4, 1, 2]
    assert figure.table.column("Worn over the horizon")[2] == pytest.approx(
        100 * 8.0 / (340.0 / 6e-6 / YEAR), rel=1e-9
    )


def test_replacements_in_groups_are_counted_one_by_one():
    found = document()
    found["systems"][1]["drives"][0]["replacements"] = [
        {"at_years": 0.1, "reason": "worn", "usd": 1.0, "count": 5, "until_years": 0.2}
    ]
    assert drive_figures.wear(Cost.model_validate(found)).table.column("Replaced")[2] == 5


def test_a_year_is_a_map_of_its_week():
    found = document()
    assert over_time.hours(cost()) == []
    found["systems"][0]["year"] = year()
    found = Cost.model_validate(found)
    week, loads = over_time.hours(found)
    assert week.spec["data"][0]["z"][6][23] == 83.0
    assert len(week.table.rows) == 168
    assert loads.table.column("Hours") == [10, 20]
    assert 'id="cost-week-0"' in html_of(found)


def test_spin_down_has_a_row_for_each_level():
    found = document()
    assert drive_figures.spin_down(cost()) is None
    money = {"saved_usd": 1.0, "wear_usd": 2.0, "net_usd": -1.0}
    level = {"level": "standby", "at_most": "", "saved_w": 5.5, "energy_s": 54.0, "dollars_s": None,
             "by": "start_stop_cycles", "wear": []}  # fmt: skip
    found["systems"][0]["spin_down"] = [
        {"title": "hdd (disk)", "pool": "hdd", "model": "disk", "drives": 1, "stops": 3, "level_changes": 3,
         "low_share": 0.5, "saved_j": 1e6, **money, "horizon": money, "usd_per_kwh": 0.15, "pue": 1.5,
         "life_years": 4.0, "energy_s": 54.0, "dollars_s": None, "priced": True, "break_even": [level],
         "budget": [], "note": ""}
    ]  # fmt: skip
    found = Cost.model_validate(found)
    figure = drive_figures.spin_down(found)
    assert figure.table.column("Saves energy after") == [54.0]
    assert figure.table.column("Saves dollars after") == [None]
    (sentence,) = sentences.spin_downs(found)
    assert sentence.startswith("tiering") and "54" in sentence and "never" in sentence


def test_the_page_holds_every_figure_with_its_table():
    html = html_of(cost())
    figures = data_of(html)["figures"]
    assert len(figures) == 20
    for key, figure in figures.items():
        assert figure["rows"], key
        assert f'id="{key}"' in html


def test_the_page_says_first_who_is_the_cheapest_and_then_why():
    found = made(cost())
    assert found.verdict[0].startswith("Cheapest") and words.usd(cost().systems[0].usd) in found.verdict[0]
    assert found.chart.key == "groups"
    assert [section.key for section in found.folded_sections] == ["views", "basis"]


@pytest.mark.parametrize("names", [HOSTILE, [HOSTILE[0]] * 3])
def test_names_are_text_on_the_page(names):
    found = document(names=names)
    found["systems"][0]["notes"] = [note("x", HOSTILE[2])]
    found["systems"][0]["components"][0]["title"] = HOSTILE[0]
    html = html_of(Cost.model_validate(found))
    assert "<img" not in html
    assert html.count("<script") == 3  # the data and the two scripts of the package
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    for trace in data_of(html)["figures"]["cost-groups"]["spec"]["data"]:
        assert not any("<" in label for label in trace["y"])


def alone():
    """One system without anything that compares or draws."""
    found = document()
    found["systems"], found["comparison"] = found["systems"][:1], []
    found["choice"] = choice(found["systems"])
    found["other"]["systems"], found["crossovers"] = found["other"]["systems"][:1], []
    found["uncertainty"], found["tornado"] = None, found["tornado"][:1]
    return found


def test_a_single_system_is_told_without_comparisons():
    found = Cost.model_validate(alone())
    (verdict,) = made(found).verdict
    assert verdict.startswith("tiering") and words.usd(found.systems[0].usd) in verdict
    assert not any(column.title.startswith("Against") for column in totals.systems(found).table.columns)
    (moving,) = sentences.moving(found)
    assert moving.partition(" (")[0].split()[-3:] == ["total", "of", "tiering"]
    bare = Cost.model_validate({**alone(), "tornado": []})
    assert "<title>tiering" in html_of(bare)


def test_a_file_is_written_once_and_only_with_an_end_that_is_known(tmp_path):
    for end in ("html", "xlsx"):
        target = tmp_path / f"costs.{end}"
        write(cost(), target)
        with refused("exists", str(target)):
            write(cost(), target)
        write(cost(), target, force=True)
    with refused("not-accepted", str(tmp_path / "costs.doc")):
        write(cost(), tmp_path / "costs.doc")
    with refused("not-found", str(tmp_path / "no")):
        write(cost(), tmp_path / "no" / "costs.html")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["costs.html", "costs.xlsx"]


def measured():
    """A measured Run without an inventory: no drives, nothing bought."""
    found = document()
    found["uncertainty"], found["tornado"], found["crossovers"] = None, [], []
    for system in found["systems"]:
        system["drives"], system["modelled"] = [], False
        system["components"] = [one for one in system["components"] if one["device"] is None]
        system["carbon"] |= {"embodied_kg": None, "embodied_expression": None, "choices": []}
        system["work"]["response_ms"] = None
        system["views"] = []
        for other in found["other"]["systems"]:
            other["usd"] = None
    found["modelled"] = False
    found["comparison"] = [{**one, "share": None} for one in found["comparison"]]
    return Cost.model_validate(found)


def test_what_is_not_known_of_a_measured_run_is_not_shown(tmp_path):
    for end in ("html", "xlsx"):
        write(measured(), tmp_path / f"costs.{end}")
    assert made(measured()).meta.startswith("measured")
    assert "Mean" not in [column.title for column in totals.systems(measured()).table.columns]
    assert list(sentences.replacements(measured())) == []
    assert "cost-wear" not in data_of(html_of(measured()))["figures"]


def test_sentences_say_who_is_cheapest_under_which_assumption():
    years, energy = sentences.cheapest_where(cost())
    assert years.index("caching") < years.index("4.2 years") < years.index("tiering")
    assert all(part in years for part in ("90", "100", "3.1", "6 years"))
    assert "tiering" in energy and "caching" not in energy and "0.01" in energy and "100" in energy


def test_sentences_say_which_drives_are_replaced_and_when():
    found = cost()
    told = list(sentences.replacements(found))
    replaced = [(one.name, drive.pool) for one in found.systems for drive in one.drives if drive.replacements]
    assert [one.split(" (")[0] for one in told] == [", ".join(one) for one in dict.fromkeys(replaced)]
    assert len(told) == 5
    assert "1.8 years" in told[2] and "4 replacements" in told[2]


def test_a_total_beside_its_draws_names_what_moves_it_there():
    assert leaning(cost()) == []  # in the middle of its draws
    found = document()
    one = found["uncertainty"]["systems"][0]
    usd = one["usd"]
    one["quantiles"] = {f"p{p}": usd + 2.0 * p for p in (5, 25, 50, 75, 95)}
    one["share_above"] = 0.97
    bars = next(t["bars"] for t in found["tornado"] if t["of"] == "total" and t["system"] == one["name"])
    for at, bar in enumerate(bars):
        bar["usd_low"], bar["usd_high"] = (usd, usd + 1.0) if at == 2 else (usd - 1.0, usd + 1.0)
    (sentence,) = leaning(Cost.model_validate(found))
    assert one["name"] in sentence and "97" in sentence
    assert not any(other["name"] in sentence for other in found["uncertainty"]["systems"][1:])
    assert [bar["key"] in sentence for bar in bars] == [at == 2 for at in range(len(bars))]
    assert deciding.totals(Cost.model_validate(found)).remarks == [sentence]


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
def test_a_terminal_shows_both_tables_and_what_decides(options):
    found = cost(**options)
    shown = lines(found)
    assert "Group" in shown[[*shown, ""].index(totals.groups(found).title) + 1]
    assert not any("\t" in line for line in shown)
    text = [line.strip() for line in shown]
    assert all(sentence.strip() in text for sentence in made(found).verdict)


def test_many_systems_leave_out_columns_and_say_which():
    found = document()
    many = [{**found["systems"][0], "name": f"system {n}"} for n in range(12)]
    found["systems"], found["choice"] = many, choice(many)
    found["other"]["systems"] = [found["other"]["systems"][0]] * 12
    same = dict.fromkeys(("usd", "share", "usd_equal", "share_equal"), 0.0)
    found["comparison"] = [{"a": "system 0", "b": one["name"], **same} for one in many[1:]]
    found["uncertainty"], found["tornado"], found["crossovers"] = None, [], []
    found = Cost.model_validate(found)
    shown = lines(found)
    start = shown.index(totals.groups(found).title)
    table = shown[start + 1 : start + next(n for n, line in enumerate(shown[start:]) if not line)]
    assert sum(line.count("system ") for line in table) == 12
    systems, _ = terminal.split(totals.systems(found).table)
    assert [row[0] for row in systems.rows] == [one.name for one in found.systems]


def test_alike_names_are_told_apart():
    assert words.labels(cost(names=["a", "a", "a"])) == ["a", "a (2)", "a (3)"]


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
    assert numbers.figure(value) == shown


NAMES = st.text(st.characters(), max_size=60)  # halves of surrogate pairs among them


@settings(deadline=None, max_examples=60)
@given(name=NAMES, text=NAMES)
def test_whatever_a_system_is_called_a_terminal_can_show_it(name, text):
    found = document(names=[name])
    found["systems"][0]["notes"] = [note("x", text)]
    for line in lines(Cost.model_validate(found), notes=True):
        assert line.isascii() or line.encode("utf-8")
        assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in line)
