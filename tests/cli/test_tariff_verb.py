"""``iowatt tariff`` as typed."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from iowatt.base.errors import InputError
from iowatt.cli import main
from iowatt.tariffs.find import tariff_names


def invoke(*words: object):
    return CliRunner().invoke(main.app, ["tariff", *map(str, words)])


def test_list_has_all():
    result = invoke("list")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(tariff_names())
    (wallingford,) = (line for line in lines if line.startswith("wallingford-primary-2013"))
    assert wallingford.split()[1:4] == ["2013-07-01", "2013-10-31", "yes"]
    assert wallingford.endswith("energy, energy by time, demand, ratchet, fixed")
    found = json.loads(invoke("list", "--json").stdout)
    assert (found["schema"], len(found["tariffs"])) == ("iowatt.tariffs/1", len(tariff_names()))


def test_show_prints_charges_and_schedules():
    result = invoke("show", "lipa-285-primary-2022")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "285 - Primary, Long Island Power Authority"
    assert "for       at least 145 kW" in lines
    assert "  period 1  28.6518 = 26.85 + 1.80177" in lines
    assert "  Jul       000000022211111111111120  000000000000000000000000" in lines
    assert "  Jan       000000022222222222222220  000000000000000000000000" in lines
    assert any(line.startswith("note: delivery demand only") for line in lines)
    found = json.loads(invoke("show", "lipa-285-primary-2022", "--json").stdout)
    assert found["schema"] == "iowatt.tariff/1"
    assert found["demand"]["weekdays"][6] == [0] * 7 + [2] * 3 + [1] * 12 + [2] + [0]


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
    lines = invoke("show", path).stdout.splitlines()
    for said in (
        "for       at most 90 kW",
        "minimum   $20 a month",
        "ratchet   50 % of the highest of eleven months before",
        "look-back 80 % of the highest of 6 months before",
        "fuel      $0.01/kWh",
        "  period 0  0.1  up to 1,000 kWh  fed back $0.02",
        "  period 0  3  up to 50 kW",
    ):
        assert said in lines


def test_check_names_what_is_charged_or_the_first_fault(tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text('{"name": "Good", "energyratestructure": [[{"rate": 0.1}]], "fixedmonthlycharge": 3}')
    bad.write_text('{"energyratestructure": [[{"rate": 0.1}]], "energyweekdayschedule": [[0]]}')
    result = invoke("check", good)
    assert (result.exit_code, result.stdout) == (0, "Good: energy, fixed\n")
    told = json.loads(invoke("check", good, "--json").stdout)
    assert told["schema"] == "iowatt.tariffs/1"
    assert [(one["name"], one["charges"]) for one in told["tariffs"]] == [("Good", ["energy", "fixed"])]
    failed = invoke("check", good, bad)
    assert isinstance(failed.exception, InputError)
    assert failed.exception.exit_code == 2
    assert failed.stdout == ""
    assert failed.exception.place == f"{bad}: energyweekdayschedule"
    assert "12 of 24" in failed.exception.message


def test_bill_prints_months_and_sums():
    result = invoke("bill", "flat:0.10,12", "5kW", "--months", "2")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[1].startswith(
        "5kW, 2026-01-01 00:00 to 2026-03-01 00:00: 7,080 kWh, mean 5.000 kW, peak 5.000 kW"
    )
    (january,) = (line.split() for line in lines if line.startswith("2026-01 "))
    assert january == ["2026-01", "3,720", "5.000", "$372.00", "$60.00", "$0.00", "$0.00", "$432.00"]
    assert any(line.split() == ["in", "all", "$828.00", "($0.1169", "a", "kWh)"] for line in lines)
    assert all(len(line) <= 110 for line in lines if not line.startswith("note"))


def test_a_long_bill_is_by_years():
    lines = invoke("bill", "flat:0.10", "1kW", "--years", "5").stdout.splitlines()
    rows = [line.split() for line in lines if line[:2] == "20"]
    assert [row[0] for row in rows] == ["2026", "2027", "2028", "2029", "2030"]
    assert rows[2][1] == "8,784"


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
    assert "Electricity of 600kW" in text
    assert "Energy on weekdays" in text and "Demand on weekends" in text
    assert "not verified" in text
    assert "exists already" in str(invoke(*words).exception)
    assert invoke(*words, "--force").exit_code == 0
    assert list(tmp_path.iterdir()) == [page]


def test_a_page_of_a_flat_price_has_no_schedule(tmp_path):
    page = tmp_path / "bill.html"
    assert invoke("bill", "flat:0.1", "5kW", "--site", "100kW", "-o", page).exit_code == 0
    text = page.read_text("utf-8")
    assert "beside a site of 100 kW" in text
    assert "Energy on weekdays" not in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("flat:0.1", "5kW", "--years", 1, "--months", 2), "months: "),
        (("flat:0.1", "5kW", "--site", "much"), "site: "),
        (("flat:0.1", "5kW", "-o", "bill.txt"), ".html"),
        (("nowhere", "5kW"), "there is no tariff"),
    ],
)
def test_what_cannot_be_billed_exits_with_2(words, said):
    result = invoke("bill", *words)
    assert isinstance(result.exception, InputError)
    assert said in str(result.exception)
    assert result.stdout == ""
