"""The registry over HTTP: what is public, what needs which token, limits, and no secret anywhere."""

from __future__ import annotations

import logging

import pytest
from fastapi.testclient import TestClient

from iowatt.registry import store
from iowatt.web.registry import make_app

HOST = "registry.test"


def client(made):
    return TestClient(make_app(made.store, [HOST]), base_url=f"http://{HOST}", raise_server_exceptions=False)


@pytest.fixture
def web(provisional):
    """A registry with one provisional result; no thread works behind it."""
    found = client(provisional)
    found.people = provisional
    found.bearer = lambda name: {"Authorization": f"Bearer {provisional.tokens[name]}"}
    return found


def code(answer):
    return answer.json()["error"]["code"]


PUBLIC = (
    "/", "/families", "/results/iow-000001", "/assets/report.css", "/assets/registry.js", "/api/results",
    "/api/results.csv", "/api/families", "/api/results/iow-000001", "/api/results/iow-000001/analysis",
    "/api/results/iow-000001/bundle", "/api/log", "/api/openapi.json",
)  # fmt: skip


@pytest.mark.parametrize("path", PUBLIC)
def test_what_is_public(web, path):
    answer = web.get(path)
    assert answer.status_code == 200
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    for secret in web.people.tokens.values():
        assert secret not in answer.text
    assert web.get(path, headers={"host": "evil.test"}).status_code == 403


def test_a_bundle_is_downloaded_as_it_was_received(web, emerald_zip):
    assert web.get("/api/results/iow-000001/bundle").content == emerald_zip.read_bytes()


@pytest.mark.parametrize(
    "path",
    ["/results/iow-000009", "/results/x", "/api/results/iow-1", "/assets/..%2f..%2fhtml.py", "/assets/x"],
)
def test_what_is_not_there(web, path):
    assert web.get(path).status_code in (404, 422)


def test_a_ranking_across_families_is_refused(web):
    made = web.people
    # The same result, as if it had been measured: for the list alone.
    with store.reading(made.store.file) as connection:
        columns = [row["name"] for row in connection.execute("PRAGMA table_info(submissions)")]
    import sqlite3

    names = ", ".join(name for name in columns if name not in ("number", "sha256", "basis"))
    with sqlite3.connect(made.store.file) as connection:
        connection.execute(
            f"INSERT INTO submissions (sha256, basis, {names}) "
            f"SELECT 'x', 'measured', {names} FROM submissions"
        )
        connection.execute("INSERT INTO figures SELECT 2, position, metric, unit, value, shown FROM figures")
    answer = web.get("/api/results", params={"sort": "EP_RR"})
    assert (answer.status_code, code(answer)) == (422, "not-comparable")
    answer = web.get("/api/results", params={"sort": "EP_RR", "basis": "modelled"})
    assert [group["basis"] for group in answer.json()["groups"]] == ["modelled"]
    groups = web.get("/api/results").json()["groups"]
    assert [(group["basis"], len(group["results"])) for group in groups] == [("measured", 1), ("modelled", 1)]


def test_who_may_do_what(web):
    url = "/api/submissions/iow-000001"
    finding = {"code": "meter", "severity": "warning", "text": "Which?"}
    for path, body in (
        ("/accept", {}), ("/withdraw", {}), ("/publish", {}), ("/supersede", {"by": "iow-000002"}),
        ("/findings", finding),
    ):  # fmt: skip
        assert web.post(url + path, json=body).status_code == 403, path
        assert code(web.post(url + path, json=body, headers={"Authorization": "Bearer x"})) == "access-denied"
        assert web.post(url + path, json=body, headers=web.bearer("other")).status_code == 403, path
    assert web.get("/api/submissions").status_code == 403
    assert web.get("/api/submissions", headers=web.bearer("other")).json()["submissions"] == []
    assert len(web.get("/api/submissions", headers=web.bearer("rev")).json()["submissions"]) == 1
    assert code(web.post(f"{url}/accept", json={}, headers=web.bearer("rev"))) == "wrong-state"
    answer = web.post(f"{url}/findings", json=finding, headers=web.bearer("rev"))
    assert answer.status_code == 200
    number = answer.json()["findings"][0]["number"]
    moves = f"{url}/findings/{number}"
    assert web.post(f"{moves}/answer", json={"text": "This."}, headers=web.bearer("lab")).status_code == 200
    assert web.post(f"{moves}/close", json={"text": "Good."}, headers=web.bearer("lab")).status_code == 403
    answer = web.post(f"{moves}/close", json={"text": "Good."}, headers=web.bearer("rev"))
    assert answer.json()["findings"][0]["status"] == "closed"
    assert (
        web.post(
            f"{url}/findings/{number + 1}/close", json={"text": "x"}, headers=web.bearer("rev")
        ).status_code
        == 404
    )
    page = web.get("/results/iow-000001").text
    assert "Which?" in page and "finding closed" in page
    answer = web.post(f"{url}/withdraw", json={"reason": "A fault."}, headers=web.bearer("lab"))
    assert answer.json()["submission"]["state"] == "withdrawn"
    assert web.get("/api/results").json()["count"] == 0
    assert web.get("/api/results", params={"state": "withdrawn"}).json()["count"] == 1
    assert "Withdrawn" in web.get("/results/iow-000001").text
    assert store.verify(web.people.store).faults == []


def test_a_draft_is_seen_by_its_submitter_and_reviewers_alone(web, emerald_zip, key, tmp_path):
    import submissions

    folder = submissions.unpacked(emerald_zip, tmp_path / "folder")
    path = submissions.signed_again(folder, key, tmp_path / "other.zip", title="a draft")
    answer = web.post("/api/bundles", content=path.read_bytes(), headers=web.bearer("lab"))
    assert answer.status_code == 202
    assert answer.json()["submission"]["analysis"] == "pending"
    for where in ("/api/results/iow-000002", "/api/results/iow-000002/bundle", "/results/iow-000002"):
        assert web.get(where).status_code == 404
        assert web.get(where, headers=web.bearer("other")).status_code == 404
    assert web.get("/api/results/iow-000002", headers=web.bearer("lab")).status_code == 200
    assert web.get("/api/results/iow-000002", headers=web.bearer("rev")).status_code == 200
    again = web.post("/api/bundles", content=path.read_bytes(), headers=web.bearer("lab"))
    assert again.json()["submission"]["id"] == "iow-000002"
    # Withdrawn before it was published it is seen by nobody else either.
    url = "/api/submissions/iow-000002/withdraw"
    assert web.post(url, json={}, headers=web.bearer("lab")).json()["submission"]["state"] == "withdrawn"
    assert web.get("/api/results/iow-000002").status_code == 404
    assert web.get("/api/results", params={"state": "withdrawn"}).json()["count"] == 0


def test_what_arrives_is_refused_with_the_place(web, emerald_zip):
    data = bytearray(emerald_zip.read_bytes())
    data[len(data) // 2] ^= 1
    url, incoming = "/api/bundles", web.people.store.incoming
    for content, name, status in (
        (bytes(data), "lab", 422), (b"", "lab", 422), (b"PK\x03\x04", "lab", 422),
        (emerald_zip.read_bytes(), "other", 422),
    ):  # fmt: skip
        answer = web.post(url, content=content, headers=web.bearer(name))
        assert answer.status_code == status
        assert answer.json()["error"]["place"]
    assert web.post(url, content=bytes(data)).status_code == 403
    assert list(incoming.iterdir()) == []
    assert len(list(web.people.store.bundles.iterdir())) == 1


def test_an_upload_beyond_the_limit_is_cut_off(provisional, emerald_zip):
    settings = provisional.store.folder / "registry.toml"
    settings.write_text("upload_bytes = 1000\n" + settings.read_text())
    provisional.store = store.RegistryStore(provisional.store.folder)
    headers = {"Authorization": f"Bearer {provisional.tokens['lab']}"}
    answer = client(provisional).post("/api/bundles", content=emerald_zip.read_bytes(), headers=headers)
    assert (answer.status_code, code(answer)) == (413, "too-large")
    assert list(provisional.store.incoming.iterdir()) == []
    body = {"reason": "x" * (5 << 20)}
    answer = client(provisional).post("/api/submissions/iow-000001/withdraw", json=body, headers=headers)
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "body",
    [
        '{"code": "a\\u0000b"}',
        '{"code": "meter", "severity": "warning", "text": "\\ud800"}',
        "[" * 5000,
        "",
        "\0",
    ],
)
def test_hostile_bodies_are_refused(web, body):
    answer = web.post("/api/submissions/iow-000001/findings", content=body, headers=web.bearer("rev"))
    assert answer.status_code == 422


@pytest.mark.parametrize(
    "query",
    [
        "year=99999999999999999999",
        "vendor=%00",
        "vendor=%ff%fe",
        "sort=%ud800",
        "state=draft",
        "basis=x",
        "after=-1",
    ],
)
def test_hostile_queries_are_answered(web, query):
    for path in ("/", "/api/results", "/api/results.csv", "/api/log"):
        assert web.get(f"{path}?{query}").status_code in (200, 422)


def test_names_of_others_are_text_on_a_page(web):
    import sqlite3

    with sqlite3.connect(web.people.store.file) as connection:
        connection.execute(
            "UPDATE submissions SET vendor = '<script>alert(1)</script>', title = '\"><img src=x>'"
        )
    for path in ("/", "/families", "/results/iow-000001"):
        page = web.get(path).text
        assert "<script>alert" not in page and "<img src=x" not in page


def test_no_token_is_logged(web, emerald_zip, caplog):
    with caplog.at_level(logging.DEBUG):
        web.post("/api/bundles", content=b"x", headers=web.bearer("lab"))
        web.post("/api/bundles", content=b"x", headers={"Authorization": "Bearer secret-token"})
    text = caplog.text
    assert "secret-token" not in text and web.people.tokens["lab"] not in text


def test_the_thread_analyses_what_arrives(people, emerald_zip):
    import time

    headers = {"Authorization": f"Bearer {people.tokens['lab']}"}
    with client(people) as running:
        answer = running.post("/api/bundles", content=emerald_zip.read_bytes(), headers=headers)
        deadline = time.monotonic() + 120
        while answer.json()["submission"]["analysis"] == "pending":
            assert time.monotonic() < deadline
            time.sleep(0.1)
            answer = running.get("/api/results/iow-000001", headers=headers)
    assert answer.json()["submission"]["state"] == "provisional"
