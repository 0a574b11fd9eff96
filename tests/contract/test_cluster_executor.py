"""The executor of ``--cluster`` keeps the contract, on a real Ray cluster of this machine's loopback."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import time
from collections import Counter
from contextlib import closing

import pytest
from executor_contract import ExecutorContract, double, slow

from iowatt.base.errors import Argument
from iowatt.evaluate.search.cluster import Cluster, child, driver, worker
from iowatt.evaluate.search.tasks.executor import MachineError
from loopback import ray_work
from loopback.ray_nodes import started
from refused import check, refused

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def nodes():
    with started(processors=3) as made:
        yield made


@pytest.fixture
def cluster(nodes):
    with closing(Cluster(nodes.address)) as made:
        yield made


class TestCluster(ExecutorContract):
    @pytest.fixture
    def executor(self, cluster):
        return cluster


def test_a_task_that_a_machine_cannot_do_is_done_on_another(nodes):
    lacking = nodes.add(processors=2, environment={ray_work.LACKING: "yes"})
    try:
        with closing(Cluster(nodes.address)) as cluster:
            assert (cluster.nodes, cluster.processors) == (2, 5)
            tickets = [cluster.submit(ray_work.where, number) for number in range(40)]
            found = list(cluster.as_completed())
            assert Counter(one.ticket for one in found) == Counter(tickets)
            assert {(one.result, one.error) for one in found} == {("done", None)}
            # Where none can do it, it is an error that says on which machine.
            lost = cluster.submit(ray_work.nowhere, None)
            (one,) = cluster.as_completed()
            assert one.ticket == lost
            assert isinstance(one.error, MachineError)
            assert one.error.place == "trace.csv"
            assert f"(on {socket.gethostname()})" in one.error.message
    finally:
        nodes.kill(lacking)


def test_a_task_whose_worker_dies_is_run_again_and_given_up_in_the_end(cluster, tmp_path):
    (tmp_path / "marks").mkdir()
    once = cluster.submit(ray_work.dies_once, str(tmp_path / "once"))
    always = cluster.submit(ray_work.dies, str(tmp_path / "marks"))
    found = {one.ticket: one for one in cluster.as_completed()}
    assert sorted(found) == [once, always]
    assert found[once].result == "done"
    check(found[always].error, "unreachable", None)
    assert isinstance(found[always].error, MachineError)
    assert " 4 times" in found[always].error.message
    assert len(list((tmp_path / "marks").iterdir())) == 4


def test_reports_arrive_now_and_then_and_losing_them_loses_no_result(nodes):
    heard = []
    with closing(
        Cluster(nodes.address, lambda ticket, fraction: heard.append((ticket, fraction)))
    ) as cluster:
        ticket = cluster.submit(ray_work.says, 3)
        assert [one.result for one in cluster.as_completed()] == ["said"]
        assert 1 <= len(heard) <= 3
        assert {number for number, _ in heard} == {ticket}
        assert all(0.3 < fraction < 1 for _, fraction in heard)
        (actor,) = nodes.workers(nodes.head, "ray::Reports")
        cluster.submit(ray_work.says, 2)
        os.kill(actor, signal.SIGKILL)
        assert [one.result for one in cluster.as_completed()] == ["said"]


def test_reporting_to_nobody_is_no_error_of_the_task():
    class Lost:
        class tell:
            @staticmethod
            def remote(*_):
                raise RuntimeError("the actor died")

    report = worker.reporter(1, Lost, every_s=0)
    report(0.5)


def test_an_exception_that_cannot_travel_arrives_as_its_text(cluster):
    cluster.submit(ray_work.unlike, None)
    (one,) = cluster.as_completed()
    assert isinstance(one.error, RuntimeError)
    assert str(one.error).startswith("UnlikeOthersError: ")


def test_an_argument_that_cannot_travel_is_its_task_s_error(cluster):
    bad, good = cluster.submit(double, lambda: 0), cluster.submit(double, 1)
    found = {one.ticket: one for one in cluster.as_completed()}
    assert found[bad].error is not None
    assert found[good].result == 2


def test_a_machine_with_another_iowatt_is_refused_with_both_named(nodes, tmp_path):
    fake = tmp_path / "iowatt-99.1.dist-info"
    fake.mkdir()
    (fake / "METADATA").write_text("Metadata-Version: 2.1\nName: iowatt\nVersion: 99.1\n")
    paths = os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]])
    with closing(Cluster(nodes.address)) as before:
        odd = nodes.add(processors=2, environment={"PYTHONPATH": paths})
        try:
            with refused("not-comparable", Argument("cluster")) as caught:
                Cluster(nodes.address)
            assert "iowatt 99.1" in caught.value.message and "iowatt 0" in caught.value.message
            # One that comes later is found out by its first task.
            for _ in range(30):
                before.submit(slow, 0.2)
            with refused("unreachable", Argument("cluster")) as caught:
                list(before.as_completed())
            assert "iowatt 99.1" in caught.value.message
        finally:
            nodes.kill(odd)


def test_a_cluster_that_is_lost_is_an_error_and_no_wait(monkeypatch):
    monkeypatch.setenv("RAY_gcs_rpc_server_reconnect_timeout_s", "2")
    with started() as nodes, closing(Cluster(nodes.address)) as cluster:
        first = cluster.submit(double, 1)
        got = []
        with refused("unreachable", Argument("cluster")) as caught:
            for one in cluster.as_completed():
                got.append((one.ticket, one.result))
                cluster.submit(slow, 600)
                nodes.kill(nodes.head)
        assert got == [(first, 2)]
        assert "`resume=True`" in caught.value.hint
        with refused("unreachable", Argument("cluster")):
            list(cluster.as_completed())


@pytest.mark.parametrize("text", ["5", "local", "here:0", "here:99999", "http://here:1", "a b:1", ":1", ""])
def test_what_is_no_address_is_refused(text):
    with refused("bad-syntax", Argument("cluster")):
        child.parse(text)


def test_ray_s_own_environment_says_which_cluster_auto_is(monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "10.1.2.3:6379")
    assert child.parse("auto") == child.ClusterAddress("10.1.2.3:6379", "10.1.2.3", 6379)
    monkeypatch.setenv("RAY_ADDRESS", "ray://10.1.2.3:10001")
    with refused("unsupported", Argument("cluster")):
        child.parse("auto")
    monkeypatch.delenv("RAY_ADDRESS")
    assert child.parse(" auto ").host is None
    assert child.parse("[::1]:6379") == child.ClusterAddress("[::1]:6379", "::1", 6379)
    assert child.parse("[::1]:6379").loopback
    assert not child.parse("10.1.2.3:6379").loopback


def test_an_address_without_a_cluster_is_an_error_soon(monkeypatch):
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        place = f"127.0.0.1:{server.getsockname()[1]}"
        # Something listens and is no Ray: only the time that it is given tells.
        monkeypatch.setattr(child, "JOIN_S", 1.0)
        begun = time.monotonic()
        with refused("unreachable", Argument("cluster")) as caught:
            Cluster(place)
        assert "1 s" in caught.value.message
        assert time.monotonic() - begun < 60
    with refused("unreachable", Argument("cluster")) as caught:
        Cluster(place)
    assert place in caught.value.message and "refused" in caught.value.message


def test_what_ray_says_of_tokens_and_versions_is_said_with_what_to_do():
    code, _, hint = driver.reason(Exception("RPC error: InvalidAuthToken: it is missing or incorrect"))
    assert code == "access-denied"
    assert "RAY_AUTH_MODE=token" in hint
    mismatch = "Version mismatch: The cluster was started with:\n    Ray: 2.60.0\n    Python: 3.13.1\n"
    code, said, hint = driver.reason(RuntimeError(mismatch))
    assert code == "not-comparable"
    assert "Python: 3.13.1" in said
    assert hint
    code, said, hint = driver.reason(OSError("broken\nat length"))
    assert (code, hint) == ("unreachable", None)
    assert said.split(": ") == ["OSError", "broken"]


def test_without_ray_the_extra_is_named(monkeypatch):
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ray" else there(name))
    with refused("tool-missing", Argument("cluster")) as caught:
        Cluster("127.0.0.1:1")
    assert "'iowatt[cluster]'" in caught.value.hint
