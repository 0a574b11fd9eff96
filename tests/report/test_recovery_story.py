"""What first lines and page of a Run say of failures: a rebuild, a delay, no spare, a node that joins."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import iowatt
from iowatt.lenses.recovery import moves
from iowatt.pages.run import brief, document, documents
from iowatt.render import numbers

EXAMPLES = Path(__file__).parents[2] / "examples"
FAILED = 'cluster.ceph.failure=[{node="osd3", at="1s"}]'
AT_ONCE = "cluster.ceph.pool.nvme.recovery.delay=0s"


def run(*changes, scenario="ceph-cluster.toml"):
    return iowatt.run(EXAMPLES / scenario, set=[*changes])


def phases(shown):
    return {one.key: one.value for one in shown.headlines if re.match("p95-", one.key)}


def test_a_node_whose_recovery_does_not_begin_says_when_it_would():
    made = run(FAILED)
    shown = brief(made)
    first = shown.verdict[0]
    assert made.summary["energy"]["above_idle_j"] < 0
    assert not any("less than if" in line for line in shown.verdict), "a failed server is no saving"
    assert "osd3" in first and "4 drives" in first and numbers.duration(600) in first
    assert set(phases(shown)) == {"p95-before", "p95-degraded"}


def test_a_recovery_says_how_far_it_came_and_what_it_did_to_response_times():
    made = run(FAILED, AT_ONCE, "observe.duration=2s")
    shown = brief(made)
    rebuilds = made.summary["rebuilds"]
    moved = sum(one["rebuilt_bytes"] for one in rebuilds)
    lost = sum(one["lost_bytes"] for one in rebuilds)
    first, second = shown.verdict[:2]
    assert numbers.with_unit(moved, "B") in first and numbers.with_unit(lost, "B") in first
    # From the failure to the end is 1 s.
    (minutes,) = re.findall(r"rest takes (\d+) min", first.replace("\u00a0", " "))
    assert int(minutes) == round((lost - moved) / moved / 60)
    percentiles = phases(shown)
    assert percentiles["p95-recovering"] > 10 * percentiles["p95-before"]
    assert numbers.with_unit(percentiles["p95-recovering"], "ms") in second


def test_a_rebuild_that_ended_is_marked_in_the_chart_that_decides():
    made = run("observe.duration=60s", scenario="chunklets.toml")
    shown = document(made)
    (rebuild,) = made.summary["rebuilds"]
    assert numbers.duration(rebuild["finished_s"] - rebuild["started_s"]) in shown.verdict[0]
    assert set(phases(shown)) == {"p95-before", "p95-recovering", "p95-after"}
    assert shown.chart.key == "response-over-time"
    # The axis is in seconds or minutes.
    lines = [shape["x0"] for shape in shown.chart.spec["layout"]["shapes"]]
    assert lines[1] / lines[0] == rebuild["finished_s"] / rebuild["failed_s"]
    figures = {figure.key: figure.table for figure in shown.sections[0].figures}
    assert figures["failures"].column("Share recovered") == [100.0]
    assert len(figures["recovery-phases"].rows) == 3


def test_marks_of_one_time_are_one_and_stand_above_the_lines():
    """The window goes on for a second after the last arrival, at 4 s."""
    chart = document(run(FAILED, AT_ONCE)).chart
    layout = chart.spec["layout"]
    marks = {one["x"]: one["text"] for one in layout["annotations"]}
    assert sorted(marks) == [1.0, 4.0] and "osd3 failed" in marks[1.0] and "begins" in marks[1.0]
    assert [one["x0"] for one in layout["shapes"]] == [one["x"] for one in layout["annotations"]]
    highest = max(value for trace in chart.spec["data"] for value in trace["y"] if value)
    top = layout["yaxis"]["range"][1]
    assert highest < 0.95 * (10**top if layout["yaxis"]["type"] == "log" else top)


def test_a_pool_without_spares_stays_degraded_and_a_comparison_says_so_first():
    made = run("array.pool.disks.spares=0", "observe.duration=24s", scenario="chunklets.toml")
    shown = brief(made)
    compared = documents([run("observe.duration=1s"), made])[0]
    assert compared.verdict[0].endswith(shown.verdict[0])
    assert "spare" in shown.verdict[0] and set(phases(shown)) == {"p95-before", "p95-degraded"}


def test_nothing_is_said_where_nothing_fails():
    shown = document(run("observe.duration=1s"))
    assert (
        not phases(shown) and shown.sections[0].key != "recovery" and shown.chart.key != "response-over-time"
    )
    assert "failed" not in " ".join(shown.verdict)


def test_the_fan_out_of_a_cluster_is_a_headline():
    made = run("observe.duration=1s")
    (fan_out,) = [one for one in brief(made).headlines if one.key == "fan-out-ceph"]
    # Three copies: three operations for a write, one for a read (a read or two may be cut by the end).
    requests = made.summary["requests"]
    assert fan_out.value == pytest.approx(
        (requests["reads"] + 3 * requests["writes"]) / requests["count"], rel=0.01
    )
    busiest = max(node["utilisation"] for node in made.summary["clusters"][0]["nodes"])
    assert numbers.percent(busiest) in fan_out.remark


def test_a_node_that_joins_says_what_moved(tmp_path):
    text = (EXAMPLES / "ceph-cluster.toml").read_text("utf-8")
    node = '[[cluster.node]]\nname = "new"\ncount = 1\nserver = "dell-poweredge-r6515"\njoins = "1s"\n\n'
    (tmp_path / "joins.toml").write_text(text.replace("[[cluster.pool]]", f"{node}[[cluster.pool]]"), "utf-8")
    made = iowatt.run(tmp_path / "joins.toml")
    (move,) = made.summary["clusters"][0]["pools"][0]["moves"]
    shown = brief(made)
    assert "new0" in shown.verdict[0] and numbers.with_unit(move["moved_bytes"], "B") in shown.verdict[0]
    # From 1 s on it moves: of the volume in three copies, the share of one node of seven.
    (one,) = moves(made)
    took = (move["finished_s"] or made.summary["window"]["end_s"]) - 1.0
    assert one.bytes_per_s == pytest.approx(move["moved_bytes"] / took)
    assert one.planned_bytes == pytest.approx(3 * 10e12 / 7, rel=0.1)
    left = (one.planned_bytes - one.moved_bytes) / one.bytes_per_s
    assert one.left_s == (None if move["finished_s"] is not None else pytest.approx(left))
    percentiles = phases(shown)
    assert set(percentiles) >= {"p95-before", "p95-moving"}
    assert numbers.with_unit(percentiles["p95-moving"], "ms") in shown.verdict[1]
    page = document(made)
    assert page.sections[0].key == "recovery" and page.chart.key == "response-over-time"
    assert 1.0 in [shape["x0"] for shape in page.chart.spec["layout"]["shapes"]]
