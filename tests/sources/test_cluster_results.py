"""What nodes did, with names and shares by hand, and drives that are taken together by node."""

from __future__ import annotations

import numpy as np
import pytest

from iowatt.sources.simulation import groups
from iowatt.sources.simulation.clusters import busy_courses, clusters

S = 10**9
NAMES = {
    "pools": ["nvme"],
    "clusters": [
        {
            "name": "c", "preset": None, "switches": None,
            "classes": [{"name": "a", "count": 1}, {"name": "b", "count": 2}],
            "pools": [{"name": "nvme", "redundancy": "2 copies", "failure_domain": "node"}],
        }
    ],
}  # fmt: skip
PORT = {"bytes_in": 10, "bytes_out": 20, "busy_in_ns": S // 2, "busy_out_ns": S, "wait_ns": 3 * S}


def drive(active_s):
    return {"state_ns": {"active": active_s * S, "positioning": 0, "idle": (10 - active_s) * S}}


def found():
    """Ten seconds of three nodes with two cores each, of a kind of one and a kind of two."""
    kind = {"processors": 2, "front_bytes_per_s": 1e9, "back_bytes_per_s": None}
    simulation = {
        "pools": [{"count": 6}],
        "clusters": [
            {
                "classes": [kind, {**kind, "front_bytes_per_s": None}],
                "nodes": [{"class": 0, "rack": 0}, {"class": 1, "rack": 0}, {"class": 1, "rack": 1}],
                "network": {"uplink_bytes_per_s": 1e9},
                "pools": [{"pool": 0, "node_of_drive": [0, 0, 1, 1, 2, 2]}],
            }
        ],
    }
    nodes = [
        {
            "requests": 10, "operations": 30, "processor_busy_ns": busy * S, "processor_wait_ns": 2 * S,
            "front": PORT, "back": None,
        }
        for busy in (10, 4, 2)
    ]  # fmt: skip
    placed = {"pool": 0, "members": 60, "least_of_drive": 9, "most_of_drive": 11, "drives": 6}
    move = {"node": 2, "at_ns": S, "finished_ns": None, "members": 4, "moved": 3, "moved_bytes": 7}
    summary = {
        "window": {"start_ns": 0, "end_ns": 10 * S},
        "devices": [drive(active) for active in (1, 3, 0, 0, 5, 5)],
        "clusters": [{"nodes": nodes, "uplinks": [PORT, PORT], "pools": [{**placed, "moves": [move]}]}],
    }
    return clusters(NAMES, simulation, summary)


def test_busy_shares_and_names_of_nodes():
    (cluster,) = found()
    assert [(node.name, node.kind, node.rack) for node in cluster.nodes] == [
        ("a0", "a", 0), ("b0", "b", 0), ("b1", "b", 1),
    ]  # fmt: skip
    # 10 s busy on two cores of 10 s; 2 s of waiting over 40 pieces of work.
    assert [node.utilisation for node in cluster.nodes] == [0.5, 0.2, 0.1]
    assert cluster.nodes[0].wait_mean_ms == 50.0
    assert (cluster.nodes[0].front.utilisation_in, cluster.nodes[0].front.utilisation_out) == (0.05, 0.1)
    assert cluster.nodes[1].front.utilisation_in is None
    assert [node.drives and (node.drives.least, node.drives.most) for node in cluster.nodes] == [
        (0.1, 0.3), (0.0, 0.0), (0.5, 0.5),
    ]  # fmt: skip


def test_busy_shares_of_kinds_of_nodes_by_interval():
    plan = {"names": NAMES, "simulation": {"clusters": [{"classes": [{"processors": 2}, {"processors": 4}]}]}}
    intervals = {
        "start_ns": np.array([0, 4 * S]), "end_ns": np.array([4 * S, 5 * S]),
        "node_busy_0_ns": np.array([2 * S, S]), "node_busy_1_ns": np.array([8 * S, 0]),
    }  # fmt: skip
    found = busy_courses(plan, intervals)
    assert {name: list(shares) for name, shares in found.items()} == {
        "cluster.c.a": [0.25, 0.5],
        "cluster.c.b": [0.25, 0.0],
    }


def test_moves_and_placement():
    (cluster,) = found()
    (pool,) = cluster.pools
    assert (pool.name, pool.members, pool.least_of_drive, pool.most_of_drive) == ("nvme", 60, 9, 11)
    (move,) = pool.moves
    assert (move.node, move.at_s, move.finished_s, move.moved, move.moved_bytes) == ("b1", 1.0, None, 3, 7)


def test_drives_of_a_node_as_one_row():
    flash = {
        "modelled": True, "host_bytes_written": 10, "flash_bytes_written": 30, "write_amplification": 3.0,
        "erase_count_max": 4, "erase_count_min": 1, "erase_count_mean": 2.0, "pe_cycles_fraction": 0.1,
        "energy_by_operation_j": {"read": 1.0},
    }  # fmt: skip
    one = {
        "reads": 3, "state_ns": {"idle": 6, "active": 4}, "energy_j": {"idle": 1.0, "active": None},
        "level_ns": [8], "level_j": [2.0], "wear_fraction": 0.2, "flash": flash, "idle_periods": {},
    }  # fmt: skip
    other = {
        **one, "reads": 5, "state_ns": {"idle": 10, "active": 0}, "wear_fraction": 0.4,
        "flash": {**flash, "flash_bytes_written": 50, "erase_count_max": 9, "erase_count_min": 0},
    }  # fmt: skip
    first, alone = groups.grouped([{"drives": 2}, {}], [one, other, one])
    assert alone == one
    assert first["reads"] == 8
    assert first["state_ns"] == {"idle": 8.0, "active": 2.0}
    assert first["energy_j"] == {"idle": 2.0, "active": None}
    assert (first["level_ns"], first["level_j"], first["wear_fraction"]) == (
        [8.0],
        [4.0],
        pytest.approx(0.3),
    )
    assert first["flash"] == {
        **flash, "host_bytes_written": 20, "flash_bytes_written": 80, "write_amplification": 4.0,
        "erase_count_max": 9, "erase_count_min": 0, "energy_by_operation_j": {"read": 2.0},
    }  # fmt: skip
