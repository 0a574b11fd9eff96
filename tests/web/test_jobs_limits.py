"""Jobs of hostile files end with a code; a worker that ends has its job ended or queued again, never lost."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from contextlib import closing, contextmanager

import pytest

from iowatt.base.errors import InputError
from iowatt.model.scenario import EXAMPLES
from iowatt.web.jobs import JobLimits, JobQueue, Workers, base_of, file_of, refuse_outside
from iowatt.web.jobs.claims import JobClaims
from refused import refused

BOMB = gzip.compress(b"0.001,R,0,4096\n" * 2_000_000, 1)
CLAIM = """
import sys, time
from pathlib import Path
from iowatt.web.jobs.claims import JobClaims
from iowatt.web.jobs.table import JobTable
claims = JobClaims(JobTable(Path(sys.argv[1])), "other")
print(claims.claim(["run"]).id, flush=True)
time.sleep(60)
"""


@pytest.fixture
def queue(tmp_path):
    with closing(JobQueue(tmp_path / ".iowatt" / "serve.sqlite")) as made:
        yield made


@contextmanager
def working(folder, queue, limits=None):
    workers = Workers(folder, queue, 1, limits=limits)
    workers.start()
    try:
        yield workers
    finally:
        workers.stop()


def begun(queue, job):
    return _past(queue, job, "queued")


def ended(queue, job):
    return _past(queue, job, "queued", "running")


def _past(queue, job, *states):
    for _ in range(3000):
        found = queue.job(job.id)
        if found.state not in states:
            return found
        time.sleep(0.02)
    raise AssertionError(found)


def test_a_job_is_queued_again_when_its_worker_is_dead_and_not_before(queue):
    job = queue.submit("run", "one", {})
    server = JobClaims(queue.table)
    other = subprocess.Popen(
        [sys.executable, "-c", CLAIM, str(queue.table.file)], stdout=subprocess.PIPE, text=True
    )
    with other:
        assert other.stdout.readline().strip() == job.id
        assert server.recover() == [] and queue.job(job.id).state == "running"
        assert JobClaims(queue.table, "mine").claim(["run"]) is None
        other.kill()
        other.wait()
    assert server.recover() == []
    assert queue.job(job.id).state == "queued"
    mine = JobClaims(queue.table, "mine")
    assert mine.claim(["run"]).id == job.id
    assert mine.finish(job.id, "what-if/x")
    assert list((queue.table.file.parent / "jobs").iterdir()) == []


def test_a_job_cancelled_under_a_dead_worker_stays_cancelled(queue):
    job = queue.submit("run", "one", {})
    other = subprocess.Popen(
        [sys.executable, "-c", CLAIM, str(queue.table.file)], stdout=subprocess.PIPE, text=True
    )
    with other:
        other.stdout.readline()
        other.kill()
        other.wait()
    queue.cancel(job.id)
    server = JobClaims(queue.table)
    assert [one.id for one in server.recover()] == [job.id]
    assert server.recover() == [] and queue.job(job.id).state == "cancelled"


def test_a_worker_that_ends_fails_its_job_and_one_that_was_ended_does_not(queue):
    jobs = [queue.submit("run", name, {}) for name in ("first", "second")]
    worker = JobClaims(queue.table, "worker")
    server = JobClaims(queue.table)
    worker.claim(["run"])
    assert [one.state for one in server.abandon("worker", InputError("interrupted", None, "gone"))] == [
        "failed"
    ]
    assert queue.job(jobs[0].id).error.code == "interrupted"
    worker.claim(["run"])
    assert server.abandon("worker", None) == []
    assert queue.job(jobs[1].id).state == "queued"


def test_short_jobs_go_before_long_ones(queue):
    long = queue.submit("choose", "long", {})
    short = queue.submit("run", "short", {})
    claims = JobClaims(queue.table, "worker")
    assert claims.claim(["run"], ["choose"]).id == short.id
    assert claims.claim(["run"]) is None
    assert claims.claim(["run"], ["choose"]).id == long.id


def test_a_bomb_ends_with_its_processor_time_and_the_worker_is_replaced(tmp_path, queue):
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"time_s,op,offset,size\n") + BOMB * 200)
    (tmp_path / "small.csv").write_text("time_s,op,offset,size\n0,R,0,4096\n1,R,0,4096\n", "utf-8")
    with working(tmp_path, queue, JobLimits(upload_cpu_s=1)):
        bomb = queue.submit("describe", "bomb", {"path": "bomb.csv.gz"})
        after = queue.submit("describe", "small", {"path": "small.csv"})
        found = ended(queue, bomb)
        assert found.state == "failed" and found.error.code == "too-large", found
        assert ended(queue, after).state == "done"
    assert not (tmp_path / ".iowatt" / "described" / f"{bomb.id}.json").exists()


def test_memory_and_descriptions_are_limited(tmp_path, queue):
    (tmp_path / "long.json").write_text('{"fio version": "fio-3.33", "jobs": [' + "[1]," * 8_000_000, "utf-8")
    (tmp_path / "small.csv").write_text("time_s,op,offset,size\n0,R,0,4096\n1,R,0,4096\n", "utf-8")
    with working(tmp_path, queue, JobLimits(upload_memory_bytes=256 << 20, description_bytes=100)):
        for path in ("long.json", "small.csv"):
            found = ended(queue, queue.submit("describe", path, {"path": path}))
            assert found.state == "failed" and found.error.code == "too-large", found


SHORT_RUN = {
    "scenario": (EXAMPLES / "oltp-raid5.toml").read_text("utf-8"),
    "base": "example:",
    "set": ["workload.oltp.trace.end=20s"],
}
ENDLESS_RUN = {
    "scenario": (EXAMPLES / "back-end.toml").read_text("utf-8"),
    "base": "example:",
    "set": ["workload.0.profile.requests=2000000000"],
}
#: It holds 20 million requests in flight at once, gigabytes.
LARGE_RUN = {
    **ENDLESS_RUN,
    "set": [
        *ENDLESS_RUN["set"],
        """workload.0.profile.set=["arrivals={law='closed', outstanding=20000000}"]""",
    ],
}


@pytest.mark.parametrize(
    ("request_", "limits", "code"),
    [
        (ENDLESS_RUN, JobLimits(cpu_s=1), "too-large"),
        (LARGE_RUN, JobLimits(memory_bytes=512 << 20), "too-large"),
        (SHORT_RUN, JobLimits(file_bytes=1000), "unwritable"),
    ],
    ids=["processor", "memory", "file"],
)
def test_a_simulation_ends_at_its_limits_and_the_next_job_runs(tmp_path, queue, request_, limits, code):
    (tmp_path / "small.csv").write_text("time_s,op,offset,size\n0,R,0,4096\n1,R,0,4096\n", "utf-8")
    with working(tmp_path, queue, limits):
        found = ended(queue, queue.submit("run", "run", request_))
        assert found.state == "failed" and found.error.code == code, found
        if code == "too-large":
            assert ended(queue, queue.submit("describe", "small", {"path": "small.csv"})).state == "done"
    assert list((tmp_path / "what-if").glob("*")) == []


LARGE = """
import subprocess, sys
kept = b"x" * (600 << 20)
command = "from iowatt.web.jobs.worker import peak_kib; print(peak_kib())"
print(subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True).stdout)
"""


def test_a_worker_is_not_as_large_as_what_started_it():
    done = subprocess.run([sys.executable, "-c", LARGE], capture_output=True, text=True, check=True)
    assert 0 < int(done.stdout) < 400 << 10


def test_a_worker_that_is_killed_says_so_and_the_next_goes_on(tmp_path, queue):
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"time_s,op,offset,size\n") + BOMB * 200)
    with working(tmp_path, queue) as workers:
        job = queue.submit("describe", "bomb", {"path": "bomb.csv.gz"})
        begun(queue, job)
        (pid,) = workers.pids()
        os.kill(pid, signal.SIGKILL)
        assert ended(queue, job).error.code == "interrupted"
        second = queue.submit("describe", "bomb", {"path": "bomb.csv.gz"})
        begun(queue, second)
        assert queue.cancel(second.id).state == "cancelled"
        third = queue.submit("describe", "missing", {"path": "nothing"})
        assert ended(queue, third).error.code == "not-found"
    assert queue.job(second.id).state == "cancelled"


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "link", "nothing", "a\0b", "x" * 5000, "circle"])
def test_no_path_leads_out_of_the_workspace(tmp_path, path):
    workspace = tmp_path / "work"
    workspace.mkdir()
    (tmp_path / "x").write_text("x", "utf-8")
    (workspace / "link").symlink_to(tmp_path / "x")
    (workspace / "circle").symlink_to(workspace / "circle")
    with pytest.raises(InputError) as found:
        file_of(workspace, path)
    assert found.value.code in ("not-accepted", "not-found")
    with pytest.raises(InputError):
        base_of(workspace, path)


@pytest.mark.parametrize("text", ["/etc/passwd", "../x", "-", "link", "profiles/out.toml", "example/../../x"])
def test_no_text_of_a_document_leads_out_of_the_workspace(tmp_path, text):
    workspace = tmp_path / "work"
    (workspace / "profiles").mkdir(parents=True)
    (workspace / "link").symlink_to(tmp_path)
    (workspace / "profiles" / "out.toml").write_text('[law]\ntrace = "../../x"\n', "utf-8")
    (workspace / "profiles" / "in.toml").write_text('[law]\ntrace = "../traces/x"\n', "utf-8")
    base = base_of(workspace, "")
    refuse_outside(
        {"workload": [{"trace": {"path": "traces/x"}, "unit": "MB/s", "name": "profiles/in.toml"}]}, base
    )
    with pytest.raises(InputError) as found:
        refuse_outside({"workload": [{"trace": {"path": text}}]}, base)
    assert found.value.code == "not-accepted"


def test_the_examples_may_use_traces_of_the_workspace(tmp_path):
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "mine.csv").write_text("", "utf-8")
    base = base_of(tmp_path, "example:questions")
    refuse_outside({"trace": "../traces/x.parquet", "own": str(tmp_path / "traces" / "mine.csv")}, base)
    with refused("not-accepted", "base: ../.."):
        base_of(tmp_path, "example:../..")
