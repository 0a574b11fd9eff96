"""``iowatt tariff`` as typed."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from iowatt.base.errors import Argument, InputError
from iowatt.cli import main
from iowatt.lenses.electricity import billed, find_load
from iowatt.pages.tariff import bill, document, listing
from iowatt.tariffs import result
from iowatt.tariffs.find import find_tariff, tariff_names
from refused import check


def invoke(*words: object):
    return CliRunner().invoke(main.app, ["tariff", *map(str, words)])


def test_list_has_all():
    result = invoke("list")
    assert result.exit_code == 0, result.output
    said = result.stdout
    assert all(name in said for name in tariff_names())
    (row,) = (row for row in shown_list().table.rows if row[0] == "wallingford-primary-2013")
    assert row[:4] == ["wallingford-primary-2013", "2013-07-01", "2013-10-31", "yes"]
    found = json.loads(invoke("list", "--json").stdout)
    (listed,) = (one for one in found["tariffs"] if one["key"] == row[0])
    assert row[4].split(", ") == listed["charges"]
    assert {"energy", "demand", "ratchet", "fixed"} < set(listed["charges"]) and len(listed["charges"]) == 5
    assert (found["schema"], len(found["tariffs"])) == ("iowatt.tariffs/1", len(tariff_names()))


def shown_list():
    (figure,) = listing(result.tariff_list(map(find_tariff, tariff_names()))).figures()
    return figure


def figures(name):
    return {one.key: one.table for one in document(result.tariff_document(find_tariff(str(name)))).figures()}


def test_show_has_charges_and_schedules():
    result = invoke("show", "lipa-285-primary-2022")
    assert result.exit_code == 0, result.output
    assert "285 - Primary" in result.stdout
    assert "Long Island Power Authority" in result.stdout
    shown = figures("lipa-285-primary-2022")
    assert any("145 kW" in str(value) for value in shown["terms"].column("Value"))
    prices = shown["demand-prices"]
    assert prices.rows[1] == ["1", pytest.approx(28.65177, abs=5e-6), 26.85, pytest.approx(1.80177, abs=5e-6)]
    assert prices.texts()[1] == ["1", "28.6518", "26.85", "1.80177"]
    hours = {row[0]: row[1:] for row in shown["demand-periods"].rows}
    assert hours["Jul"] == ["000000022211111111111120", "0" * 24]
    assert hours["Jan"] == ["000000022222222222222220", "0" * 24]
    assert all(row[0] in result.stdout and row[1] in result.stdout for row in shown["demand-periods"].rows)
    found = json.loads(invoke("show", "lipa-285-primary-2022", "--json").stdout)
    assert found["schema"] == "iowatt.tariff/1"
    assert found["applicable_kw"] == [145, None]
    assert found["demand"]["weekdays"][6] == [0] * 7 + [2] * 3 + [1] * 12 + [2] + [0]
    noted = invoke("show", "lipa-285-primary-2022", "--notes").stdout
    assert found["notes"]
    assert all(f"note: {note}" in noted for note in found["notes"])


@pytest.mark.parametrize("name", ["flat:0.1,5", "smud-ci-tod3-2025"])
def test_show_shows_any(name):
    assert invoke("show", name).exit_code == 0
    assert invoke("show", name, "--json").exit_code == 0


def test_show_says_what_ratchets_and_tiers_are(tmp_path):
    record = {
        "energyratestructure": [[{"max": 1000, "rate": 0.1, "sell": 0.02}, {"rate": 0.2}]],
        "flatdemandstructure": [[{"max": 50, "rate": 3}, {"rate": 4}]],
        "demandratchetpercentage": [0.5] * 12, "lookbackpercent": 0.8, "lookbackrange": 6,
        "mincharge": 20, "fueladjustmentsmonthly": [0.01] * 12, "peakkwcapacitymax": 90,
    }  # fmt: skip
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(record))
    shown = figures(path)
    terms = {row[0]: row[1] for row in shown["terms"].rows}
    for term, figure in {
        "for customers of": "90 kW", "minimum": "$20 a month", "ratchet": "50 %", "look-back": "80 %",
        "fuel adjustment": "$0.01/kWh",
    }.items():  # fmt: skip
        assert figure in terms[term]
    assert "6 months" in terms["look-back"]
    assert shown["energy-prices"].rows == [["0", 0.1, "1,000 kWh", 0.02], ["0", 0.2, "", None]]
    assert shown["flat_demand-prices"].rows == [["0", 3.0, "50 kW"], ["0", 4.0, ""]]


def test_check_names_what_is_charged_or_the_first_fault(tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text('{"name": "Good", "energyratestructure": [[{"rate": 0.1}]], "fixedmonthlycharge": 3}')
    bad.write_text('{"energyratestructure": [[{"rate": 0.1}]], "energyweekdayschedule": [[0]]}')
    result = invoke("check", good)
    assert result.exit_code == 0
    (row,) = (line.split() for line in result.stdout.splitlines() if line.startswith("good"))
    assert row[-3:] == ["no", "energy,", "fixed"]
    told = json.loads(invoke("check", good, "--json").stdout)
    assert told["schema"] == "iowatt.tariffs/1"
    assert [(one["name"], one["charges"]) for one in told["tariffs"]] == [("Good", ["energy", "fixed"])]
    failed = invoke("check", good, bad)
    assert isinstance(failed.exception, InputError)
    assert failed.exception.exit_code == 2
    assert failed.stdout == ""
    assert failed.exception.place == f"{bad}: energyweekdayschedule"


def test_bill_prints_months_and_sums():
    result = invoke("bill", "flat:0.10,12", "5kW", "--months", "2")
    assert result.exit_code == 0, result.output
    lines = [line.split() for line in result.stdout.splitlines()]
    said = result.stdout.replace("\u00a0", " ")
    for figure in ("2026-01-01", "2026-03-01", "7,080 kWh", "5.000 kW", "$828.00", "$0.1169"):
        assert figure in said
    assert ["2026-01", "3,720", "5.00", "372.00", "60.00", "432.00"] in lines
    assert ["total", "828.00"] in lines
    assert all(len(line) <= 80 for line in result.stdout.splitlines()[2:] if not line.startswith("note"))


def test_a_long_bill_is_by_years():
    tariff = find_tariff("flat:0.10")
    found = billed(tariff, find_load("1kW", None, 60))
    assert len(found.months) == 60
    table = bill(result.tariff_document(tariff), found).chart.table
    assert table.column("Year") == ["2026", "2027", "2028", "2029", "2030"]
    assert table.column("Use")[2] == pytest.approx(8784)


def test_bill_as_json():
    words = ("bill", "lipa-285-primary-2022", "200kW", "--first-day", "2022-07-01", "--months", 1, "--json")
    found = json.loads(invoke(*words).stdout)
    assert found["schema"] == "iowatt.bill/1"
    assert found["usd"] == pytest.approx(7134.66, abs=0.005)
    assert [item["usd"] for item in found["items"]] == pytest.approx([0, 5730.35, 1404.31], abs=0.005)
    assert (found["start"], found["end"]) == ("2022-07-01T00:00", "2022-08-01T00:00")


def test_a_page_is_written_once(tmp_path):
    page = tmp_path / "bill.html"
    words = ("bill", "smud-ci-tod3-2025", "600kW", "-o", page)
    assert invoke(*words).exit_code == 0
    text = page.read_text("utf-8")
    assert "600kW" in text
    assert 'id="bill-energy-weekdays"' in text
    assert 'id="bill-demand-weekends"' in text
    assert invoke(*words).exception.code == "exists"
    assert invoke(*words, "--force").exit_code == 0
    assert list(tmp_path.iterdir()) == [page]


def test_a_page_of_a_flat_price_has_no_schedule(tmp_path):
    page = tmp_path / "bill.html"
    assert invoke("bill", "flat:0.1", "5kW", "--site", "100kW", "-o", page).exit_code == 0
    text = page.read_text("utf-8")
    assert "100 kW" in text
    assert 'id="bill-months"' in text
    assert 'id="bill-energy-weekdays"' not in text


@pytest.mark.parametrize(
    ("words", "code", "place"),
    [
        (("flat:0.1", "5kW", "--years", 1, "--months", 2), "conflict", Argument("months")),
        (("flat:0.1", "5kW", "--site", "much"), "bad-syntax", Argument("site")),
        (("flat:0.1", "5kW", "-o", "bill.txt"), "not-accepted", "bill.txt"),
        (("nowhere", "5kW"), "unknown-name", None),
    ],
)
def test_what_cannot_be_billed_exits_with_2(words, code, place):
    result = invoke("bill", *words)
    check(result.exception, code, place)
    assert result.stdout == ""
