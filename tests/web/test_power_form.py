"""The power calculator over HTTP: the answers of `iowatt power`, and faults at their keys."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from forms_server import CSRF, forms_app
from starlette.testclient import TestClient

from iowatt.model.scenario import EXAMPLES, calculated_power

SHELF = ("array", "power", "enclosure", 1)


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    root = tmp_path_factory.mktemp("workspace")
    (root / "mine.toml").write_text("# Mine.\n[array.power]\n")
    with TestClient(forms_app(root), headers={"x-iowatt-csrf": CSRF}) as made:
        yield made


@pytest.fixture(scope="module")
def example(client):
    return client.get("/api/power/start", params={"file": "example:array-power.toml"}).json()


def calculated(client, fields, status=200):
    answer = client.post("/api/power", json={"fields": fields, "base": "example:"})
    assert answer.status_code == status, answer.text
    return answer.json()


def changed(fields, *changes):
    made = copy.deepcopy(fields)
    for path, value in changes:
        here = made
        for step in path[:-1]:
            here = here[step]
        here[path[-1]] = value
    return made


def test_the_figures_are_those_of_the_command(client, example):
    power = calculated_power(EXAMPLES / "array-power.toml").as_dict()
    assert example["power"] == power
    assert calculated(client, example["fields"])["power"] == power
    assert "workload" not in example["fields"]


def test_a_text_is_calculated_as_its_file(tmp_path: Path):
    file = EXAMPLES / "power" / "frame.toml"
    assert calculated_power(file.read_text("utf-8"), base=tmp_path) == calculated_power(file)


def test_starts_are_shipped_and_of_the_workspace(client):
    names = [one["name"] for one in client.get("/api/power/starts").json()["files"]]
    assert names[0] == "array-power"
    assert {"frame", "snia-baseline-mixed"} < set(names)
    assert names[-1] == "mine"


def test_parts_have_the_source_of_their_watts(client):
    offers = client.get("/api/power/parts").json()
    parts = {one["name"]: one for one in offers["parts"]}
    assert (parts["stand-in-controller"]["stand_in"], parts["stand-in-controller"]["idle_w"]) == (True, 86)
    assert parts["ddr3l-rdimm-8gb"]["quality"] == "stated"
    assert all(one["source"] for one in offers["parts"])
    drives = {one["name"]: one for one in offers["drives"]}
    assert drives["seagate-constellation-500gb"]["form_factor"] == "2.5"
    assert all(one["quality"] for one in offers["drives"])
    assert "230V" in {one["name"]: one for one in offers["certificates"]}["80plus-gold"]["inputs"]


def test_what_is_shown_is_the_document_of_the_command(example):
    shown = example["shown"]
    assert {one["key"] for one in shown["headlines"]} >= {"idle", "active", "failover", "va", "heat", "start"}
    assert {one["key"] for one in shown["tables"]} == {"components", "totals", "start"}
    for table in shown["tables"]:
        assert {len(row) for row in table["rows"]} == {len(table["columns"])}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ([((*SHELF, "slots"), None)], ("missing", "array.power.enclosure.1.slots")),
        ([((*SHELF, "count"), 1)], ("out-of-range", "array.power.enclosure.1.count")),
        ([((*SHELF, "supply", "rating"), "400W")], ("infeasible", "array.power.enclosure.1.supply.rating")),
        ([((*SHELF, "supply", "needed"), 3)], ("conflict", "array.power.enclosure.1.supply.needed")),
        ([((*SHELF, "pools"), [])], ("missing", "array.power.enclosure")),
        ([(("array", "power", "enclosure", 0, "part"), [])], ("missing", "array.power.enclosure")),
        ([(("array", "pool", 0, "device"), "arrays2002-dusk")], ("unknown-name", "array.pool.0.device")),
        ([(("array", "pool", 0, "count"), "many")], ("wrong-type", "array.pool.0.count")),
        ([(("array", "pool", 0, "count"), 50_000)], ("too-large", "array.pool")),
        ([((*SHELF, "part", 0, "model"), "none")], ("unknown-name", "array.power.enclosure.1.part.0.model")),
        ([((*SHELF, "part", 1, "speed"), 2)], ("out-of-range", "array.power.enclosure.1.part.1.speed")),
    ],
)  # fmt: skip
def test_a_fault_is_at_its_key(client, example, change, found):
    made = calculated(client, changed(example["fields"], *change))
    assert found in [(one["code"], one["place"]) for one in made["errors"]]
    assert made["power"] is None


@pytest.mark.parametrize("name", ["/etc/passwd.toml", "../../x.diskspecs", "../../../x.toml"])
def test_no_file_of_a_part_leaves_the_workspace(client, example, name):
    for path in (("array", "pool", 0, "device"), (*SHELF, "part", 0, "model")):
        made = calculated(client, changed(example["fields"], (path, name)))
        assert made["errors"][0]["code"] == "not-accepted"


def test_the_page_is_that_of_the_command(client, example):
    answer = client.get("/power/page", params={"toml": example["toml"], "base": "example:"})
    assert answer.status_code == 200
    assert 'id="power-components"' in answer.text
    assert "/assets/report.css" in answer.text
    wrong = client.get("/power/page", params={"toml": "name = 3"})
    assert wrong.status_code == 422
    assert client.get("/power/page", params={"toml": "x" * 16_001}).status_code == 422


def test_every_answer_is_described(client):
    paths = client.get("/openapi.json").json()["paths"]
    for path in ("/api/power", "/api/power/parts", "/api/choose/question", "/api/choose/form"):
        (operation,) = paths[path].values()
        assert operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
