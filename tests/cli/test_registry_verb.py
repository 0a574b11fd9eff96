"""``iowatt registry`` on the command line."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from iowatt.cli.main import app
from refused import refused

sys.path.insert(0, str(Path(__file__).parents[1] / "registry"))


def run(*words, code=0):
    done = CliRunner().invoke(app, ["registry", *map(str, words)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.stderr
    return done.stdout


def told(*words, code=0):
    return json.loads(run(*words, "--json", code=code))


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A registry, a lab with its key, and what it measured."""
    import submissions

    place = tmp_path_factory.mktemp("verb")
    submissions.measured(place / "work")
    made = told("init", place / "registry", "--title", "Bench")
    assert (made["title"], len(made["next"])) == ("Bench", 4)
    told("key", place / "lab.key")
    added = told(
        "account", place / "registry", "lab", "--role", "submitter", "--mail", "lab@example.org",
        "--public-key", place / "lab.key.pub",
    )  # fmt: skip
    assert added["token"] and added["accounts"][0]["role"] == "submitter"
    told("account", place / "registry", "rev", "--role", "reviewer")
    return place


SIGNED = ("--facet", "vendor=Example", "--facet", "name=Array 240")


def test_from_a_measurement_to_a_result(lab, tmp_path, monkeypatch):
    monkeypatch.chdir(lab)
    shutil.copytree("registry", tmp_path / "registry")
    monkeypatch.chdir(tmp_path)
    words = (lab / "work" / "measurement", "--signing-key", lab / "lab.key", *SIGNED)
    written = told("submit", *words, "-o", "a.zip")
    assert written["basis"] == "modelled" and written["reanalysis"] is None
    assert told("verify", "a.zip", "--analyse")["reanalysis"]["reproduced"]
    found = told("submit", "a.zip", "--registry", "registry")
    assert (found["submission"]["id"], found["submission"]["state"]) == ("iow-000001", "provisional")
    again = told("submit", "a.zip", "--registry", "registry")
    assert again["submission"]["id"] == "iow-000001"
    assert told("search", "registry", "--facet", "vendor=Example")["count"] == 1
    assert told("search", "registry", "--facet", "basis=measured")["count"] == 0
    assert run("search", "registry", "--csv").startswith("id,state,basis,")
    assert "Modelled: hot-band" in run("search", "registry") or "hot-band" in run(
        "search", "registry", "--json"
    )
    raised = told(
        "review", "registry", "iow-000001", "--code", "meter", "--text", "Which?", "--account", "rev"
    )
    number = raised["findings"][0]["number"]
    told("review", "registry", "iow-000001", "--answer", number, "--text", "This.", "--account", "lab")
    told("review", "registry", "iow-000001", "--close-finding", number, "--text", "Good.", "--account", "rev")
    assert told("review", "registry", "iow-000001")["findings"][0]["status"] == "closed"
    with refused("wrong-state", "iow-000001: window"):
        run("set", "registry", "iow-000001", "accepted")
    verified = told("verify", "registry")
    assert verified["faults"] == [] and verified["submissions"] == 1
    assert told("verify", "registry", "--known-head", verified["head"])["faults"] == []
    told("verify", "registry", "--known-head", "0" * 64, code=1)
    assert told("export", "registry", "-o", "site", "--provisional")["results"] == 1
    assert Path("site/index.html").is_file()
    gone = told("set", "registry", "iow-000001", "withdrawn", "--account", "lab", "--reason", "A fault.")
    assert gone["submission"]["state"] == "withdrawn"
    assert len(list(Path("registry/mail").iterdir())) >= 3


def test_what_was_changed_after_its_analysis_is_refused_with_exit_1(lab, tmp_path):
    shutil.copytree(lab / "work", tmp_path / "work")
    shutil.copytree(lab / "registry", tmp_path / "registry")
    file = tmp_path / "work" / "measurement" / "analysis.json"
    claimed = json.loads(file.read_bytes())
    claimed["phases"][0]["ep"] *= 2
    file.write_text(json.dumps(claimed))
    words = (file.parent, "--signing-key", lab / "lab.key", *SIGNED, "--registry", tmp_path / "registry")
    found = told("submit", *words, code=1)
    assert found["submission"]["state"] == "draft"
    assert {one["code"] for one in found["findings"]} == {"not-reproduced"}


def test_over_http(lab, tmp_path):
    """The same against a server, with the token in a file that only its owner may read."""
    import registry_server as server

    shutil.copytree(lab / "registry", tmp_path / "registry")
    token = told("account", tmp_path / "registry", "lab", "--new-token")["token"]
    file = tmp_path / "token"
    file.write_text(token)
    words = ("submit", lab / "work" / "measurement", "--signing-key", lab / "lab.key", *SIGNED)
    with server.running(tmp_path / "registry") as url:
        with refused("unsafe-target", str(file)):
            run(*words, "--registry", url, "--token-file", file)
        file.chmod(0o600)
        found = told(*words, "--registry", url, "--token-file", file)
        assert found["submission"]["state"] == "provisional"
        with refused("access-denied"):
            run(*words, "--registry", url)
        assert told("search", url)["count"] == 1
        gone = told("set", url, "iow-000001", "withdrawn", "--token-file", file)
        assert gone["submission"]["state"] == "withdrawn"
    with refused("unreachable"):
        run("search", url)


def test_what_contradicts_itself_is_refused(lab, tmp_path):
    measurement = lab / "work" / "measurement"
    for code, place, words in (
        ("missing", "registry", ("submit", measurement)),
        ("missing", "signing_key", ("submit", measurement, "-o", tmp_path / "x.zip", *SIGNED)),
        (
            "wrong-format",
            None,
            ("submit", tmp_path, "-o", tmp_path / "x.zip", "--signing-key", lab / "lab.key"),
        ),
        ("not-found", None, ("search", tmp_path / "nothing")),
        ("exists", None, ("init", lab / "registry")),
        ("exists", None, ("key", lab / "lab.key")),
        ("unknown-name", "facet", ("search", lab / "registry", "--facet", "colour=red")),
        ("missing", "by", ("set", lab / "registry", "iow-000001", "superseded")),
        ("not-found", None, ("set", lab / "registry", "iow-000001", "withdrawn")),
        ("not-found", None, ("review", lab / "registry", "../x")),
        ("missing", "text", ("review", lab / "registry", "iow-000001", "--code", "x-y")),
        ("unsafe-target", None, ("search", "http://results.example.org", "--json")),
    ):
        environment = os.environ.copy()
        os.environ["IOWATT_REGISTRY_TOKEN"] = "secret-token"
        try:
            with refused(code) as caught:
                run(*words)
        finally:
            os.environ.clear()
            os.environ.update(environment)
        assert "secret-token" not in str(caught.value)
        if place is not None:
            assert caught.value.place.name == place
