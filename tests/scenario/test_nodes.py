"""Controller nodes: their keys, what contradicts them, and the watts of one that is lost."""

from __future__ import annotations

import pytest

import iowatt
from iowatt.base.problems import DocumentError
from iowatt.model.scenario import compile_plan, load

TEXT = """\
name = "n"
[[workload]]
name = "w"
profile = { name = "uniform", rate_iops = 50, duration = "20s" }
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 4
raid = { level = 5 }
[array.controller]
processing = { read = "1ms", write = "2ms", processors = 8 }
cache = { size = "64MiB", write = "back" }
nodes = { count = 4, mesh = { bandwidth = "1GB/s", latency = "2us" } }
[[array.power.enclosure]]
name = "head"
slots = 4
pools = ["disks"]
part = [
    { name = "node", kind = "controller", idle = "60W", active = "100W", law = "utilisation", count = 4 },
    { name = "board", kind = "controller", idle = "10W", count = 4 },
]
[observe]
duration = "20s"
"""


def test_nodes_in_the_plan():
    nodes = compile_plan(load(TEXT))["simulation"]["controller"]["nodes"]
    assert nodes == {
        "count": 4,
        "mesh_bytes_per_s": 1e9,
        "mesh_latency_s": 2e-6,
        "ownership": {"by": "volume"},
    }
    by_extent = ["array.controller.nodes.ownership=extent", "array.controller.nodes.extent=1MiB"]
    nodes = compile_plan(load(TEXT, by_extent))["simulation"]["controller"]["nodes"]
    assert nodes["ownership"] == {"by": "extent", "bytes": 2**20}


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ("array.controller.processing.processors=6", "array.controller.processing.processors"),
        ('array.controller.cache.mirror={bandwidth="1GB/s"}', "array.controller.cache.mirror"),
    ],
)
def test_contradictions(change, place):
    with pytest.raises(DocumentError) as caught:
        load(TEXT, [change])
    assert [(one.code, ".".join(map(str, one.path))) for one in caught.value.problems] == [
        ("conflict", place)
    ]


def test_a_lost_node_draws_nothing():
    """Of four nodes one is away for a quarter of the 20 s: a sixteenth of the joules at rest."""
    lost = iowatt.run(TEXT, set=['array.controller.loss=[{of="controller", at="10s", back="15s"}]'])
    whole = iowatt.run(TEXT)
    boards = [run.summary["energy"]["by_component_j"]["head.board"] for run in (whole, lost)]
    assert boards == [pytest.approx(4 * 10.0 * 20.0), pytest.approx(4 * 10.0 * 20.0 * 15 / 16)]
    nodes = [run.summary["controller"]["nodes"] for run in (whole, lost)]
    assert [len(each) for each in nodes] == [4, 4]
    assert nodes[1][3]["requests"] < nodes[0][3]["requests"]
    assert lost.summary["controller"]["losses"][0]["written_through"] == 0
