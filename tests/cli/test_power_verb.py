"""``iowatt power`` as typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from iowatt.base.errors import Argument
from iowatt.cli import main
from refused import check

EXAMPLES = Path(__file__).parents[2] / "examples"
SNIA = EXAMPLES / "power" / "snia-50-sff-15k.toml"


def invoke(*words: object):
    return CliRunner().invoke(main.app, ["power", *map(str, words)])


def test_it_prints_totals_components_and_supplies():
    result = invoke(EXAMPLES / "array-power.toml")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "array-power: 32 drives, 1,075 GB raw"
    (disks,) = (line.split() for line in lines if line.startswith("disks "))
    assert disks == ["disks", "32", "713.6", "1,248.0", "1,248.0"]
    assert any(line.startswith("failover") for line in lines)
    assert any("83\u00a0%" in line and line.startswith("shelf ") for line in lines)
    assert "switching on: at most 1,241.3 W at the wall, 4 drives per enclosure at a time, 104 s" in lines
    assert all(len(line) <= 100 for line in lines if not line.startswith("note"))


def test_a_start_says_whose_drives_start_together():
    key = "array.power.spin_up="
    for given, said in [
        ("{ at_once = 1 }", "1 drive per enclosure"),
        ('{ at_once = 2, per = "array" }', "2 drives"),
    ]:
        result = invoke(EXAMPLES / "array-power.toml", "--set", key + given)
        assert f"at the wall, {said} at a time, " in result.stdout


def test_json_is_versioned_and_takes_overrides():
    found = json.loads(invoke(SNIA, "--json", "--set", "array.pool.sff.count=25").stdout)
    assert (found["schema"], found["drives"]) == ("iowatt.power/1", 25)
    assert found["enclosures"][1]["count"] == 1
    assert found["spin_up"] is None
    assert any("start-up watts" in note for note in found["notes"])


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
    assert "one shelf of 25 small drives and one of 12 large ones" in text
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
    assert "  at the wall: 1132.3 W idle, 1765.2 W active" in result.stdout
