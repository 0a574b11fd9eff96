"""``iowatt power`` as typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from iowatt.base.errors import Argument
from iowatt.cli import main
from iowatt.model.scenario import calculated_power
from iowatt.pages.power import document
from refused import check

EXAMPLES = Path(__file__).parents[2] / "examples"
SNIA = EXAMPLES / "power" / "snia-50-sff-15k.toml"


def invoke(*words: object):
    return CliRunner().invoke(main.app, ["power", *map(str, words)])


def test_it_prints_totals_components_and_the_start():
    result = invoke(EXAMPLES / "array-power.toml")
    assert result.exit_code == 0, result.output
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["disks", "32", "714", "1,248", "1,248"] in lines
    assert ["failover", "active", "1,980", "2,084", "6,756", "0.563"] in lines
    said = result.stdout.replace("\u00a0", " ")
    assert "1,241 W" in said
    assert "104 s" in said
    assert all(len(line) <= 80 for line in result.stdout.splitlines() if "  " in line)


@pytest.mark.parametrize(
    ("given", "at_once", "scope"),
    [("{ at_once = 1 }", 1, "enclosure"), ('{ at_once = 2, per = "array" }', 2, "array")],
)
def test_a_start_says_whose_drives_start_together(given, at_once, scope):
    found = calculated_power(EXAMPLES / "array-power.toml", [f"array.power.spin_up={given}"])
    assert (found.spin_up.at_once, found.spin_up.scope) == (at_once, scope)
    shown = document(found)
    (tile,) = (headline for headline in shown.headlines if headline.key == "start")
    assert tile.remark.startswith(f"{at_once} drive")
    assert ("enclosure" in tile.remark) is (scope == "enclosure")
    assert any(tile.remark in sentence for sentence in shown.verdict)


def test_failover_says_what_draws_more():
    found = calculated_power(EXAMPLES / "array-power.toml")
    (tile,) = (one for one in document(found).headlines if one.key == "failover")
    assert "+193" in tile.remark  # fans from half to full speed
    assert "+21.5" in tile.remark  # losses of one supply for two
    assert tile.value == found.modes["failover"]["active"].wall_w


def test_without_redundant_supplies_there_is_no_failover():
    single = [
        f"array.power.enclosure.{one}.supply.{key}=1"
        for one in ("head", "shelf")
        for key in ("count", "needed")
    ]
    found = calculated_power(EXAMPLES / "array-power.toml", single)
    shown = document(found)
    assert found.modes["failover"] == found.modes["normal"]
    (tile,) = (one for one in shown.headlines if one.key == "failover")
    assert (tile.value, tile.said) == (None, "none")
    figures = {one.key: one.table for one in shown.figures()}
    assert {row[0] for row in figures["totals"].rows} == {"normal"}
    assert {row[1] for row in figures["supplies"].rows} == {"normal"}
    assert "Active, failover" not in [one.title for one in figures["components"].columns]


def test_an_enclosure_without_a_redundant_supply_stays_as_it_is():
    single = ["array.power.enclosure.head.supply.count=1", "array.power.enclosure.head.supply.needed=1"]
    found = calculated_power(EXAMPLES / "array-power.toml", single)
    fans = {one.name: one.watts for one in found.components}
    assert fans["head.fan"]["failover"] == fans["head.fan"]["normal"]
    assert fans["shelf.fan"]["failover"]["active"] == pytest.approx(8 * fans["shelf.fan"]["normal"]["active"])


def test_the_supplies_of_the_fullest_shelf():
    (figure,) = (one for one in document(calculated_power(SNIA)).figures() if one.key == "supplies")
    assert figure.table.column("Efficiency") == pytest.approx([85.0] * len(figure.table.rows))
    (figure,) = (
        one
        for one in document(calculated_power(EXAMPLES / "array-power.toml")).figures()
        if one.key == "supplies"
    )
    rows = {tuple(row[:3]): row[3:] for row in figure.table.rows}
    assert rows["shelf", "failover", "active"][1:] == pytest.approx([83.0, 89.4], abs=0.05)


def test_json_is_versioned_and_takes_overrides():
    found = json.loads(invoke(SNIA, "--json", "--set", "array.pool.sff.count=25").stdout)
    assert (found["schema"], found["drives"]) == ("iowatt.power/1", 25)
    assert found["enclosures"][1]["count"] == 1
    assert found["spin_up"] is None
    assert "no-start-up-watts" in [note["code"] for note in found["notes"]]


def test_the_impossible_exits_with_2_and_prints_nothing():
    result = invoke(SNIA, "--set", "array.power.enclosure.shelf.count=1")
    count = "array.power.enclosure.shelf.count"
    check(result.exception, "out-of-range", Argument("set", f"{count}=1: {count}"))
    assert result.stdout == ""


def test_a_page_is_written_once(tmp_path):
    page = tmp_path / "power.html"
    assert invoke(SNIA, "-o", page).exit_code == 0
    text = page.read_text("utf-8")
    assert "snia-50-sff-15k" in text
    assert "25 small" in text and "12 large" in text  # a note of its part
    check(invoke(SNIA, "-o", page).exception, "exists", str(page))
    assert invoke(SNIA, "-o", page, "--force").exit_code == 0
    assert list(tmp_path.iterdir()) == [page]


@pytest.mark.parametrize(
    ("name", "code", "place"), [("p.txt", "not-accepted", "p.txt"), ("no/p.html", "not-found", "no")]
)
def test_a_page_that_cannot_be_written_is_refused_first(tmp_path, name, code, place):
    error = invoke(EXAMPLES / "nowhere.toml", "-o", tmp_path / name).exception
    check(error, code, str(tmp_path / place))


def test_check_mentions_the_wall():
    result = CliRunner().invoke(main.app, ["check", str(EXAMPLES / "array-power.toml")])
    (line,) = (line for line in result.stdout.splitlines() if "1132.3 W" in line)
    assert "1765.2 W" in line
