"""Jobs: one worker each, progress to every browser, and nothing lost when the server is killed."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from serving import served

from iowatt.base.errors import InputError
from iowatt.model.scenario import EXAMPLES
from iowatt.run.bundle import Run
from iowatt.web.jobs import JobEvents, JobQueue
from iowatt.web.jobs.claims import JobClaims
from refused import refused

#: Kills of the server; IOWATT_LONG=1 makes 30.
ROUNDS = 30 if os.environ.get("IOWATT_LONG") else 2
SCENARIO = (EXAMPLES / "oltp-raid5.toml").read_text("utf-8")
QUESTION = (EXAMPLES / "questions" / "architect.toml").read_text("utf-8")


def run_job(count, end="10s", key=None):
    changes = [f"array.pool.disks.count={count}", f"workload.oltp.trace.end={end}"]
    request = {"scenario": SCENARIO, "base": "example:", "set": changes}
    return {"kind": "run", "title": f"run {count}", "request": request, "key": key}


def question_job():
    return {
        "kind": "choose",
        "title": "question",
        "request": {"question": QUESTION, "base": "example:questions"},
    }


@pytest.fixture
def queue(tmp_path):
    made = JobQueue(tmp_path / ".iowatt" / "serve.sqlite", queued=3)
    yield made
    made.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("work")) as one:
        yield one


def test_a_job_is_claimed_once_however_many_ask(queue):
    for number in range(3):
        queue.submit("run", f"job {number}", {})
    claims = [JobClaims(queue.table, f"worker {number}") for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        taken = [one for one in pool.map(lambda claim: claim.claim(["run"]), claims) if one is not None]
    assert len({one.id for one in taken}) == len(taken) <= 3
    rest = [claims[0].claim(["run"]) for _ in range(3)]
    assert len({one.id for one in (*taken, *rest) if one is not None}) == 3


def test_states_follow_one_another_and_never_go_back(queue):
    done = queue.submit("run", "one", {})
    cancelled = queue.submit("run", "two", {})
    failed = queue.submit("run", "three", {})
    claims = JobClaims(queue.table, "worker")
    assert queue.cancel(cancelled.id).state == "cancelled"
    assert claims.claim(["run"]).id == done.id
    assert claims.progress(done.id, 0.5, "half") and queue.job(done.id).fraction == 0.5
    assert claims.finish(done.id, "what-if/x")
    assert claims.claim(["run"]).id == failed.id
    assert claims.fail(failed.id, InputError("damaged", "file", "broken"))
    assert claims.claim(["run"]) is None
    for job, state in ((done, "done"), (cancelled, "cancelled"), (failed, "failed")):
        assert queue.cancel(job.id).state == state
        assert not claims.progress(job.id, 0.1, "")
        assert queue.job(job.id).state == state
    assert queue.job(failed.id).error.code == "damaged"


def test_a_key_is_one_job_unless_it_failed(queue):
    first = queue.submit("run", "one", {}, key="same")
    assert queue.submit("run", "again", {}, key="same").id == first.id
    with refused("in-use", "key"):
        queue.submit("run", "another", {"scenario": "x"}, key="same")
    queue.cancel(first.id)
    assert queue.submit("run", "once more", {}, key="same").id != first.id


def test_a_full_queue_takes_no_more(queue):
    for number in range(3):
        queue.submit("run", f"job {number}", {})
    with refused("too-many"):
        queue.submit("run", "too many", {})


def test_progress_reaches_a_browser_that_comes_back(server):
    job = server.post("/api/jobs", run_job(7)).json()
    ended = server.ended(job)
    assert ended["state"] == "done" and ended["result"] == f"what-if/{job['id']}"
    assert Run.open(server.workspace / ended["result"]).summary["requests"]["count"] > 0
    seen = []
    with httpx.stream(
        "GET", f"{server.address}/api/events", headers={"last-event-id": "0"}, timeout=20
    ) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            if line.startswith("data:"):
                seen.append(json.loads(line[5:]))
            if seen and seen[-1]["id"] == job["id"] and seen[-1]["state"] == "done":
                break
    assert "request" not in seen[-1]
    headers = {"last-event-id": str(seen[-1]["change"])}
    with httpx.stream("GET", f"{server.address}/api/events", headers=headers, timeout=20) as answer:
        later = server.post("/api/jobs", run_job(8)).json()
        first = next(json.loads(line[5:]) for line in answer.iter_lines() if line.startswith("data:"))
        assert first["id"] == later["id"]
    server.ended(later)


def test_a_change_that_could_not_be_read_is_told_later(queue, monkeypatch):
    events, faults, read = JobEvents(queue), [], queue.changes

    def changes(after):
        if not faults:
            faults.append(sqlite3.OperationalError("disk I/O error"))
            raise faults[0]
        return read(after)

    monkeypatch.setattr(queue, "changes", changes)

    async def first():
        async for job in events.listen(0):
            if job is not None:
                return job.id

    async def told():
        events.start()
        job = queue.submit("run", "one", {})
        return job.id, await asyncio.wait_for(first(), 20)

    try:
        submitted, heard = asyncio.run(told())
    finally:
        events.stop()
    assert heard == submitted and len(faults) == 1


def test_a_running_job_is_cancelled_and_leaves_nothing(server):
    job = server.post("/api/jobs", question_job()).json()
    for _ in range(400):
        if server.http.get(f"/api/jobs/{job['id']}").json()["state"] == "running":
            break
        time.sleep(0.05)
    assert server.post(f"/api/jobs/{job['id']}/cancel").json()["state"] == "cancelled"
    after = server.post("/api/jobs", run_job(9)).json()
    assert server.ended(after)["state"] == "done"
    for _ in range(100):
        if not (server.workspace / "answers" / job["id"]).exists():
            break
        time.sleep(0.1)
    assert not (server.workspace / "answers" / job["id"]).exists()


def test_what_a_job_may_not_read_is_refused_with_its_place(server):
    body = run_job(7)
    body["request"]["set"].append("workload.oltp.trace.path=/etc/passwd")
    failed = server.ended(server.post("/api/jobs", body).json())
    assert failed["state"] == "failed" and failed["error"]["code"] == "not-accepted"
    body = run_job(7)
    body["request"]["base"] = "../.."
    failed = server.ended(server.post("/api/jobs", body).json())
    assert failed["state"] == "failed" and failed["error"]["code"] in ("not-accepted", "not-found")


def children(pid):
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_nothing_that_was_answered_is_lost_when_the_server_is_killed(tmp_path):
    draw = random.Random(26)
    accepted = {}
    number = 0
    for _ in range(ROUNDS):
        with served(tmp_path) as server:
            pids = children(server.process.pid)
            stop = threading.Event()

            def submit(server=server, stop=stop):
                nonlocal number
                while not stop.is_set():
                    number += 1
                    try:
                        answer = server.post("/api/jobs", run_job(3 + number % 40, "5s", key=f"k{number}"))
                    except httpx.HTTPError:
                        return
                    if answer.status_code == 202:
                        accepted[answer.json()["id"]] = f"k{number}"
                    time.sleep(0.05)

            thread = threading.Thread(target=submit)
            thread.start()
            time.sleep(draw.uniform(0.2, 2.5))
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
            stop.set()
            thread.join()
            for _ in range(200):
                if not any(map(alive, pids)):
                    break
                time.sleep(0.05)
            assert not any(map(alive, pids)), "a worker or the indexer outlives its server"
    assert accepted
    with served(tmp_path) as server:
        for identity in accepted:
            ended = server.ended({"id": identity}, 240)
            assert ended["state"] == "done", ended
            assert ended["result"] == f"what-if/{identity}"
        # One that was kept when the server died before it could answer is done as well.
        jobs = server.http.get("/api/jobs", params={"limit": 1000}).json()["jobs"]
        jobs = [server.ended(job, 240) for job in jobs]
    assert set(accepted) <= {job["id"] for job in jobs}
    folders = sorted(
        path.name for path in (tmp_path / "what-if").iterdir() if path.is_dir() and path.name[0] != "."
    )
    assert folders == sorted(job["id"] for job in jobs if job["state"] == "done")
    for name in folders:
        Run.open(tmp_path / "what-if" / name).table("intervals")
    with sqlite3.connect(tmp_path / ".iowatt" / "serve.sqlite") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert (
            connection.execute("SELECT count(*) FROM jobs GROUP BY key HAVING count(*) > 1").fetchall() == []
        )
