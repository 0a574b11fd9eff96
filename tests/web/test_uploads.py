"""Files of others: streamed under limits, described in a process of their own, never executed."""

from __future__ import annotations

import gzip
import html
import json
import re
import socket
import time
from pathlib import Path
from urllib.parse import quote

import pytest
from serving import served
from workspaces import FIO, GROUPS

TRACES = Path(__file__).resolve().parents[2] / "examples" / "traces"
CSV = "time_s,op,offset,size\n" + "\n".join(f"{n / 100},R,{n * 4096},4096" for n in range(500)) + "\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("work")) as one:
        yield one


def put(server, name, body):
    return server.http.put(f"/api/uploads/{quote(name, safe='')}", content=body)


def described(server, answer):
    assert answer.status_code == 200, answer.text
    return server.ended(answer.json()["job"])


def left(server):
    folder = server.workspace / "traces"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


@pytest.mark.parametrize(
    "name", ["../x", "a/b", "..", ".hidden", "a\\b", "a\x00b", "x" * 300, "-", " x", "a\nb"]
)
def test_a_name_that_is_no_plain_file_is_refused(server, name):
    before = left(server)
    assert put(server, name, b"x").status_code in (400, 404, 405, 422)
    assert left(server) == before
    assert not (server.workspace.parent / "x").exists()


def test_a_trace_is_detected_and_described_and_sent_twice_is_one(server):
    job = described(server, put(server, "mine.csv", CSV.encode()))
    assert job["state"] == "done", job
    found = server.http.get(f"/api/described/{job['id']}").json()
    assert found["what"] == "trace" and found["trace"]["requests"]["count"] == 500
    assert found["workload_trace"]["path"] == "traces/mine.csv"
    again = put(server, "mine.csv", CSV.encode())
    assert again.json()["job"]["id"] == job["id"]
    assert put(server, "mine.csv", CSV.encode() + b"9,R,0,4096\n").status_code == 409
    packed = described(server, put(server, "packed.csv.gz", gzip.compress(CSV.encode())))
    assert packed["state"] == "done", packed


def test_a_trace_of_this_package_and_output_of_fio_are_known(server):
    parquet = next(TRACES.glob("*.parquet"))
    assert described(server, put(server, parquet.name, parquet.read_bytes()))["state"] == "done"
    job = described(server, put(server, "fio.json", FIO.read_bytes()))
    found = server.http.get(f"/api/described/{job['id']}").json()
    assert found["what"] == "fio" and found["runs"][0]["requests"] > 0
    body = {"kind": "import", "title": "fio", "request": {"path": found["path"]}}
    kept = server.ended(server.post("/api/jobs", body).json())
    assert kept["state"] == "done", kept
    run = json.loads((server.workspace / kept["result"] / "run.json").read_text("utf-8"))
    assert run["source"] == "fio"


TABLE = "when,kind,address,length\n" + "\n".join(f"{n},read,{n * 4096},4096" for n in range(500)) + "\n"


def again(server, path, trace):
    body = {"kind": "describe", "title": "again", "request": {"path": path, "trace": trace}}
    return server.ended(server.post("/api/jobs", body).json())


def test_a_table_of_ones_own_is_described_by_what_its_reader_says(server):
    assert described(server, put(server, "table.csv", TABLE.encode()))["state"] == "failed"
    seen = server.http.get("/api/uploads/table.csv").json()
    assert seen["lines"][0] == "when,kind,address,length" and seen["headed"]
    columns = {"time": "when", "op": "kind", "offset": "address", "size": "length"}
    assert seen["trace"] == {"format": "csv", "columns": columns} and seen["needs"] == ["time_unit"]
    job = again(server, "traces/table.csv", {**seen["trace"], "time_unit": "ms"})
    assert job["state"] == "done", job
    found = server.http.get(f"/api/described/{job['id']}").json()
    assert found["trace"]["span"]["duration_s"] == pytest.approx(0.499)
    assert found["workload_trace"] == {"path": "traces/table.csv", **seen["trace"], "time_unit": "ms"}
    asked = {"of": "example:oltp-raid5.toml", "trace": found["workload_trace"]}
    assert server.post("/api/whatif/estimate", asked).status_code == 200
    ended = server.ended(server.post("/api/whatif/simulate", asked).json())
    assert ended["state"] == "done", ended


def test_a_table_without_headers_is_read_by_numbers(server):
    body = "\n".join(f"{n},{n * 8},R,8" for n in range(100)) + "\n"
    put(server, "bare.csv.gz", gzip.compress(body.encode()))
    seen = server.http.get("/api/uploads/bare.csv.gz").json()
    assert not seen["headed"] and seen["columns"] == ["0", "1", "2", "3"]
    assert seen["trace"]["columns"] == {"time": 0, "op": 2} and seen["needs"] == ["columns", "time_unit"]
    columns = {**seen["trace"]["columns"], "lba": 1, "sectors": 3}
    asked = {"format": "csv", "columns": columns, "time_unit": "us", "sector_size": "4KiB"}
    job = again(server, "traces/bare.csv.gz", asked)
    assert job["state"] == "done", job
    trace = server.http.get(f"/api/described/{job['id']}").json()["trace"]
    assert trace["max_offset_bytes"] == (99 * 8 + 8) * 4096


@pytest.mark.parametrize(
    ("trace", "place"),
    [
        ({"time_unit": "h"}, "trace.time_unit"),
        ({"format": "nothing"}, "trace.format"),
        ({"columns": {"when": "time"}}, "trace.columns.when"),
        ({"sector_size": "x"}, "trace.sector_size"),
    ],
)
def test_what_cannot_be_read_so_is_said_at_its_key(server, trace, place):
    put(server, "mine.csv", CSV.encode())
    job = again(server, "traces/mine.csv", trace)
    assert job["state"] == "failed" and job["error"]["place"] == place, job


def test_keys_of_other_files_are_not_taken(server):
    body = {
        "kind": "describe",
        "title": "x",
        "request": {"path": "traces/mine.csv", "trace": {"more": ["x"]}},
    }
    assert server.post("/api/jobs", body).status_code == 422


def test_a_file_that_is_no_text_has_no_preview(server):
    put(server, "junk.bin", bytes(range(256)) * 64)
    assert server.http.get("/api/uploads/junk.bin").json()["lines"] == []
    for name in ("none.csv", "%2e%2e%2fjunk.bin"):
        assert server.http.get(f"/api/uploads/{name}").status_code in (404, 422)


def test_an_upload_is_deleted_and_nothing_else(server, tmp_path):
    described(server, put(server, "notes.md", b"# no trace\n"))
    assert server.http.delete("/api/uploads/notes.md", headers={"x-iowatt-csrf": ""}).status_code == 403
    assert "notes.md" in left(server)
    answer = server.http.delete("/api/uploads/notes.md")
    assert answer.status_code == 200 and answer.json()["path"] == "traces/notes.md"
    assert "notes.md" not in left(server)
    elsewhere = tmp_path / "kept.csv"
    elsewhere.write_text("x", "utf-8")
    (server.workspace / "traces" / "link.csv").symlink_to(elsewhere)
    (server.workspace / "traces" / "folder").mkdir()
    (server.workspace / "kept.csv").write_text("x", "utf-8")
    for name in ("notes.md", "link.csv", "folder", "%2e%2e%2fkept.csv", "..%2Fkept.csv"):
        assert server.http.delete(f"/api/uploads/{name}").status_code in (404, 405, 422), name
    assert elsewhere.exists() and (server.workspace / "kept.csv").exists()
    (server.workspace / "traces" / "link.csv").unlink()
    (server.workspace / "traces" / "folder").rmdir()


def test_a_measurement_of_several_job_groups_is_a_page_of_its_runs(server):
    described(server, put(server, "groups.json", GROUPS.read_bytes()))
    body = {"kind": "import", "title": "groups", "request": {"path": "traces/groups.json"}}
    kept = server.ended(server.post("/api/jobs", body).json())
    runs = sorted(one.parent.name for one in (server.workspace / kept["result"]).glob("*/run.json"))
    assert len(runs) == 2
    page = server.http.get(f"/result/{kept['result']}")
    assert page.status_code == 200
    for name in runs:
        address = f"/result/{kept['result']}/{quote(name)}"
        assert f'href="{address}"' in page.text
        assert server.http.get(address).status_code == 200
    lenses = re.findall(r'href="(/view/[^"]+)"', page.text)
    assert len(lenses) == 2
    for lens in lenses:
        assert server.http.get(html.unescape(lens)).status_code == 200


@pytest.mark.parametrize(
    "path", ["/result/none", "/result/traces", "/view/compare", "/view/none?run=x", "/no"]
)
def test_an_error_of_a_page_is_a_page_and_of_data_is_json(server, path):
    wanted = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    page = server.http.get(path, headers=wanted)
    assert page.status_code in (404, 422)
    assert page.headers["content-type"].startswith("text/html")
    assert 'href="/"' in page.text and "data-code=" in page.text
    assert server.http.get(path).json()["error"]["code"] in page.text
    data = server.http.get("/api/jobs/0000000000000000", headers=wanted)
    assert data.status_code == 404 and data.json()["error"]["code"] == "not-found"


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("junk.bin", bytes(range(256)) * 64),
        ("broken.json", b'{"fio version": "fio-3.33", "jobs": [{'),
        ("deep.json", b"[" * 200_000),
        ("broken.parquet", b"PAR1" + b"\xff" * 400 + b"PAR1"),
        ("cut.csv.gz", gzip.compress(b"x" * 10_000, mtime=0)[:-20]),
    ],
)
def test_what_is_no_trace_ends_with_a_code(server, name, body):
    job = described(server, put(server, name, body))
    assert job["state"] == "failed" and job["error"]["code"] != "internal", job


def test_a_bomb_ends_with_a_code_and_the_server_goes_on(server):
    bomb = gzip.compress(b"0.001,R,0,4096\n" * 40_000_000, 9)  # 600 MB of one request in 2 MB
    assert len(bomb) < 4 << 20
    job = described(server, put(server, "bomb.csv.gz", bomb))
    assert job["state"] in ("failed", "done") and (job["error"] or {}).get("code") != "internal", job
    assert server.http.get("/api/workspace").status_code == 200
    assert left(server).count("bomb.csv.gz") == 1


def test_an_empty_file_and_one_cut_short_leave_nothing(server):
    before = left(server)
    assert put(server, "empty.csv", b"").status_code == 422
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        head = f"PUT /api/uploads/cut.csv HTTP/1.1\r\nHost: {host}:{port}\r\nX-Iowatt-Csrf: {server.csrf}\r\n"
        connection.sendall(head.encode() + b"Content-Length: 1000000\r\n\r\n" + b"x" * 1000)
    for _ in range(100):
        if left(server) == before:
            break
        time.sleep(0.05)
    assert left(server) == before


def test_a_file_that_is_too_large_is_refused_before_it_is_read(server):
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        head = (
            f"PUT /api/uploads/huge.bin HTTP/1.1\r\nHost: {host}:{port}\r\nX-Iowatt-Csrf: {server.csrf}\r\n"
        )
        connection.sendall(head.encode() + f"Content-Length: {3 << 30}\r\n\r\n".encode())
        assert connection.recv(100).split()[1] == b"413"
