"""`iowatt emerald classify` and `iowatt emerald rules`: text, JSON, exit codes, what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from iowatt.base.errors import InputError
from iowatt.cli.main import app
from iowatt.emerald.classify import classify, document, read
from iowatt.emerald.rules import describe, load

runner = CliRunner()
PRODUCTS = Path(__file__).parents[2] / "examples" / "products"
MIDRANGE = str(PRODUCTS / "midrange-array.toml")


def invoke(*words):
    return runner.invoke(app, ["emerald", *words])


def test_the_text_names_class_and_what_stops_it():
    done = invoke("classify", MIDRANGE)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    found = classify(read(Path(MIDRANGE)), load("emerald-4.0.0"))
    drawn = document(found)
    assert lines[0].startswith(drawn.title) and lines[1:3] == drawn.verdict
    assert (found.id, found.next_class) == ("online-3", 4)
    assert [one.attribute for one in found.stops] == ["no_single_point_of_failure"]
    (figure,) = drawn.figures()
    row = figure.table.rows[list(found.table).index("maximum_configuration")]
    assert row[1:] == ["250", ">=1", ">=4", ">=12", ">100", ">400!", ">400!"]
    table = lines[lines.index("") :]
    assert max(len(line) for line in table if not line.startswith("note: ")) <= 80
    noted = invoke("classify", MIDRANGE, "--notes")
    assert found.rules.caveat() in noted.stdout.splitlines()[-1]


def test_by_rules_that_were_read_nothing_is_unverified():
    assert "unverified" not in invoke("classify", MIDRANGE, "--rules", "emerald-1.0.0", "--notes").stdout


def test_json_is_the_same():
    done = invoke("classify", MIDRANGE, "--json")
    found = json.loads(done.stdout)
    assert (found["schema"], found["id"], found["next_class"]) == ("iowatt.emerald-class/1", "online-3", 4)
    assert [one["class"] for one in found["classes"] if one["met"]] == [2, 3]
    assert found["rules"]["profile"] == "emerald-4.0.0"


def test_a_class_is_decided_on_with_a_note():
    done = invoke("classify", MIDRANGE, "--set-class", "online-4", "--note", "passive-midplane")
    assert done.exit_code == 0
    decided, computed = done.stdout.splitlines()[1:3]
    assert " 4" in decided and decided.endswith("passive-midplane")
    assert " 3 " in computed
    for words in (["--set-class", "online-4"], ["--note", "x"], ["--set-class", "online-7", "--note", "x"]):
        assert isinstance(invoke("classify", MIDRANGE, *words).exception, InputError)


def test_a_product_without_a_class_is_a_check_that_failed(tmp_path):
    product = tmp_path / "p.toml"
    product.write_text(
        'vendor = "V"\nname = "N"\naccess = "random"\ntime_to_first_data = "80ms"\n'
        "maximum_configuration = 3\n"
    )
    done = invoke("classify", str(product))
    assert done.exit_code == 1
    assert "V N" in done.stdout and "emerald-4.0.0" in done.stdout
    assert "< 80 ms" in done.stdout
    assert json.loads(invoke("classify", str(product), "--json").stdout)["id"] is None
    assert invoke("classify", str(product), "--set-class", "online-2", "--note", "x").exit_code == 0
    product.write_text(product.read_text().replace("80ms", "8ms"))
    done = invoke("classify", str(product))
    assert done.exit_code == 1
    found = json.loads(invoke("classify", str(product), "--json").stdout)
    assert (found["id"], found["class"], found["next_class"]) == ("online", None, 1)
    assert [one["attribute"] for one in found["stops"]] == ["consumer"]


def test_adjunct_products_have_no_classes(tmp_path):
    product = tmp_path / "p.toml"
    product.write_text(
        'vendor = "V"\nname = "N"\naccess = "random"\ntime_to_first_data = "1ms"\nmaximum_configuration = 3\n'
        'user_data = false\ncategory = "adjunct"\n'
    )
    done = invoke("classify", str(product))
    assert done.exit_code == 0
    assert "Adjunct Product" in done.stdout
    found = json.loads(invoke("classify", str(product), "--json").stdout)
    assert (found["id"], found["class"], found["classes"]) == ("adjunct", None, [])


def test_rules_are_listed():
    assert invoke("rules").exit_code == 0
    found = json.loads(invoke("rules", "--json").stdout)["profiles"]
    (old,) = (one for one in found if one["name"] == "emerald-1.0.0")
    (table,) = describe.document(describe.list_profiles()).figures()
    assert table.brief and table.table.column("Profile") == [one["name"] for one in found]
    listed = json.loads(invoke("rules", "emerald-1.0.0", "--unverified", "--json").stdout)["rules"]
    assert len(listed) == old["unverified"] and not any(one["verified"] for one in listed)


def test_the_rules_of_one_profile():
    assert invoke("rules", "emerald-4.0.0", "--key", "response.mean_ms.random").exit_code == 0
    found = json.loads(invoke("rules", "emerald-4.0.0", "--key", "stability.*", "--json").stdout)
    assert {one["key"] for one in found["rules"]} >= {"stability.points", "stability.weights.A"}
    assert all({"unit", "mark", "verified", "sources"} <= set(one) for one in found["rules"])


@pytest.mark.parametrize(
    ("key", "value", "known"),
    [("response.mean_ms.random", "20 ms", True), ("near-online.response.mean_ms.random", "unknown: ", False)],
)
def test_a_rule_is_shown_with_value_state_and_mark(key, value, known):
    listed = describe.list_rules("emerald-4.0.0", key)
    (figure,) = describe.document(listed).figures()
    row = dict(zip((column.title for column in figure.table.columns), figure.table.rows[0], strict=True))
    assert figure.brief and row["Rule"] == key and row["Value"].startswith(value)
    (rule,) = listed.rules
    assert (rule.value is not None) == known and row["Mark"].startswith(rule.mark)
    assert row["Value"].endswith("*") != rule.verified


@pytest.mark.parametrize("words", [["emerald-9"], ["--unverified"], ["emerald-4.0.0", "--key", "x.*"]])
def test_what_cannot_be_listed_is_refused(words):
    assert isinstance(invoke("rules", *words).exception, InputError)
