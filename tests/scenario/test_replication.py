"""Replication: its keys, what contradicts them, and that a synchronous write takes local + way + remote."""

from __future__ import annotations

import pytest

from iowatt.base.problems import DocumentError
from iowatt.model.scenario import compile_plan, load
from iowatt.model.scenario.describe import describe
from iowatt.model.scenario.path_alone import alone
from path_runs import simulate, trace

KIB = 1024
TEXT = """\
name = "r"
[[workload]]
name = "oltp"
volume = "db"
trace = { path = "t.csv" }
[[array.pool]]
name = "disk"
device = "arrays2002-disk"
count = 1
[[array.pool]]
name = "remote"
device = "arrays2002-disk"
count = 1
[[array.volume]]
name = "db"
pool = "disk"
capacity = "1GB"
[[array.volume]]
name = "copy"
pool = "remote"
capacity = "1GB"
[[path]]
name = "wan"
protocol = "fcp"
hop = [{ link = "fc-8g", distance = "100km" }]
"""
DR = """\
[[replication]]
name = "dr"
volumes = ["db"]
path = "wan"
mode = "synchronous"
"""


def compiled(text, *sets):
    return compile_plan(load(TEXT + text, sets, traces_must_exist=False))


def refusal(text, *sets):
    with pytest.raises(DocumentError) as caught:
        load(TEXT + text, sets, traces_must_exist=False)
    return [(one.code, ".".join(map(str, one.path))) for one in caught.value.problems]


def test_a_replication_in_the_plan():
    plan = compiled(DR, 'replication.copies=["copy"]', "replication.service=60us")
    simulation = plan["simulation"]
    assert "paths" not in simulation and simulation["workloads"][0].get("path") is None
    (one,) = simulation["replications"]
    path = one.pop("path")
    assert path["hops"][0]["latency_s"] == pytest.approx(500e-6)
    assert one == {
        "volumes": [{"volume": 0, "copy": 1}],
        "mode": {"kind": "synchronous", "when_lost": "suspend"},
        "service_s": 60e-6,
        "outstanding": 64,
        "extent_bytes": 64 * KIB,
        "outages": [],
    }
    (names,) = plan["names"]["replications"]
    assert (names["name"], names["copies"], names["path"]["name"]) == ("dr", ["copy"], "wan")


def test_modes():
    def mode(text):
        return compiled(DR, f"replication.mode={text}")["simulation"]["replications"][0]["mode"]

    assert mode('{name="synchronous", lost="wait"}') == {"kind": "synchronous", "when_lost": "wait"}
    journal = {"kind": "journal", "bytes": 2**30, "when_full": "suspend"}
    assert mode('{name="journal", size="1GiB"}') == journal
    assert mode('{name="cycles", period="30s"}') == {"kind": "cycles", "period_s": 30.0}


def test_a_host_path_and_one_of_a_replication_stand_apart():
    host = '[[path]]\nname = "san"\nprotocol = "fcp"\nhop = [{ link = "fc-8g" }]\n'
    plan = compiled(host + DR)
    assert [one["name"] for one in plan["names"]["paths"]] == ["san"]
    assert plan["simulation"]["workloads"][0]["path"] == 0
    (checked,) = describe(load(TEXT + host + DR, traces_must_exist=False)).replications
    assert checked.path.name == "wan" and checked.path.workloads == []


@pytest.mark.parametrize(
    ("sets", "found"),
    [
        (["replication.path=van"], [("unknown-name", "replication.0.path")]),
        (['replication.volumes=["bd"]'], [("unknown-name", "replication.0.volumes.0")]),
        (['replication.copies=["db"]'], [("conflict", "replication.0.copies.0")]),
        (['replication.copies=["copy", "copy"]'], [
            ("conflict", "replication.0.copies"),
            ("conflict", "replication.0.copies.1"),
        ]),
        (['replication.copies=["copy"]', "array.volume.copy.capacity=1MB"], [
            ("conflict", "replication.0.copies.0")
        ]),
        (["replication.extent=100"], [("out-of-range", "replication.0.extent")]),
        (['replication.outage=[{at="5s", back="4s"}]'], [("out-of-range", "replication.0.outage.0.back")]),
        (['replication.outage=[{at="5s"}, {at="6s"}]'], [("conflict", "replication.0.outage.1.at")]),
        (['path.wan.workloads=["oltp"]'], [("conflict", "path.0.workloads")]),
    ],
)  # fmt: skip
def test_contradictions(sets, found):
    assert refusal(DR, *sets) == found


def test_two_replications_need_two_paths():
    second = DR.replace('"dr"', '"dr2"').replace('["db"]', '["copy"]')
    assert refusal(DR + second) == [("conflict", "replication.1.path")]


@pytest.mark.parametrize(
    "protocol",
    ['"fcp"', '{ name = "fcp", first_burst = "1MiB" }', '"nvme-fc"', '{ name = "fcp", burst = "16KiB" }'],
)
def test_a_synchronous_write_takes_the_way_and_the_remote_service(tmp_path, protocol):
    """This array answers zeros in no time, which leaves the path of ``iowatt check`` and the service."""
    sizes = [4 * KIB, 64 * KIB, 256 * KIB]
    text = "\n".join(
        [
            'name = "r"',
            trace(tmp_path, "w", [(0.1 * (1 + i), "W", size) for i, size in enumerate(sizes)]),
            '[[array.pool]]\nname = "disk"\ndevice = "arrays2002-disk"\ncount = 1',
            "[array.controller]\nzero_detect = true",
            f'[[path]]\nname = "wan"\nprotocol = {protocol}\nhba = "emulex-lpe12002"',
            'hop = [{ link = "fc-8g" }, { switch = "brocade-6510" }, { link = "fc-8g", distance = "80km" }]',
            '[[replication]]\nname = "dr"\nvolumes = ["disk"]\npath = "wan"\nmode = "synchronous"',
            'service = "75us"',
        ]
    )
    raw = simulate(text, tmp_path)
    path = raw["plan"]["simulation"]["replications"][0]["path"]
    expected = sorted(alone(path, size, write=True) + 75_000 for size in sizes)
    write = raw["summary"]["total"]["response"]["write"]
    assert write["count"] == len(sizes)
    assert round(write["mean_s"] * 1e9 * len(sizes)) == sum(expected)
    assert round(write["max_s"] * 1e9) == expected[-1]
