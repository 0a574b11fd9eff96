"""The form of a question over HTTP: its TOML, its faults at their keys, its job, and what it refuses."""

from __future__ import annotations

import json

import pytest
from forms_answer import TITLE, write_answer
from forms_server import CSRF, forms_app
from starlette.testclient import TestClient

QUESTION = {
    "schema": "iowatt.question/1",
    "name": "small",
    "usable": "2TB",
    "workload": [{"name": "load", "profile": {"name": "uniform", "rate_iops": 200}, "p95": "50ms"}],
}
SHIPPED = ["ai-checkpoint", "architect", "backup", "home", "virtualisation"]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    root = tmp_path_factory.mktemp("workspace")
    (root / "deep" / "er").mkdir(parents=True)
    (root / "a" / "b" / "c" / "d").mkdir(parents=True)
    (root / "traces").mkdir()
    (root / "traces" / "mine.csv").write_text("time,op,offset,size\n0,r,0,4096\n1,w,4096,4096\n")
    text = '# Mine. Not yours.\nschema = "iowatt.question/1"\n'
    for place in ("deep/er/own.toml", "a/b/c/d/too-deep.toml", ".hidden.toml"):
        (root / place).write_text(text)
    (root / "other.toml").write_text('name = "no question"\n')
    return root


@pytest.fixture(scope="module")
def client(workspace):
    with TestClient(forms_app(workspace), headers={"x-iowatt-csrf": CSRF}) as made:
        yield made


def asked(client, status=200, **body):
    answer = client.post("/api/choose/question", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def places(made):
    return [(one["code"], one["place"]) for one in made["errors"]]


def changed(**keys):
    return {**QUESTION, **keys}


def test_starts_are_shipped_questions_and_those_of_the_workspace(client):
    files = client.get("/api/choose/questions").json()["files"]
    assert [one["name"] for one in files] == [*SHIPPED, "own"]
    assert (files[-1]["id"], files[-1]["base"], files[-1]["title"]) == (
        "deep/er/own.toml",
        "deep/er",
        "Mine.",
    )


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_question_is_whole_and_survives_the_form(client, name):
    found = client.get("/api/choose/start", params={"file": f"example:questions/{name}.toml"}).json()
    assert found["errors"] == []
    assert len(found["summary"]) > 2
    again = asked(client, fields=found["fields"], base="example:questions")
    assert again["fields"] == found["fields"]
    assert again["errors"] == []


def test_the_form_offers_what_keys_may_name(client):
    offers = client.get("/api/choose/form", params={"base": "example:questions"}).json()
    keys = {one["path"]: one for one in offers["keys"]}
    assert keys["years"]["unit"] == "years"
    assert keys["durability.loss_per_year"]["default"] == "0.0001"
    assert {"flash-tlc", "tiers"} <= {one["name"] for one in offers["families"]}
    assert {one["name"]: one["rate_iops"] for one in offers["profiles"]}["uniform"] is None
    assert "Seagate" in offers["vendors"]
    assert {"Samsung", "Kioxia", "Kingston"} <= set(offers["other_vendors"][:4])
    assert not set(offers["vendors"]) & set(offers["other_vendors"])
    assert "usa" in offers["regions"]
    traces = {one["name"]: one for one in offers["traces"]}
    assert traces["mine.csv"]["shipped"] is False
    assert traces["pg_tpcc_paced_excerpt.parquet"]["shipped"] is True
    own = client.get("/api/choose/form").json()["traces"]
    assert [one["path"] for one in own] == ["traces/mine.csv"]


def test_toml_becomes_the_fields_and_back(client):
    made = asked(client, fields=QUESTION)
    assert made["errors"] == []
    assert 'profile = { name = "uniform", rate_iops = 200 }' in made["toml"]
    assert asked(client, toml=made["toml"])["fields"] == QUESTION


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        (changed(usable="lots"), ("bad-syntax", "usable")),
        (changed(years=99), ("out-of-range", "years")),
        (changed(years="five"), ("wrong-type", "years")),
        (changed(colour="red"), ("unknown-key", "colour")),
        (changed(limits={"watts": "-3W"}), ("out-of-range", "limits.watts")),
        (changed(families=["flash"]), ("unknown-name", "families.0")),
        (changed(energy={"region": "atlantis"}), ("unknown-name", "energy.region")),
        (changed(energy={"tariff": "atlantis"}), ("unknown-name", "energy.tariff")),
        (changed(prices={"gold": 3}), ("unknown-name", "prices.gold")),
        (changed(workload=[{**QUESTION["workload"][0], "p95": None}]), ("missing", "workload.0.p95")),
        (changed(workload=[{**QUESTION["workload"][0], "profile": {"name": "uniform"}}]),
         ("missing", "workload.0.profile.rate_iops")),
        (changed(workload=[{**QUESTION["workload"][0], "profile": {"name": "nosuch"}}]),
         ("unknown-name", "workload.0.profile.name")),
        (changed(workload=[{"name": "load", "p95": "5ms", "trace": {"path": "traces/none.csv"}}]),
         ("not-found", "workload.0.trace.path")),
    ],
)  # fmt: skip
def test_a_fault_is_at_its_key(client, fields, found):
    made = asked(client, fields=fields)
    assert found in places(made)
    assert made["summary"] == []


def test_every_fault_is_said(client):
    wrong = changed(usable="lots", years=99, limits={"rack_units": 0})
    assert {place for _, place in places(asked(client, fields=wrong))} == {
        "usable", "years", "limits.rack_units",
    }  # fmt: skip


def test_a_syntax_error_has_its_line(client):
    made = asked(client, toml='name = "x"\nusable = \n')
    assert (made["errors"][0]["code"], made["errors"][0]["line"]) == ("wrong-format", 2)
    assert made["fields"] is None


@pytest.mark.parametrize("path", ["/etc/passwd", "../../etc/passwd", "-"])
def test_no_path_leaves_the_workspace(client, path):
    load = {"name": "load", "p95": "5ms", "trace": {"path": path}}
    assert places(asked(client, fields=changed(workload=[load])))[0][0] == "not-accepted"
    own = changed(own=[{"name": "today", "scenario": path}])
    assert places(asked(client, fields=own))[0][0] == "not-accepted"


@pytest.mark.parametrize("base", ["..", "/etc", "example:..", "nowhere", "a" * 1000])
def test_no_folder_leaves_the_workspace(client, base):
    for answer in (
        client.post("/api/choose/question", json={"fields": QUESTION, "base": base}),
        client.get("/api/choose/form", params={"base": base}),
    ):
        assert answer.status_code in (404, 422)


@pytest.mark.parametrize("file", ["../secret.toml", "/etc/passwd", "example:../pyproject.toml", "\x00", ""])
def test_no_start_leaves_the_workspace(client, file):
    assert client.get("/api/choose/start", params={"file": file}).status_code in (404, 422)


def nested(levels):
    return json.dumps({"fields": {"a": 1}})[:-2] + ', "b": ' + "[" * levels + "]" * levels + "}}"


@pytest.mark.parametrize(
    "body",
    [
        '{"fields": {"years": NaN}}',
        '{"fields": {"years": 1e999}}',
        '{"fields": {"years": ' + "9" * 400 + "}}",
        '{"fields": {"years": ' + "9" * 5000 + "}}",
        nested(40),
        nested(100_000),
        json.dumps({"fields": {"a": [0] * 6000}}),
        json.dumps({"fields": {"a": "x" * 10_001}}),
        json.dumps({"toml": "x" * 200_001}),
        json.dumps({"toml": "a = 1", "fields": {}}),
        json.dumps({"toml": '"\ud800" = 1'}),
        json.dumps({"toml": "a = 1", "base": "\ud800"}),
        "{}",
        "[]",
        "null",
        "",
    ],
)
@pytest.mark.parametrize("address", ["/api/choose/question", "/api/power"])
def test_a_hostile_body_is_refused(client, address, body):
    answer = client.post(address, content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 413, 422), answer.text
    assert answer.json()["error"]["code"]


@pytest.mark.parametrize(
    "toml",
    [
        "a = 0x" + "f" * 5000, "a = nan", "a = inf", "a = 1979-05-27T07:32:00Z", "a = " + "[" * 5000,
        "a" * 100_000, "\x00", '"\\u0000" = "\\u0000"', "[[[", "workload = 3", "array = 3\nworkload = [3]",
        'usable = 9223372036854775807\nschema = "iowatt.question/1"', "[array]\npool = 3",
        "[[array.pool]]\ncount = 1e300", "[array.power]\nenclosure = [[]]",
    ],
)  # fmt: skip
@pytest.mark.parametrize("address", ["/api/choose/question", "/api/power"])
def test_hostile_toml_has_its_errors(client, address, toml):
    answer = client.post(address, json={"toml": toml})
    assert answer.status_code == 200
    assert answer.json()["errors"]


def test_hostile_fields_become_toml_that_says_the_same(client):
    keys = {'a"b': "\ud800", "x]\ny": {"\\": ["\x00", "\u2028"]}, "": [{"": {}}]}
    body = json.dumps({"fields": keys})
    made = client.post(
        "/api/choose/question", content=body, headers={"content-type": "application/json"}
    ).json()
    assert made["fields"] == json.loads(json.dumps(keys).replace("\\ud800", "?"))
    assert made["errors"]


def test_a_question_becomes_a_job(client):
    toml = asked(client, fields=QUESTION)["toml"]
    body = {"toml": toml, "key": "one-press"}
    answers = [client.post("/api/choose", json=body) for _ in range(2)]
    assert [one.status_code for one in answers] == [202, 202]
    job = answers[0].json()
    assert answers[1].json()["id"] == job["id"]
    assert (job["kind"], job["request"]["question"]) == ("choose", toml)


def test_a_wrong_question_becomes_no_job(client):
    answer = client.post("/api/choose", json={"toml": asked(client, fields=changed(years=99))["toml"]})
    assert answer.status_code == 422
    assert answer.json()["error"]["place"] == "years"


def test_a_job_needs_the_token_of_the_page(client):
    assert client.post("/api/choose", json={"toml": ""}, headers={"x-iowatt-csrf": ""}).status_code == 403


def test_the_verdict_of_an_answer(client, workspace):
    identity = "00000000000000aa"
    assert client.get(f"/api/choose/answers/{identity}").status_code == 404
    write_answer(workspace, identity)
    found = client.get(f"/api/choose/answers/{identity}").json()
    assert TITLE in found["verdict"][0]
    assert found["page"] == f"/result/answers/{identity}"
