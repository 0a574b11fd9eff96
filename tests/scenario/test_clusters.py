"""Clusters: presets into plans, capacity by hand, watts by hand, and what is refused, with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from iowatt.base.problems import DocumentError
from iowatt.model.library import clusters as presets
from iowatt.model.library import servers
from iowatt.model.power import total
from iowatt.model.scenario import array_plan, check, compile_plan, load
from iowatt.model.scenario.cluster_pools import most_groups

EXAMPLES = Path(__file__).parents[2] / "examples"

SMALL = """
name = "small"
[observe]
duration = "1s"
[[cluster]]
name = "store"
[[cluster.node]]
name = "osd"
count = 6
server = "dell-poweredge-r6515"
[[cluster.pool]]
name = "nvme"
device = "intel-dc-p4510-4tb"
drives = 4
redundancy = { copies = 3 }
"""

SERVER = "dell-poweredge-r6515"
FAILURE = '[[cluster.failure]]\n{}\nat = "{}s"\n'


def problems(text: str) -> set[tuple[str, str]]:
    """Code and key path of everything that is wrong with a scenario."""
    with pytest.raises(DocumentError) as caught:
        load(text)
    return {(one.code, ".".join(map(str, one.path))) for one in caught.value.problems}


def changed(*pairs: tuple[str, str], more: str = "") -> str:
    text = SMALL
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text + more


def simulation(text: str) -> dict:
    return compile_plan(load(text))["simulation"]


def test_a_node_may_fail_before_its_rack():
    text = changed(more=FAILURE.format('node = "osd1"', 1) + FAILURE.format("rack = 0", 2))
    (cluster,) = simulation(text)["clusters"]
    assert [(one["unit"], one["at_s"]) for one in cluster["failures"]] == [("node", 1.0), ("rack", 2.0)]


def test_a_preset_becomes_the_plan_of_the_example():
    plan = compile_plan(load(EXAMPLES / "ceph-cluster.toml"), EXAMPLES)
    (cluster,) = plan["simulation"]["clusters"]
    # 25 Gbit/s, 1,500 of each 1,538 bytes; two nodes in each rack, 2:1.
    port = 3.125e9 * 1500 / 1538
    assert cluster == {
        "classes": [
            {
                "processors": 64, "request_s": 250e-6, "request_byte_s": 1 / 700e6, "operation_s": 250e-6,
                "operation_byte_s": 1 / 700e6, "code_byte_s": 1 / 5e9, "front_bytes_per_s": port,
                "back_bytes_per_s": port,
            }
        ],
        "nodes": [{"class": 0, "rack": number % 3} for number in range(6)],
        "network": {
            "client_latency_s": 50e-6, "rack_latency_s": 20e-6, "core_latency_s": 30e-6,
            "uplink_bytes_per_s": port, "message_bytes": 256,
        },
        "pools": [
            {
                "pool": 0, "node_of_drive": [number // 4 for number in range(24)], "failure_domain": "node",
                "copying": "primary", "reads": "primary", "acks": None,
            }
        ],
        "failures": [],
    }  # fmt: skip
    (pool,) = plan["simulation"]["pools"]
    member = 4 * 10**12 // 100 // 2**22 * 2**22
    assert pool["chunklets"] == {
        "bytes": member, "spare": 15,
        "regions": [{"raid": pool["raid"], "set_size": 3, "sets": 24 * 85 // 3}],
    }  # fmt: skip
    assert (pool["raid"]["level"], pool["raid"]["stripe_unit_bytes"], pool["count"]) == ("1", 2**22, 24)
    assert pool["recovery"] == {
        "spares": 0, "sparing": "distributed", "failures": [],
        "rebuild": {
            "delay_s": 600.0, "rate_bytes_per_s": None, "outstanding": 3, "step_bytes": 2**23,
            "priority": "host-first",
        },
    }  # fmt: skip
    assert [one["name"] for one in plan["names"]["devices"][3:5]] == ["ceph.osd0.3", "ceph.osd1.0"]


@pytest.mark.parametrize("name", presets.names())
def test_every_figure_of_a_preset_has_a_source(name):
    preset = presets.preset(name)
    tables = {"pool": preset.pool, "recovery": preset.recovery, "network": preset.network}
    tables["software"] = preset.software
    for table, figures in tables.items():
        for figure, value in figures:
            covered = any(one.covers(f"{table}.{figure}") for one in preset.source)
            assert covered == (value is not None), f"{table}.{figure}"


@pytest.mark.parametrize("name", servers.names("server"))
def test_every_figure_of_a_server_has_a_source(name):
    found = servers.server(name)
    about = {"name", "kind", "title", "assumptions", "notes", "source"}
    assert all(found.source_of(figure) for figure in found.model_fields_set - about)
    assert found.idle < found.busy


@pytest.mark.parametrize(
    ("redundancy", "domain", "usable"),
    [
        # 24 drives of 100 members of which 15 are reserve; a member is 40 GB in whole objects.
        ("{ copies = 3 }", "node", 24 * 85 // 3 * (4 * 10**12 // 100 // 2**22 * 2**22)),
        ("{ copies = 2 }", "drive", 24 * 85 // 2 * (4 * 10**12 // 100 // 2**22 * 2**22)),
        # Four units of 1 MiB of an object of 4 MiB.
        (
            '{ level = "ec", data = 4, parity = 2 }', "node",
            24 * 85 // 6 * 4 * (4 * 10**12 // 100 >> 20 << 20),
        ),
        # Three units of 1,366 KiB, rounded up to 4 KiB.
        (
            '{ level = "ec", data = 3, parity = 2 }', "node",
            24 * 85 // 5 * 3 * (4 * 10**12 // 100 // 1400832 * 1400832),
        ),
    ],
)  # fmt: skip
def test_usable_capacity_by_hand(redundancy, domain, usable):
    text = changed(("{ copies = 3 }", f'{redundancy}\nfailure_domain = "{domain}"'))
    found = compile_plan(load(text))
    (volume,) = found["simulation"]["volumes"]
    assert volume["capacity_bytes"] == usable // 512 * 512


def test_groups_over_unequal_domains():
    # Three copies over racks with room for 4, 4 and 2: each copy of a group in another rack.
    assert most_groups([4, 4, 2], 3) == 2
    assert most_groups([4, 4, 2], 2) == 5
    assert most_groups([10, 1, 1], 2) == 2
    assert most_groups([1, 1], 3) == 0


def test_codes_of_more_parity_and_local_groups_are_said_as_such():
    code = '{ level = "ec", data = 2, parity = 3, local_groups = 1 }'
    raid = simulation(changed(("{ copies = 3 }", code)))["pools"][0]["raid"]
    assert (raid["level"], raid["code"]) == ("ec", {"data": 2, "parity": 3, "local_groups": 1})


def test_nodes_that_join_leave_and_fail():
    more = """
[[cluster.node]]
name = "new"
count = 2
server = "dell-poweredge-r6515"
joins = "10s"
[[cluster.failure]]
node = "osd3"
at = "20s"
[[cluster.failure]]
rack = 1
at = "30s"
"""
    text = changed(
        ('name = "store"', 'name = "store"\nracks = 2'),
        ("redundancy", 'failure = [{ node = "new1", drive = 2, at = "5s" }]\nredundancy'), more=more,
    )  # fmt: skip
    found = simulation(text)
    (cluster,) = found["clusters"]
    assert cluster["nodes"][6:] == [
        {"class": 1, "rack": 0, "joins_at_s": 10.0},
        {"class": 1, "rack": 1, "joins_at_s": 10.0},
    ]
    assert cluster["failures"] == [
        {"unit": "node", "index": 3, "at_s": 20.0},
        {"unit": "rack", "index": 1, "at_s": 30.0},
    ]
    (pool,) = found["pools"]
    assert (pool["count"], pool["recovery"]["failures"]) == (32, [{"drive": 7 * 4 + 2, "at_s": 5.0}])
    # Drives that join later hold no placement group at the start.
    assert pool["chunklets"]["regions"][0]["sets"] == 24 * 85 // 3


def test_watts_at_the_wall_by_hand():
    path = EXAMPLES / "ceph-cluster.toml"
    plan = array_plan(path.read_text("utf-8"), str(path), EXAMPLES)
    # Six servers, adapters and four drives of 5 W behind supplies of 94 %, three switches.
    idle = 6 * (54.5 + (12.95 + 4 * 5) / 0.94) + 3 * 140
    assert total(plan, "normal", "idle").wall_w == pytest.approx(idle)
    busy = 6 * (231 + (12.95 + 4 * 14) / 0.94) + 3 * 140
    assert total(plan, "normal", "active").wall_w == pytest.approx(busy)
    found = check(path)
    assert found.power is not None and found.power.wall_idle_w == pytest.approx(idle)
    assert (found.drives, found.clusters[0].rack_units) == (24, 6 + 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (changed(("count = 6", "count = 2")), ("infeasible", "cluster.0.pool.0.failure_domain")),
        (
            changed(("{ copies = 3 }", '{ copies = 3 }\nfailure_domain = "rack"')),
            ("infeasible", "cluster.0.pool.0.failure_domain"),
        ),
        (changed(("redundancy = { copies = 3 }", "")), ("missing", "cluster.0.pool.0")),
        (
            changed(more='[[cluster.volume]]\nname = "v"\ncapacity = "28TB"\n'),
            ("out-of-range", "cluster.0.volume.0.capacity"),
        ),
        (
            changed(more='[[cluster.volume]]\nname = "v"\npool = "hdd"\n'),
            ("unknown-name", "cluster.0.volume.0.pool"),
        ),
        (changed(("drives = 4", "drives = 11")), ("out-of-range", "cluster.0.pool.0.drives")),
        (
            changed(("intel-dc-p4510-4tb", "seagate-exos-x18-16tb")),
            ("conflict", "cluster.0.pool.0.device"),
        ),
        (changed(("dell-poweredge-r6515", "dell-r6515")), ("unknown-name", "cluster.0.node.0.server.name")),
        (
            changed(('server = "dell-poweredge-r6515"', 'server = { idle = "50W", busy = "100W" }')),
            ("several", ""),
        ),
        (changed(('name = "store"', 'name = "store"\nracks = 7')), ("out-of-range", "cluster.0.racks")),
        (
            changed(("redundancy", "acknowledge = 4\nredundancy")),
            ("out-of-range", "cluster.0.pool.0.acknowledge"),
        ),
        (
            changed(("redundancy", "placement_groups = 10000\nobject_size = '1GiB'\nredundancy")),
            ("out-of-range", "cluster.0.pool.0.placement_groups"),
        ),
        (
            changed(more='[[cluster.failure]]\nnode = "osd6"\nat = "1s"\n'),
            ("unknown-name", "cluster.0.failure.0.node"),
        ),
        (changed(more='[[cluster.failure]]\nat = "1s"\n'), ("missing", "cluster.0.failure.0")),
        (
            changed(more=FAILURE.format('node = "osd1"', 1) + FAILURE.format('node = "osd1"', 2)),
            ("duplicate", "cluster.0.failure.1.node"),
        ),
        (
            changed(more=FAILURE.format("rack = 0", 2) + FAILURE.format("rack = 0", 1)),
            ("duplicate", "cluster.0.failure.1.rack"),
        ),
        (
            changed(more=FAILURE.format('node = "osd1"', 2) + FAILURE.format("rack = 0", 1)),
            ("duplicate", "cluster.0.failure.0.node"),
        ),
        (
            changed(
                ("{ copies = 3 }", '{ copies = 3 }\nfailure = [{ node = "osd1", drive = 0, at = "2s" }]'),
                more=FAILURE.format('node = "osd1"', 1),
            ),
            ("duplicate", "cluster.0.pool.0.failure.0.node"),
        ),
        (
            changed(
                more=f'[[cluster.node]]\nname = "new"\ncount = 1\nserver = "{SERVER}"\njoins = "5s"\n'
                + FAILURE.format('node = "new0"', 1)
            ),
            ("conflict", "cluster.0.failure.0.at"),
        ),
        (
            changed(more="[cluster.network]\noversubscription = 3\n"),
            ("not-applicable", "cluster.0.network.oversubscription"),
        ),
        (
            changed(more='[cluster.network]\nfront = "eth-26g"\n'),
            ("unknown-name", "cluster.0.network.front"),
        ),
        (
            changed(("{ copies = 3 }", '{ level = "ec", data = 3, parity = 2, local_groups = 2 }')),
            ("conflict", "cluster.0.pool.0.redundancy.local_groups"),
        ),
        (
            changed(more='[[array.pool]]\nname = "d"\ndevice = "intel-dc-p4510-4tb"\ncount = 1\n'),
            ("conflict", "array.pool"),
        ),
        ('name = "n"\n[observe]\nduration = "1s"\n', ("missing", "array")),
    ],
)  # fmt: skip
def test_what_is_refused(text, expected):
    found = problems(text)
    if expected[0] == "several":
        assert {code for code, _ in found} == {"missing-figure"} and len(found) == 4
    else:
        assert found == {expected}
