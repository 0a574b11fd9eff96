"""Runs of clusters: requests, watts and rows are conserved, whatever fails meanwhile."""

from __future__ import annotations

import math

import pytest

import iowatt
from iowatt.base.errors import InputError
from iowatt.lenses.cost.systems.of_run import observe

SCENARIO = """
name = "c"
seed = 3
[observe]
duration = "6s"
[[workload]]
name = "w"
profile = { name = "uniform", rate_iops = 400, duration = "5s", set = ["stream.uniform.read_share=60"] }
[[cluster]]
name = "store"
racks = 3
software = { request = "200us", operation = "100us", code_rate = "5GB/s" }
[cluster.network]
front = "eth-25g"
back = "eth-10g"
rack_latency = "5us"
core_latency = "10us"
client_latency = "20us"
[[cluster.node]]
name = "osd"
count = 6
server = { name = "dell-poweredge-r6515", cores = 2 }
adapter = "intel-x520-da2"
price = 5000
[[cluster.pool]]
name = "nvme"
device = "intel-dc-p4510-4tb"
drives = 2
placement_groups = 50
redundancy = { copies = 3 }
[[cluster.volume]]
name = "v"
capacity = "100GB"
"""
EC = ["cluster.store.pool.nvme.redundancy={level='ec',data=4,parity=2}"]
FAILING = (
    SCENARIO.replace("redundancy =", 'recovery = { delay = "1min" }\nredundancy =')
    + '[[cluster.failure]]\nnode = "osd4"\nat = "2s"\n'
)


def components(run) -> dict[str, float]:
    """Joules by component."""
    found: dict[str, float] = {}
    for name, joules in run.table("energy").select("component", "energy_j").iter_rows():
        found[name] = found.get(name, 0.0) + joules
    return found


@pytest.mark.parametrize(
    ("text", "sets"), [(SCENARIO, []), (SCENARIO, EC), (FAILING, [])], ids=["copies", "code", "failing"]
)
def test_requests_and_watts_are_conserved(text, sets):
    run = iowatt.run(text, set=sets)
    summary = run.summary
    requests = summary["requests"]
    assert requests["count"] == summary["throughput"]["completions"] + requests["in_flight_at_end"]
    (cluster,) = summary["clusters"]
    pool = next(iter(summary["clusters"][0]["pools"]))
    assert sum(device["accesses"] for device in summary["devices"]) <= sum(
        node["operations"] for node in cluster["nodes"]
    )
    assert pool["drives"] == (10 if text is FAILING else 12)

    joules, span = components(run), 6.0
    names = {device["name"] for device in summary["devices"]}
    drives = math.fsum(joules[name] for name in names)
    on = 5 * span + (2.0 if text is FAILING else span)
    busy = math.fsum(node["utilisation"] for node in cluster["nodes"]) * span
    servers = 54.5 * on + (231 - 54.5) * busy
    adapters = 7.9 * on
    assert joules["store.osd.server"] == pytest.approx(servers, rel=1e-6)
    assert joules["store.osd.adapters"] == pytest.approx(adapters, rel=1e-6)
    lost = (drives + adapters) * (1 / 0.94 - 1)
    if text is not FAILING:  # adapters of a failed node lose nothing; supplies count those of all
        assert joules["store.osd.supplies"] == pytest.approx(lost, rel=1e-3)
    assert summary["energy"]["total_j"] == pytest.approx(math.fsum(joules.values()))


def test_watts_are_those_of_their_interval():
    """Before a failure as without it, in recovery above idle, and in the sum those of the components."""
    sound, failed = iowatt.run(SCENARIO), iowatt.run(FAILING.replace('delay = "1min"', 'delay = "0s"'))
    before, after = (run.table("intervals") for run in (sound, failed))
    assert after["wall_w"][:2].to_list() == before["wall_w"][:2].to_list()
    # No request is left in the last second; five servers and their adapters draw more than when idle.
    parts = (after["parts_j"] / (after["end_s"] - after["start_s"])).to_list()
    idle = 5 * (54.5 + 7.9)
    assert after["arrivals"][-1] == 0
    assert parts[-1] > idle + 0.1
    assert before["parts_j"][-1] == pytest.approx(6 * (54.5 + 7.9), abs=0.01)
    joules = components(failed)
    servers = math.fsum(joules[f"store.osd.{part}"] for part in ("server", "adapters"))
    assert math.fsum(after["parts_j"]) == pytest.approx(servers, rel=1e-9)


def test_a_write_is_written_as_often_as_its_redundancy_says():
    copies, code = iowatt.run(SCENARIO), iowatt.run(SCENARIO, set=EC)
    for run, least in ((copies, 3), (code, 1.5)):
        written = sum(device["bytes_written"] for device in run.summary["devices"])
        assert written >= least * run.summary["requests"]["bytes_written"]
    assert copies.summary["capacity_gb"]["usable"] < code.summary["capacity_gb"]["usable"]


def test_many_drives_have_a_row_for_each_node():
    small = ["cluster.store.pool.nvme.drives=2", "cluster.store.pool.nvme.placement_groups=20"]
    large = [
        "cluster.store.pool.nvme.drives=10", "cluster.store.pool.nvme.placement_groups=20",
        "cluster.store.node.osd.count=60",
    ]  # fmt: skip
    few, many = iowatt.run(SCENARIO, set=small), iowatt.run(SCENARIO, set=large)
    assert [one["name"] for one in few.summary["devices"][:3]] == [
        "store.osd0.0",
        "store.osd0.1",
        "store.osd1.0",
    ]
    rows = many.summary["devices"]
    assert (len(rows), {one["drives"] for one in rows}, rows[1]["name"]) == (60, {10}, "store.osd1")
    assert many.summary["capacity_gb"]["raw"] == 600 * 4000
    for row in rows:
        assert math.fsum(row["state_time_s"].values()) == pytest.approx(6.0)
    # Five watts a drive when idle: a row is of ten.
    assert all(row["energy_j"]["idle"] == pytest.approx(50 * row["state_time_s"]["idle"]) for row in rows)
    priced = observe(many)
    assert sum(drive.count for drive in priced.drives) == 600
    assert (priced.parts["store.osd"], priced.part_prices["store.osd"]) == (60, 5000)


def test_a_code_without_room_for_failures_says_what_is_lost():
    text = SCENARIO.replace("{ copies = 3 }", "{ copies = 2 }").replace("racks = 3", "racks = 2")
    text = text.replace('name = "nvme"', 'name = "nvme"\nfailure_domain = "rack"')
    text += '[[cluster.failure]]\nrack = 0\nat = "1s"\n[[cluster.failure]]\nrack = 1\nat = "1s"\n'
    with pytest.raises(InputError) as caught:
        iowatt.run(text)
    assert (caught.value.code, caught.value.place) == ("data-loss", "cluster.store.failure")
