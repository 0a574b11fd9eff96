"""The estimator beside the simulator, its sanity, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iowatt.evaluate import evaluation
from iowatt.evaluate.estimate import Estimator, NotEstimated
from iowatt.evaluate.search.metrics.table import row_of_run
from iowatt.model.scenario import load
from iowatt.run import provenance
from refused import refused

BASE = Path()
EXAMPLES = Path(__file__).parents[2] / "examples"
#: Rate of an example and seconds simulated; and a low, a middle and a high load: of servers' cores, of disks.
CLUSTERS = {"ceph-cluster.toml": (4000, 1), "ec-cluster.toml": (300, 10)}
CLUSTER_RATES = {"ceph-cluster.toml": (4000, 20_000, 60_000), "ec-cluster.toml": (300, 900, 1500)}
ESTIMATOR = Estimator(BASE)


def scenario(
    *,
    device="hgst-ultrastar-c10k900-900gb",
    count=8,
    level=5,
    size="8KiB",
    reads=70,
    load="closed",
    outstanding=16,
    rate=300,
    requests=12_000,
    more="",
    pool="",
) -> str:
    replay = f'replay = {{ mode = "closed", outstanding = {outstanding} }}' if load == "closed" else ""
    return f"""
name = "estimated"
[[workload]]
name = "load"
volume = "data"
profile = {{ name = "uniform", requests = {requests}, rate_iops = {rate}, set = [
    "stream.uniform.read_share={reads}", "stream.uniform.size={size}"] }}
{replay}
[[array.pool]]
name = "disks"
device = "{device}"
count = {count}
raid = {{ level = {level} }}
{pool}
[[array.volume]]
name = "data"
pool = "disks"
{more}
"""


def prepared(text):
    return evaluation.prepare(load(text, base_dir=BASE), BASE, text)


def estimated(**given):
    return ESTIMATOR.of(prepared(scenario(**given)))


def simulated(**given):
    return row_of_run(
        evaluation.simulate(prepared(scenario(**given)), inputs=list, started_at=provenance.now())
    )


@pytest.mark.parametrize(
    "given",
    [
        {"level": 0, "reads": 100},
        {"level": 5},
        {"level": 5, "outstanding": 64, "count": 16},
        {"level": 6, "reads": 50, "size": "32KiB"},
        {"level": 10, "reads": 50},
        {"level": '"ec", data = 5, parity = 3'},
        {"level": '"ec", data = 4, parity = 2, local_groups = 2', "reads": 50},
        {"level": 0, "reads": 100, "size": "256KiB"},
        {"device": "intel-dc-s3700-800gb", "reads": 100, "outstanding": 64, "requests": 30_000},
        {"more": '[array.controller]\nback_end = { command = "2ms" }'},
    ],
    ids=str,
)
def test_a_closed_loop_is_estimated_within_a_tenth(given):
    estimate, row = estimated(**given).row, simulated(**given)
    assert estimate["throughput.iops"] == pytest.approx(row["throughput.iops"], rel=0.1)
    assert estimate["response_time_ms.all.mean"] == pytest.approx(row["response_time_ms.all.mean"], rel=0.1)
    above = row["power_w.mean"] - row["power_w.idle"]
    assert estimate["power_w.mean"] - estimate["power_w.idle"] == pytest.approx(above, rel=0.12)
    assert set(estimate) <= set(row)


def test_open_load_is_estimated_too():
    given = {"load": "open", "rate": 250}
    estimate, row = estimated(**given), simulated(**given)
    assert not estimate.saturated
    assert estimate.row["throughput.iops"] == pytest.approx(250)
    assert estimate.row["response_time_ms.all.mean"] == pytest.approx(
        row["response_time_ms.all.mean"], rel=0.2
    )


def test_a_saturated_array_has_a_rate_but_no_response_time():
    estimate = estimated(load="open", rate=1e6)
    assert estimate.saturated
    assert "response_time_ms.all.mean" not in estimate.row
    assert estimate.row["throughput.iops"] == pytest.approx(
        ESTIMATOR.most(prepared(scenario())).row["throughput.iops"], rel=1e-3
    )
    assert estimate.bottleneck.name == "disks"


def test_the_highest_rate_has_the_response_time_asked_for():
    found = ESTIMATOR.highest_rate(prepared(scenario()), 0.02)
    assert found.row["response_time_ms.all.mean"] == pytest.approx(20, rel=1e-3)
    assert found.row["throughput.iops"] == pytest.approx(found.row["rate_iops"])
    longer = ESTIMATOR.highest_rate(prepared(scenario()), 0.04)
    assert longer.row["rate_iops"] > found.row["rate_iops"]


def test_more_drives_and_more_outstanding_do_more():
    by_count = [estimated(count=count).row["throughput.iops"] for count in (4, 8, 16, 32)]
    by_load = [estimated(outstanding=n).row["throughput.iops"] for n in (1, 4, 16, 64, 256)]
    assert by_count == sorted(by_count)
    assert by_load == sorted(by_load)
    watts = [estimated(outstanding=n).row["power_w.mean"] for n in (1, 4, 16, 64)]
    assert watts == sorted(watts)


def test_raid_levels_cost_their_operations():
    most = {
        level: ESTIMATOR.most(prepared(scenario(level=level, reads=0))).row["throughput.iops"]
        for level in (0, 5, 6)
    }
    assert most[0] > 2.5 * most[5]
    assert most[5] > 1.3 * most[6]


def test_drives_are_benchmarked_once():
    own = Estimator(BASE)
    for count in (4, 8, 12):
        own.of(prepared(scenario(level=0, count=count)))
    assert own.benchmarks == 1


def test_an_idle_array_draws_its_idle_watts():
    text = scenario(more='[observe]\nduration = "10s"').split("[[workload]]")
    idle = text[0] + "[[array.pool]]" + text[1].split("[[array.pool]]")[1]
    row = ESTIMATOR.of(prepared(idle)).row
    assert row["power_w.mean"] == row["power_w.idle"] == pytest.approx(8 * 3.0)


def test_a_cache_spares_the_drives_reads_and_delays_writes():
    none, back = estimated(), estimated(more='[array.controller]\ncache = { size = "1GiB" }')
    assert back.row["throughput.iops"] > none.row["throughput.iops"]
    assert back.row["response_time_ms.write.mean"] < none.row["response_time_ms.write.mean"] / 10
    assert any("warm" in line for line in back.assumptions)


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"pool": 'spares = 1\nfailure = [{ drive = 0, at = "1s" }]'}, "array.pool.disks.failure"),
        (
            {
                "device": "arrays2002-disk",
                "pool": 'power = { policy = "fixed-threshold", threshold = "10s" }',
            },
            "array.pool.disks.power",
        ),
        ({"pool": "chunklet = true"}, "array.pool.chunklet"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_not_known_is_refused_by_name(given, place):
    with refused("unsupported", place, NotEstimated):
        estimated(**given)


def cluster(name, rate, more=""):
    own, seconds = CLUSTERS[name]
    text = (EXAMPLES / name).read_text("utf-8").replace(f"rate_iops = {own}", f"rate_iops = {rate}")
    return re.sub(r'duration = "\d+s"', f'duration = "{seconds}s"', text) + more


@pytest.mark.parametrize(
    ("name", "rate"),
    [(name, rate) for name, rates in CLUSTER_RATES.items() for rate in rates],
)
def test_a_healthy_cluster_is_estimated_beside_the_simulator(name, rate):
    work = prepared(cluster(name, rate))
    found = ESTIMATOR.of(work)
    row = row_of_run(evaluation.simulate(work, inputs=list, started_at=provenance.now()))
    assert not found.saturated
    assert found.row["power_w.wall_mean"] == pytest.approx(row["power_w.wall_mean"], rel=0.005)
    assert found.row["response_time_ms.all.mean"] == pytest.approx(row["response_time_ms.all.mean"], rel=0.06)
    assert found.row["response_time_ms.write.mean"] == pytest.approx(
        row["response_time_ms.write.mean"], rel=0.2
    )


def test_a_cluster_beyond_its_drives_is_saturated():
    found = ESTIMATOR.of(prepared(cluster("ec-cluster.toml", 20_000)))
    assert found.saturated and found.bottleneck.kind == "drives"


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ('[[cluster.failure]]\nnode = "osd1"\nat = "1s"\n', "cluster.ceph.failure"),
        (
            '[[cluster.node]]\nname = "new"\ncount = 1\nserver = "dell-poweredge-r6515"\njoins = "1s"\n',
            "cluster.ceph.node",
        ),
    ],
)
def test_a_cluster_that_changes_is_refused(more, place):
    with refused("unsupported", place, NotEstimated):
        ESTIMATOR.of(prepared(cluster("ceph-cluster.toml", 4000, more)))


def test_a_rate_without_a_workload_is_refused():
    text = scenario(more='[observe]\nduration = "10s"').split("[[workload]]")
    idle = text[0] + "[[array.pool]]" + text[1].split("[[array.pool]]")[1]
    with refused("unsupported", "workload", NotEstimated):
        ESTIMATOR.most(prepared(idle))


def test_a_recorded_trace_is_estimated_by_its_first_requests(tmp_path):
    trace = tmp_path / "one.csv"
    rows = (f"{i * 0.01},{i * 977 % 9000 * 4096},{8192},{'R' if i % 4 else 'W'}" for i in range(2000))
    trace.write_text("time_s,offset,size,op\n" + "\n".join(rows) + "\n")
    text = scenario(load="open").replace(
        text_of_profile(scenario(load="open")), f'trace = {{ path = "{trace}" }}'
    )
    estimate = ESTIMATOR.of(prepared(text))
    assert estimate.row["throughput.iops"] == pytest.approx(100, rel=0.01)
    assert any(" 2000 " in line for line in estimate.assumptions)


def text_of_profile(text: str) -> str:
    return text[text.index("profile = ") : text.index("] }") + 3]


@pytest.mark.parametrize("rate", [8, 400])
def test_a_drive_that_sleeps_by_itself_is_awake_as_often(rate):
    """At 4 reads a second it is awake a third of the time, at 200 all of it."""
    given = {
        "device": "samsung-960-evo-1tb",
        "count": 2,
        "level": 0,
        "reads": 100,
        "load": "open",
        "rate": rate,
    }
    drawn, found = simulated(**given, requests=4_000), estimated(**given, requests=4_000).row
    assert found["power_w.mean"] == pytest.approx(drawn["power_w.mean"], rel=0.05)
    assert drawn["power_w.idle"] == found["power_w.idle"] == pytest.approx(0.08)
