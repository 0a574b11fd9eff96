"""Several load hosts: real fio on each, reached as a process, in a network namespace or over SSH."""

from __future__ import annotations

import getpass
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import conducted
import pytest
from typer.testing import CliRunner

import needs
from host_observations import seen
from iowatt.base.errors import Argument, InputError
from iowatt.cli.main import app
from iowatt.emerald import hosts
from iowatt.emerald.analyze import measurement
from iowatt.emerald.conduct.drivers import driver_of
from iowatt.emerald.hosts import ClockCheck, HostRecord
from iowatt.emerald.plan.load import job_text
from iowatt.emerald.rules import load
from iowatt.sources.hosts import HostConnection, HostLost, parse_host
from loopback.process import Server, answers, free_port
from refused import refused

pytestmark = needs.mark("fio")

TWO = [{"name": "left", "address": "local"}, {"name": "right", "address": "local"}]


@pytest.fixture
def tmp_path(disk_folder):
    """Whether fio works is told by the bytes it moves to and from block devices."""
    return disk_folder


def fio_jobs(folder, stage, host):
    return json.loads((folder / "stages" / stage / "hosts" / host / "fio.json").read_text())["jobs"]


def agents(mark):
    """Agents, guards and load generators of a measurement on its local hosts."""
    return [pid for name in ("left", "right") for pid in conducted.marked(f"{mark}/{name}")]


def test_two_hosts_measure_as_one(tmp_path):
    path = conducted.plan(tmp_path, hosts=TWO)
    done = conducted.run(path, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["finished"] and found["host_failures"] == []
    out = tmp_path / "out"
    # The fill: each host its half, and nothing twice.
    written = [fio_jobs(out, "fill", host)[0] for host in ("left", "right")]
    assert [job["write"]["io_bytes"] for job in written] == [conducted.BYTES // 2] * 2
    options = [(int(job["job options"]["offset"]), int(job["job options"]["size"])) for job in written]
    assert options == [(0, conducted.BYTES // 2), (conducted.BYTES // 2, conducted.BYTES // 2)]
    # All requests of both hosts are in the one Run of the phase, each at half of the rate.
    reads = [sum(job["read"]["total_ios"] for job in fio_jobs(out, "RR", host)) for host in ("left", "right")]
    assert all(reads)
    stages = {one.stage.id: one for one in measurement(out).stages}
    run = stages["RR"].run
    assert run.summary["requests"]["completed"] == sum(reads)
    assert run.table("latency")["count"].sum() == sum(reads)
    assert run.summary["driver"]["asked_iops"] == pytest.approx(100)
    means = [
        (job["read"]["total_ios"], job["read"]["lat_ns"]["mean"])
        for host in ("left", "right")
        for job in fio_jobs(out, "RR", host)
    ]
    weighted = sum(count * mean for count, mean in means) / sum(count for count, _ in means) / 1e6
    assert run.summary["response_time_ms"]["all"]["mean"] == pytest.approx(weighted, rel=1e-3)
    records = hosts.read(out / "stages" / "RR")
    assert [one.name for one in records] == ["left", "right"]
    for one in records:
        assert one.lost is None and one.clock_checks >= 10 and one.cpu_percent is not None
        assert abs(one.clock_best.offset_s) < 0.5 and one.clock_start.round_trip_s > 0
    seeds = {
        re.search(r"randseed=(\d+)", (hosts.folder_of(out / "stages" / "RR", h) / "job.fio").read_text())[1]
        for h in ("left", "right")
    }
    assert len(seeds) == 2, "both hosts make the same requests"
    settings = json.loads((out / "settings-before.json").read_text())["settings"]
    assert settings["host left: processors"] == str(os.cpu_count())
    assert agents(conducted.mark(path)) == []


def test_nothing_runs_on_once_the_conductor_is_killed(tmp_path):
    path = conducted.plan(tmp_path, conducted.short(measured=60.0)[2:4], hosts=TWO)
    process = conducted.start(path)
    deadline = time.monotonic() + 60
    mark = None
    while mark is None or len(agents(mark)) < 2:
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        if mark is None and (tmp_path / "out" / "measurement.json").exists():
            mark = conducted.mark(path)
        time.sleep(0.05)
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 30
    while found := agents(mark):
        assert time.monotonic() < deadline, found
        time.sleep(0.05)


def test_hosts_that_cannot_be_used_are_refused_before_the_first_request(tmp_path):
    def error_of(*hosts, **keys):
        path = conducted.plan(tmp_path, hosts=[{"name": n, "address": a} for n, a in hosts], **keys)
        done = CliRunner().invoke(app, ["emerald", "run", str(path), "-o", str(tmp_path / "out")])
        assert isinstance(done.exception, InputError), done.output
        assert not (tmp_path / "out").exists()
        return done.exception.code

    assert error_of(("a", "local"), ("a", "local")) == "duplicate"
    assert error_of(("a", "local"), ("b", f"local?targets={tmp_path}/b.bin")) == "conflict"
    assert error_of(("a", "local"), ("b", "netns:there-is-none-7")) == "unreachable"
    existing = tmp_path / "kept.bin"
    existing.write_bytes(bytes(conducted.BYTES))
    assert error_of(("a", f"local?targets={existing}")) == "unsafe-target"
    assert not (tmp_path / "target.bin").exists() and existing.read_bytes() == bytes(conducted.BYTES)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("lab1", "bad-syntax"),
        ("ssh://-oProxyCommand=x", "bad-syntax"),
        ("ssh://lab1:99999", "out-of-range"),
        ("local?config=x", "unknown-key"),
        ("local?targets=b.bin", "bad-syntax"),
    ],
)
def test_an_address_that_is_none(text, code):
    with refused(code, Argument("host", text)):
        parse_host(text)


def test_hosts_share_a_range_by_parts_and_a_rate_by_halves(tmp_path):
    plan = conducted.load(conducted.plan(tmp_path, hosts=TWO))
    parts = hosts.shares(plan)
    assert [part.part for part in parts] == [(0, 2), (1, 2)]
    stage = next(stage for stage in plan.stages if stage.id == "RR")
    assert [part.stage(stage).rate_iops for part in parts] == [50.0, 50.0]
    text = job_text(parts[1].plan, parts[1].stage(plan.stages[0]), part=(1, 2))
    assert f"offset={conducted.BYTES // 2}\n" in text
    own = [
        {"name": "one", "address": "local?targets=/a.bin"},
        {"name": "two", "address": "local?targets=/b.bin,/c.bin,/d.bin"},
    ]
    plan = conducted.load(conducted.plan(tmp_path, hosts=own))
    assert [part.stage(stage).rate_iops for part in hosts.shares(plan)] == [25.0, 75.0]
    sizes = [part.plan.target.size_bytes for part in hosts.shares(plan)]
    assert sizes == [conducted.BYTES // 4, conducted.BYTES // 4 * 3]


LIMIT_S = 0.8  # emerald-4.0.0: instruments.clock.apart_s


def check_of(offset, trip=0.001):
    return ClockCheck(1000.0, offset, trip)


@pytest.mark.parametrize(
    ("start", "end", "weight"),
    [
        (check_of(0.1), check_of(0.1), None),
        (check_of(2.0), check_of(2.0), "non-compliant"),
        (check_of(0.9, 0.5), check_of(0.9, 0.5), None),  # within 0.25 s: it may be 0.65 s
        (check_of(0.0), check_of(1.5), "invalid"),  # it was set meanwhile
        (check_of(0.0, 3.0), check_of(0.0, 3.0), "invalid"),  # nobody can say
    ],
)
def test_a_clock_that_is_off_is_a_finding(tmp_path, start, end, weight):
    assert load("emerald-4.0.0").number("instruments.clock.apart_s", "online") == LIMIT_S
    plan = conducted.load(conducted.plan(tmp_path, hosts=TWO))
    record = HostRecord("left", "local", clock_start=start, clock_end=end, clock_best=start)
    hosts.write(tmp_path, [record], {})
    stage = plan.stages[2]
    found = list(hosts.findings(plan, stage, tmp_path, lambda *_: None))
    assert [(one.code, one.weight) for one in found] == ([("host-clock", weight)] if weight else [])
    assert all(one.values["host"] == "left" for one in found)


def test_a_host_that_has_no_time_left_is_named(tmp_path):
    """It was to make 50 of 100 requests/s and made 20, with its link full; the other one kept up."""
    plan = conducted.load(conducted.plan(tmp_path, hosts=TWO))
    stage = next(stage for stage in plan.stages if stage.id == "RR")
    made = {
        "left": seen(0.0, (500, 500), 0.001),
        "right": seen(0.0, (200, 200), 0.001, asked_iops=50.0),
    }
    check = check_of(0.0)
    records = [
        HostRecord(name, "local", clock_best=check, link_percent=percent, cpu_percent=10.0)
        for name, percent in (("left", 40.0), ("right", 97.0))
    ]
    hosts.write(tmp_path, records, {})
    found = list(hosts.findings(plan, stage, tmp_path, lambda _p, _s, folder, _o: made[folder.name]))
    assert [(one.code, one.values["host"], one.values["cause"]) for one in found] == [
        ("generator-limited", "right", "network")
    ]


@pytest.fixture
def ssh_host(tmp_path):
    """OpenSSH's server on loopback, with keys and settings of its own; the address of this user there."""
    server = needs.program("sshd", "openssh-server")
    for name in ("host", "user"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)]
        subprocess.run(words, check=True)
    port = free_port()
    (tmp_path / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {tmp_path}/host\n"
        f"AuthorizedKeysFile {tmp_path}/user.pub\n"
        "StrictModes no\nUsePAM no\nPidFile none\nPermitRootLogin yes\n"
    )
    (tmp_path / "config").write_text(
        f"Host *\n IdentityFile {tmp_path}/user\n IdentitiesOnly yes\n UserKnownHostsFile {tmp_path}/known\n"
        " StrictHostKeyChecking accept-new\n"
    )
    if os.geteuid() == 0:  # as Debian's service makes it
        Path("/run/sshd").mkdir(exist_ok=True)
    command = [server, "-D", "-e", "-f", str(tmp_path / "sshd_config")]
    serving = Server(command, tmp_path / "sshd.log", answers(port))
    serving.start()
    yield serving, f"ssh://{getpass.getuser()}@127.0.0.1:{port}?config={tmp_path}/config"
    serving.stop()


def test_a_host_over_ssh_runs_a_program_and_leaves_nothing(ssh_host, tmp_path):
    _, address = ssh_host
    connection = HostConnection("lab", parse_host(address))
    try:
        assert abs(connection.clock().offset_s) < 0.5
        words = ["sh", "-c", "echo made > result; exec sleep 300"]
        connection.begin(words, {}, {}, mark="over-ssh/lab", grace_s=1.0, at=time.time())
        while not conducted.marked("over-ssh/lab", "sleep"):
            time.sleep(0.02)
        connection.ask("stop")
        while connection.ended is None and connection.lost is None:
            time.sleep(0.02)
        assert connection.ended[0] == 128 + signal.SIGTERM
        connection.fetch(tmp_path / "got")
        assert (tmp_path / "got" / "result").read_text() == "made\n"
        connection.begin(words, {}, {}, mark="over-ssh/lab", grace_s=1.0, at=time.time())
        while not conducted.marked("over-ssh/lab", "sleep"):
            time.sleep(0.02)
        os.kill(connection._process.pid, signal.SIGKILL)  # the connection drops without a word
        with pytest.raises(HostLost) as caught:
            while True:
                connection.ask("ping")
        assert caught.value.place == "host lab"
    finally:
        connection.close()
    deadline = time.monotonic() + 30
    while conducted.marked("over-ssh/lab", "sleep"):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_plan_says_which_hosts_it_is_for(tmp_path):
    plan = conducted.load(conducted.plan(tmp_path, hosts=TWO, source="simulation"))
    with refused("not-applicable", Argument("host")):
        driver_of(plan)
    assert Path(plan.target.path).is_absolute()
