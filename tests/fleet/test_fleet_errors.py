"""What is wrong with a plan, by its code and its place."""

from __future__ import annotations

import json
import re

import pytest
from typer.testing import CliRunner

import iowatt
from iowatt.base.errors import Argument, CheckFailedError
from iowatt.cli.main import app
from refused import check, refused

WRONG = [
    ({"demand.files.growth": -1.5}, "out-of-range", "growth"),
    ({"demand.files.most_fill": 0}, "out-of-range", "most_fill"),
    ({"demand.files.growth": []}, "empty", "growth"),
    ({"demand.files.buys": '[{class = "new"}]'}, "unknown-name", "class"),
    ({"class.old.serves": "mail"}, "unknown-name", "serves"),
    ({"class.old.bought": '[{count = 1, date = "2024-01-01"}]'}, "conflict", "bought"),
    ({"class.old.runs": ["r"]}, "conflict", "scenario"),
    ({"start": "2026-01-15"}, "out-of-range", "start"),
    ({"racks.basis": "nameplate"}, "missing", "nameplate"),
    ({"site.grid": "[{year = 2030, g_per_kwh = 1}, {year = 2028, g_per_kwh = 2}]"}, "out-of-order", "grid"),
    ({"years": 0}, "out-of-range", "years"),
    ({"class.old.drives.afr": []}, "empty", "afr"),
    ({"class.old.colour": "red"}, "unknown-key", "colour"),
]


@pytest.mark.parametrize(("changes", "code", "key"), WRONG, ids=[key for _, _, key in WRONG])
def test_what_is_wrong_is_said_with_its_place(folder, changes, code, key):
    with refused(code, re.compile(key)):
        iowatt.fleet(folder / "fleet.toml", set=changes)


def test_a_wrong_alternative_is_one_of_its_argument(folder):
    with refused("out-of-range", Argument("what_if", "years=0")):
        iowatt.fleet(folder / "fleet.toml", what_if=["years=0"])
    with refused("empty", Argument("what_if")):
        iowatt.fleet(folder / "fleet.toml", what_if=[";"])


def test_a_scenario_that_is_not_there_is_named(folder):
    text = (folder / "fleet.toml").read_text("utf-8")
    (folder / "fleet.toml").write_text(text.replace("member.toml", "none.toml"), "utf-8")
    line = text[: text.index("scenario =")].count("\n") + 1
    with refused("not-found", re.compile(rf"fleet\.toml:{line}: class\.old\.scenario")):
        iowatt.fleet(folder / "fleet.toml")
    with refused("not-found", re.compile(r"class\.old\.runs")):
        iowatt.fleet(folder / "fleet.toml", set={"class": '[{name = "old", runs = ["no"], count = 1}]'})


def test_a_page_alone_is_a_file(folder):
    words = ["fleet", str(folder / "fleet.toml"), "-o", str(folder / "fleet.html")]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert "</html>" in (folder / "fleet.html").read_text("utf-8")
    assert {one.name for one in folder.iterdir()} == {"fleet.html", "fleet.toml", "member.toml"}
    check(CliRunner().invoke(app, words).exception, "exists", re.compile("fleet"))
    done = CliRunner().invoke(app, [*words, "--force", "--resume"])
    check(done.exception, "not-applicable", re.compile("resume"))


def test_a_closed_loop_has_no_load_to_vary(folder):
    text = (folder / "member.toml").read_text("utf-8")
    loop = text.replace('name = "w"\n', 'name = "w"\nreplay = { mode = "closed", outstanding = 2 }\n')
    (folder / "member.toml").write_text(loop, "utf-8")
    with refused("not-applicable", re.compile(r"class\.old")):
        iowatt.fleet(folder / "fleet.toml")


def test_a_limit_that_breaks_exits_1_with_all_files_written(folder):
    words = ["fleet", str(folder / "fleet.toml"), "-o", str(folder / "out"), "--json"]
    done = CliRunner().invoke(app, [*words, "--set", "racks.available=0"])
    check(done.exception, "check-failed", re.compile("racks"))
    assert isinstance(done.exception, CheckFailedError) and done.exception.exit_code == 1
    assert [one["code"] for one in json.loads(done.stdout)["broken"]] == ["racks"]
    assert (folder / "out" / "report.html").is_file()
    # The members are there already; the plan that holds goes on with them.
    done = CliRunner().invoke(app, [*words, "--resume"])
    assert done.exit_code == 0 and json.loads(done.stdout)["broken"] == []
