"""The page of costs: its figures say what the document says, and names are text."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from iowatt.pages.cost import (
    check_target,
    deciding,
    footprint,
    hours,
    over_time,
    page,
    text,
    totals,
    words,
    write,
)
from iowatt.pages.cost import drives as drive_figures
from refused import refused
from report.cost_document import HOSTILE, YEAR, choice, document, year


def data_of(html):
    return json.loads(re.search(r'id="report-data">(.*?)</script>', html, re.S)[1])


def test_bars_and_their_table_add_up_to_the_totals():
    found = document()
    figure = totals.groups(found)
    for at, system in enumerate(found["systems"]):
        assert sum(trace["x"][at] for trace in figure.spec["data"]) == pytest.approx(system["usd"], rel=1e-12)
    assert figure.table.column("Total") == [system["usd"] for system in found["systems"]]
    assert "left of zero" in figure.caption


def test_dollars_over_time_end_at_the_total_and_step_at_replacements():
    system = document()["systems"][1]
    years, dollars = over_time.added_up(system)
    assert dollars[-1] == pytest.approx(system["usd"], rel=1e-12)
    assert np.all(np.diff(years) >= 0)
    replacement = system["drives"][0]["replacements"][0]
    at = np.flatnonzero(np.isclose(years, replacement["at_years"], rtol=1e-12))
    assert len(at) == 2
    assert dollars[at[1]] - dollars[at[0]] == pytest.approx(replacement["usd"], rel=1e-9)
    assert years[-1] == pytest.approx(system["seconds"] / YEAR)


def test_thousands_of_payments_make_a_curve_that_can_be_drawn():
    system = document()["systems"][0]
    flows = [{"usd": 1.0, "at_s": float(n), "until_s": None} for n in range(5000)]
    system["components"][0]["flows"] = flows
    years, dollars = over_time.added_up(system)
    assert len(years) < 1000
    rest = sum(f["usd"] for c in system["components"][1:] for f in c["flows"])
    assert dollars[-1] == pytest.approx(5000 + rest, rel=1e-9)


def test_a_bill_by_month_is_the_documents():
    found = document()
    found["systems"] = found["systems"][:2]
    figures = over_time.bills(found)
    assert len(figures) == 2
    for figure, system in zip(figures, found["systems"], strict=True):
        assert len(figure.table.rows) == len(system["bill"]["months"]) == 96
        drawn = sum(sum(trace["y"]) for trace in figure.spec["data"])
        assert drawn == pytest.approx(sum(figure.table.column("Bill")), rel=1e-12)


def test_bills_of_many_systems_are_one_figure():
    found = document()
    (figure,) = over_time.bills(found)
    for system, trace in zip(found["systems"], figure.spec["data"], strict=True):
        rows = [row for row in figure.table.rows if row[0] == system["name"]]
        assert [row[1] for row in rows] == trace["x"] == [one["month"] for one in system["bill"]["months"]]
        assert sum(trace["y"]) == pytest.approx(sum(row[-1] for row in rows), rel=1e-12)
    long = found["systems"][0]["bill"]
    long["months"] = [{**one, "month": str(2026 + n)} for n, one in enumerate(long["months"][:30])]
    assert [figure.title for figure in over_time.bills(found)] == [
        "Bill by month: caching", "Bill by month: disks only", "Bill by year: tiering",
    ]  # fmt: skip


def test_a_bill_says_what_of_it_is_not_in_the_costs():
    found = document()
    (figure,) = over_time.bills(found)
    assert "energy." not in figure.caption
    assert not any("energy.site_kw" in note for note in words.notes(found))
    found["assumptions"] += [
        {**found["assumptions"][0], "key": "energy.site_kw", "value": 200.0},
        {**found["assumptions"][0], "key": "energy.fixed", "value": "none"},
    ]
    (figure,) = over_time.bills(found)
    assert "(energy.site_kw)" in figure.caption and "(energy.fixed)" in figure.caption
    assert any("200 kW" in note for note in words.notes(found))


def test_only_in_equal_time_do_crossing_lines_tell_who_is_cheaper():
    assert "cheaper one so far" in over_time.cumulative(document()).caption
    caption = over_time.cumulative(document(basis="work", amount=1000.0)).caption
    assert "cheaper" not in caption and "not at the same year" in caption


def test_a_tornado_begins_at_the_value_and_ends_at_both_ends():
    found = document()
    figure = deciding.tornados(found)[0]
    told = found["tornado"][3]
    assert told["of"] == "difference"
    low, high = figure.spec["data"]
    for trace, key in ((low, "usd_low"), (high, "usd_high")):
        ends = [base + x for base, x in zip(trace["base"], trace["x"], strict=True)]
        assert ends == pytest.approx([bar[key] for bar in told["bars"]], rel=1e-12)


def test_differences_come_before_totals_where_systems_are_compared():
    found = document()
    titles = [figure.title for figure in deciding.tornados(found)]
    assert [title.startswith("What moves the difference") for title in titles] == [True] * 2 + [False] * 3


def test_crossings_are_marked_where_they_are():
    places, years, energy = deciding.crossovers(document())
    assert places.table.column("Change places at")[0] == 4.2
    assert {shape["x0"] for shape in years.spec["layout"]["shapes"]} == {4.2, 8.0}
    assert energy.spec["layout"]["xaxis"]["type"] == "log"


def test_carbon_has_a_bar_for_each_estimate_and_says_which_is_used():
    found = document()
    figure = footprint.carbon(found)
    assert len(figure.table.rows) == 6
    used = [row for row in figure.table.rows if row[2] == "yes"]
    assert [row[5] for row in used] == pytest.approx(
        [s["carbon"]["operational_kg"] + s["carbon"]["embodied_kg"] for s in found["systems"]], rel=1e-12
    )


def test_wear_is_of_the_drive_that_wears_fastest():
    figure = drive_figures.wear(document())
    assert figure.table.column("Replaced") == [1, 1, 4, 1, 2]
    assert figure.table.column("Worn over the horizon")[2] == pytest.approx(
        100 * 8.0 / (340.0 / 6e-6 / YEAR), rel=1e-9
    )


def test_replacements_in_groups_are_counted_one_by_one():
    found = document()
    found["systems"][1]["drives"][0]["replacements"] = [
        {"at_years": 0.1, "reason": "worn", "usd": 1.0, "count": 5, "until_years": 0.2}
    ]
    assert drive_figures.wear(found).table.column("Replaced")[2] == 5


def test_a_year_is_a_map_of_its_week():
    found = document()
    assert hours.figures(found) == []
    found["systems"][0]["year"] = year()
    week, loads = hours.figures(found)
    assert week.spec["data"][0]["z"][6][23] == 83.0
    assert len(week.table.rows) == 168
    assert loads.table.column("Hours") == [10, 20]
    assert 'id="cost-week-0"' in page.render(found)


def test_spin_down_has_a_row_for_each_level():
    found = document()
    assert drive_figures.spin_down(found) is None
    found["systems"][0]["spin_down"] = [
        {"pool": "hdd", "model": "disk", "drives": 1, "stops": 3, "saved_usd": 1.0, "wear_usd": 2.0,
         "net_usd": -1.0,
         "break_even": [{"level": "standby", "at_most": False, "saved_w": 5.5, "energy_s": 54.0,
                         "dollars_s": None, "by": "start_stop_cycles", "wear": []}]}
    ]  # fmt: skip
    figure = drive_figures.spin_down(found)
    assert figure.table.column("Saves energy after") == [54.0]
    assert figure.table.column("Saves dollars after") == [None]


def test_the_page_holds_every_figure_with_its_table():
    html = page.render(document())
    figures = data_of(html)["figures"]
    assert len(figures) == 19
    for key, figure in figures.items():
        assert figure["rows"], key
        assert f'id="{key}"' in html


@pytest.mark.parametrize("names", [HOSTILE, [HOSTILE[0]] * 3])
def test_names_are_text_on_the_page(names):
    found = document(names=names)
    found["systems"][0]["notes"] = [HOSTILE[2]]
    found["systems"][0]["components"][0]["title"] = HOSTILE[0]
    html = page.render(found)
    assert "<img" not in html
    assert html.count("<script") == 3  # the data and the two scripts of the package
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    for trace in data_of(html)["figures"]["cost-groups"]["spec"]["data"]:
        assert not any("<" in label for label in trace["y"])


def test_a_single_system_without_uncertainty_makes_a_page():
    found = document()
    found["systems"], found["comparison"] = found["systems"][:1], []
    found["choice"] = choice(found["systems"])
    found["other"]["systems"] = found["other"]["systems"][:1]
    found["uncertainty"], found["tornado"], found["crossovers"] = None, [], []
    assert "<title>tiering" in page.render(found)


def test_a_file_is_written_once_and_only_with_an_end_that_is_known(tmp_path):
    for end in ("html", "xlsx"):
        target = tmp_path / f"costs.{end}"
        write(document(), target)
        with refused("exists", str(target)):
            write(document(), target)
        write(document(), target, force=True)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["costs.html", "costs.xlsx"]
    with refused("not-accepted", str(tmp_path / "costs.pdf")):
        check_target(tmp_path / "costs.pdf", False)
    with refused("not-found", str(tmp_path / "no")):
        check_target(tmp_path / "no" / "costs.html", False)


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
    return found


def test_what_is_not_known_of_a_measured_run_is_not_shown(tmp_path):
    for end in ("html", "xlsx"):
        write(measured(), tmp_path / f"costs.{end}")
    lines = list(text.lines(measured()))
    assert any(line.startswith("measured") for line in lines)
    assert not any("lasts" in line and "replaced" in line for line in lines)
    assert "cost-wear" not in data_of(page.render(measured()))["figures"]
