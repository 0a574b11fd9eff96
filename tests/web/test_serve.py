"""The server as its pages use it: results, what-if, lenses, guards, export, and hostile requests."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser

import httpx
import pytest
from serving import COMMAND, served
from workspaces import workspace

import needs
from iowatt.web.safety import COOKIE

#: Requests of schemathesis for each operation and phase; IOWATT_LONG=1 makes some 10,000 in all.
EXAMPLES = 600 if os.environ.get("IOWATT_LONG") else 6


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(workspace(tmp_path_factory.mktemp("work"))) as one:
        one.settled()
        yield one


def error(answer, status, code):
    assert answer.status_code == status, answer.text
    found = answer.json()["error"]
    assert found["code"] == code, found
    return found


def test_runs_are_listed_measured_and_simulated_apart(server):
    points = server.http.get("/api/points").json()
    measured = dict(zip(points["path"], points["measured"], strict=True))
    assert measured == {"runs/raid5": False, "runs/cache": False, "lab/fio": True}
    rows = server.http.get("/api/results", params={"sort": "p95_ms", "descending": False}).json()
    assert rows["total"] == 3
    times = [row["p95_ms"] for row in rows["results"] if row["p95_ms"] is not None]
    assert times == sorted(times)
    by_path = {row["path"]: row for row in rows["results"]}
    run = json.loads((server.workspace / "runs" / "raid5" / "run.json").read_text("utf-8"))
    found = by_path["runs/raid5"]
    assert found["p95_ms"] == run["response_time_ms"]["all"]["p95"]
    assert found["watts"] == run["power_w"]["mean"] and found["watts_of"] == "drives"
    assert found["usd"] > 0 and found["usd_per_tb"] == pytest.approx(found["usd"] / found["usable_tb"])
    only = server.http.get("/api/results", params={"text": "cache RUNS/"}).json()
    assert [row["path"] for row in only["results"]] == ["runs/cache"]


def test_a_run_that_appears_is_found_and_one_that_goes_is_forgotten(server):
    before = server.settled()["version"]
    shutil.copytree(server.workspace / "runs" / "raid5", server.workspace / "runs" / "twin")
    server.holds(4)
    assert server.settled()["version"] > before
    shutil.rmtree(server.workspace / "runs" / "twin")
    server.holds(3)


def test_runs_of_changed_designs_are_left_out_but_for_those_that_are_kept(server):
    for name in ("one", "two"):
        shutil.copytree(server.workspace / "runs" / "raid5", server.workspace / "what-if" / name)
    server.holds(5)

    def paths(**asked):
        rows = server.http.get("/api/results", params={"what_if": False, **asked}).json()
        assert rows["total"] == len(rows["results"])
        return {row["path"] for row in rows["results"]}

    own = {"runs/raid5", "runs/cache", "lab/fio"}
    assert paths() == own
    assert paths(keep=["what-if/two", "elsewhere"]) == own | {"what-if/two"}
    assert len(paths(what_if=True)) == 5
    shutil.rmtree(server.workspace / "what-if")
    server.holds(3)


def test_a_result_is_its_page(server):
    from iowatt.pages.run import documents
    from iowatt.render.html import Site
    from iowatt.render.write import page
    from iowatt.run.bundle import Run

    run = Run.open(server.workspace / "runs" / "raid5")
    shown = server.http.get("/result/runs/raid5").text
    expected = page(documents([run]), site=Site(assets="/assets"))
    assert re.search(r"<main>.*</main>", shown, re.S)[0] == re.search(r"<main>.*</main>", expected, re.S)[0]
    saved = server.http.get("/result/runs/raid5", params={"download": True})
    assert "attachment" in saved.headers["content-disposition"]
    assert saved.text == page(documents([run]))


@pytest.mark.parametrize(
    ("lens", "begins"), [("compare", "compare-"), ("cost", "cost-"), ("report", "run2-")]
)
def test_lenses_answer_on_simulated_and_measured_runs(server, lens, begins):
    runs = ["runs/raid5", "lab/fio"] if lens != "cost" else ["runs/raid5", "runs/cache"]
    answer = server.http.get(f"/view/{lens}", params={"run": runs})
    assert answer.status_code == 200, answer.text
    assert f'id="{begins}' in answer.text


def test_what_if_runs_are_deleted_and_simulated_again(server):
    asked = [{"of": "run:runs/raid5", "set": [f"array.pool.disks.count={count}"]} for count in (9, 10)]
    paths = [server.ended(server.post("/api/whatif/simulate", one).json())["result"] for one in asked]
    own = server.workspace / "what-if" / "my-own"
    own.mkdir()
    assert server.post("/api/whatif/delete", {"keep": [paths[0]]}).json()["deleted"] >= 1
    left = {file.name for file in (server.workspace / "what-if").iterdir() if file.is_dir()}
    assert left == {"my-own", paths[0].removeprefix("what-if/")}
    own.rmdir()
    again = server.ended(server.post("/api/whatif/simulate", asked[1]).json())
    assert again["state"] == "done" and (server.workspace / again["result"]).is_dir()
    assert server.post("/api/whatif/delete", {"keep": ["what-if/\0"]}).status_code == 422


def test_a_change_is_estimated_at_once_and_then_simulated(server):
    asked = {"of": "run:runs/raid5", "set": ["array.pool.disks.count=9"]}
    found = server.post("/api/whatif/estimate", asked).json()
    assert found["refused"] is None and found["figures"]["p95_ms"] is None
    assert found["figures"]["usable_tb"] == pytest.approx(40.0, rel=0.01)
    job = server.post("/api/whatif/simulate", asked)
    assert job.status_code == 202
    ended = server.ended(job.json())
    assert ended["state"] == "done", ended
    again = server.post("/api/whatif/simulate", asked).json()
    assert again["id"] == ended["id"]
    priced = server.post("/api/whatif/priced", {"path": ended["result"], "years": 3.0}).json()
    run = json.loads((server.workspace / ended["result"] / "run.json").read_text("utf-8"))
    assert priced["p95_ms"] == run["response_time_ms"]["all"]["p95"]
    assert run["devices"][0]["pool"] == "disks" and len(run["devices"]) == 9
    longer = server.post("/api/whatif/priced", {"path": ended["result"], "years": 6.0}).json()
    assert longer["usd"] > priced["usd"]
    dearer = {"path": ended["result"], "years": 3.0, "tariff": "flat:0.9"}
    assert server.post("/api/whatif/priced", dearer).json()["usd"] > priced["usd"]


def test_a_design_can_be_taken_away(server, tmp_path):
    asked = {"of": "run:runs/raid5", "set": ["array.pool.disks.raid.level=10", "array.pool.disks.count=12"]}
    found = server.post("/api/whatif/text", asked).json()
    assert "array.pool.disks.raid.level=10" in found["command"]
    from iowatt.model.scenario import EXAMPLES, load

    scenario = load(found["toml"], base_dir=EXAMPLES)
    assert scenario.array.pool[0].count == 12 and scenario.workload[0].trace.end == 20


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        ({"of": "run:runs/none"}, 404, "not-found"),
        ({"of": "run:../outside"}, 422, "not-accepted"),
        ({"of": "example:../secret.toml"}, 422, "unknown-name"),
        ({"of": "example:oltp-raid5.toml", "set": ["array.pool.disks.count=0"]}, 422, "out-of-range"),
        (
            {"of": "example:oltp-raid5.toml", "set": ["workload.oltp.trace.path=/etc/passwd"]},
            422,
            "not-accepted",
        ),
        ({"of": "example:oltp-raid5.toml", "trace": {"path": "../../etc/passwd"}}, 422, "not-accepted"),
        ({"of": "example:oltp-raid5.toml", "tariff": "no-such"}, 422, "unknown-name"),
        ({"of": "\x00"}, 422, "not-accepted"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(server, asked, status, code):
    for route in ("estimate", "simulate"):
        if route == "estimate" or "tariff" not in asked:
            error(server.post(f"/api/whatif/{route}", asked), status, code)


@pytest.mark.parametrize(
    "path", ["/result/../../etc", "/result/%2e%2e/%2e%2e/etc", "/result/none", "/kept/runs/raid5"]
)
def test_paths_do_not_leave_the_workspace(server, path):
    assert server.http.get(path).status_code in (404, 422)


def test_a_link_out_of_the_workspace_is_not_followed(server, tmp_path):
    (server.workspace / "out").symlink_to(tmp_path)
    assert server.http.get("/result/out").status_code == 422
    (server.workspace / "out").unlink()


def test_other_sites_and_rebound_names_are_kept_out(server):
    plain = httpx.Client(base_url=server.address)
    error(plain.get("/", headers={"host": "evil.example"}), 403, "access-denied")
    error(plain.post("/api/whatif/estimate", json={"of": "x"}), 403, "access-denied")
    headers = {"x-iowatt-csrf": server.csrf}
    for more in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}):
        error(
            plain.post("/api/whatif/estimate", json={"of": "x"}, headers=headers | more), 403, "access-denied"
        )
    answer = plain.get("/")
    assert "script-src 'self';" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in answer.headers


def test_a_body_has_a_limit(server):
    error(server.http.post("/api/whatif/estimate", content=b"x" * (5 << 20)), 413, "too-large")

    def stream():
        for _ in range(80):
            yield b" " * (1 << 16)

    error(server.http.post("/api/whatif/estimate", content=stream()), 413, "too-large")


def test_a_server_for_others_asks_for_its_token_and_keeps_it_to_itself(tmp_path):
    token = "a-secret-of-this-test"
    with served(tmp_path, "--bind", "0.0.0.0", environment={"IOWATT_SERVE_TOKEN": token}) as other:
        plain = httpx.Client(base_url=other.address)
        error(plain.get("/"), 401, "access-denied")
        led = plain.get("/jobs", headers={"accept": "text/html"})
        assert led.status_code == 303 and led.headers["location"] == "/login"
        assert plain.get("/login").status_code == 200
        assert plain.post("/login", data={"access": "wrong"}).status_code == 401
        assert plain.post("/login", data={"access": token}).status_code == 303
        assert COOKIE in plain.cookies
        page = plain.get("/")
        assert page.status_code == 200 and token not in page.text
        assert (
            httpx.get(
                other.address + "/api/workspace", headers={"authorization": f"Bearer {token}"}
            ).status_code
            == 200
        )
    assert any("warning" in line for line in other.said)
    assert token not in "".join(other.said)


class Links(HTMLParser):
    """Addresses that a page refers to."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name in ("href", "src") and value]


def test_a_workspace_becomes_a_folder_of_pages(server, tmp_path):
    target = tmp_path / "site"
    command = [sys.executable, "-c", COMMAND, "serve", str(server.workspace), "--export", str(target)]
    subprocess.run(command, check=True, capture_output=True)
    pages = [*target.rglob("*.html")]
    assert len(pages) >= 4
    for page in pages:
        for link in Links(page.read_text("utf-8")).found:
            if not link.startswith(("#", "data:")):
                assert (page.parent / link.partition("#")[0]).resolve().is_relative_to(target)
                assert (page.parent / link.partition("#")[0]).exists(), (page, link)
    row = server.http.get("/api/results", params={"text": "runs/raid5"}).json()["results"][0]
    assert f"{row['usd']:,.0f}" in (target / "index.html").read_text("utf-8")
    assert str(server.workspace) not in (target / "index.html").read_text("utf-8")
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 2


def test_no_request_makes_a_fault(server, tmp_path):
    needs.modules("schemathesis")
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{server.address}/api/openapi.json",
        "-H", f"X-Iowatt-Csrf: {server.csrf}", "--exclude-path", "/api/events",
        "--checks", "not_a_server_error,response_schema_conformance,status_code_conformance",
        "--max-examples", str(EXAMPLES), "--phases", "coverage,fuzzing" if EXAMPLES > 6 else "fuzzing",
        "--seed", "1",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert server.http.get("/api/workspace").status_code == 200
