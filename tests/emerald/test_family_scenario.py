"""Configurations of a family, and each as a scenario: what can be built, what it says, and that it runs."""

from __future__ import annotations

import pickle
import re
import tomllib
from pathlib import Path

import pytest
from tiny_family import FAMILY, OUT, family

from iowatt.base.document import TomlDocument
from iowatt.base.errors import Argument
from iowatt.emerald.bff import BffRequest
from iowatt.emerald.bff.search import Search
from iowatt.emerald.family import (
    Candidate,
    Group,
    all_metrics,
    candidates,
    find_metric,
    problem,
    scenario_text,
    shelves,
    warmup_requests,
)
from iowatt.emerald.family.scenario import nominal_iops
from iowatt.emerald.rules import load as rules
from iowatt.evaluate import evaluation
from iowatt.evaluate.search.tasks.evaluator import Evaluator
from iowatt.model.scenario.keys.scenario import Scenario
from refused import refused

MIRRORS = '\n[[raid]]\nname = "mirrors"\nlevel = 10\n'
SETS = '\n[[raid]]\nname = "sets"\nlevel = 5\nwidth = 4\nchunklet = "64MiB"\n'
TALL = """
[[shelf]]
name = "tall"
slots = 3
form_factor = "3.5"

[[drive]]
name = "big"
device = "hotband2013-15k"
shelf = "tall"
"""
WORK = """
[controller.work]
processing = { read = "20us", write = "30us" }
host_bandwidth = "1GB/s"
back_end = { command = "10us", write_command = "5us" }
cache = { size = "1MiB", line = "8KiB", write = "back", high_watermark = 0.5, low_watermark = 0.2, destage_outstanding = 8, mirror = { bandwidth = "500MB/s" } }
"""  # noqa: E501


def one(count, raid="stripes", nodes=1):
    return Candidate("only", (Group("disk", count, raid),), nodes)


def text_of(found, candidate, of, **more):
    return tomllib.loads(scenario_text(found, candidate, of, **more))


def test_by_shelves_and_by_drives(tmp_path):
    found = family(tmp_path, FAMILY.replace("= 16 }", "= 14 }") + MIRRORS + SETS)

    def counts(**more):
        return [c.drives for c in candidates(found, **more)]

    assert counts(raid="stripes") == [4, 8, 12, 14]
    assert counts(raid="stripes", by="drive") == [*range(1, 15)]
    assert counts(raid="mirrors", by="drive") == [4, 6, 8, 10, 12, 14]
    assert counts(raid="sets", by="drive") == [*range(4, 15)]
    assert len(counts()) == 12
    with refused("unknown-name", Argument("raid")):
        candidates(found, raid="raid-9")


def test_mirrors_leave_a_slot_free_where_a_shelf_has_an_odd_number(tmp_path):
    found = family(tmp_path, FAMILY.replace("slots = 4", "slots = 5") + MIRRORS)
    assert [c.drives for c in candidates(found, raid="mirrors")] == [4, 10, 14, 16]


def test_what_cannot_be_built_is_said(tmp_path):
    found = family(tmp_path, FAMILY.replace("[[drive]]", '[[drive]]\nraid = ["stripes"]', 1) + MIRRORS)
    assert problem(found, one(16)) is None
    assert "'only'" in str(problem(found, one(17))) and "16" in str(problem(found, one(17)))
    assert "mirrors" in str(problem(found, one(4, "mirrors")))
    most = family(tmp_path, FAMILY.replace("slots = 4", "slots = 4\nmost = 2"))
    assert re.search(r"\b3\b.*'small'", str(problem(most, one(9))))
    assert [c.drives for c in candidates(most)] == [4, 8]


def test_every_metric_is_a_scenario_that_can_be_run(tmp_path):
    found = family(tmp_path, FAMILY + MIRRORS + SETS, sets=["test.mixes=[60]", "test.capacity_share=0.5"])
    for candidate in (one(8), one(6, "mirrors"), one(9, "sets")):
        for what in all_metrics(found):
            text = scenario_text(found, candidate, what)
            parsed = TomlDocument(text, what.name).validate(Scenario)
            evaluation.prepare(parsed, tmp_path, text)
            assert parsed.name.startswith(f"tiny-{what.key}-only-")


def test_a_scenario_says_what_the_family_does(tmp_path):
    found = family(tmp_path, FAMILY.replace('supply = { rating = "1kW", efficiency = 0.8 }', WORK, 1))
    read = text_of(found, one(6), "RR", rate_iops=300.0)
    (pool,), (load,) = read["array"]["pool"], read["workload"]
    assert (pool["count"], pool["raid"]["level"], pool["device"]) == (6, 0, "drive.toml")
    assert load["profile"] == {"name": "emerald-1.0-rr", "rate_iops": 300.0, "requests": 700}
    head, shelf = read["array"]["power"]["enclosure"]
    assert (head["count"], shelf["count"], shelf["pools"]) == (1, 2, [pool["name"]])
    assert read["array"]["controller"]["back_end"] == {"command": "10us", "write_command": "5us"}
    mixed = text_of(family(tmp_path, sets=["test.mixes=[60]"]), one(6), "60/40")
    assert mixed["workload"][0]["profile"]["set"] == ["stream.mw1.read_share=60"]
    stream = text_of(found, one(6), "SR")["workload"][0]["profile"]
    assert 'arrivals={law="closed",outstanding=4}' in stream["set"]
    assert "workload" not in text_of(found, one(6), "RI")


def test_a_write_back_cache_is_filled_before_it_counts(tmp_path):
    found = family(tmp_path, FAMILY.replace('supply = { rating = "1kW", efficiency = 0.8 }', WORK, 1))
    by = {what.name: what for what in all_metrics(found)}
    # 128 lines, half of them dirty: four times 64 writes, and as many requests as bring those
    assert warmup_requests(found, one(6), by["RW"]) == 100 + 256
    assert warmup_requests(found, one(6), by["MW1"]) == 100 + 854
    assert warmup_requests(found, one(6), by["RR"]) == 100


def test_the_nominal_rate_counts_the_commands_of_a_level(tmp_path):
    found = family(tmp_path, FAMILY + SETS)
    by = {what.name: what for what in all_metrics(found)}
    assert nominal_iops(found, one(8), by["RR"]) == 800
    assert nominal_iops(found, one(8, "sets"), by["RW"]) == 200
    assert nominal_iops(found, one(8), by["MW2"]) == 200


def test_nodes_do_together_what_each_does_and_a_hop_more(tmp_path):
    text = FAMILY.replace('supply = { rating = "1kW", efficiency = 0.8 }', WORK, 1) + OUT
    found = family(tmp_path, text)
    assert [(c.nodes, c.drives) for c in candidates(found)][:2] == [(1, 4), (2, 8)]
    alone, four = (text_of(found, one(4 * n, nodes=n), "RR") for n in (1, 4))
    assert alone["array"]["controller"]["processing"]["read"] == "20us"
    work = four["array"]["controller"]
    # three of four requests are another node's: 20 us and 3/4 of 1 ms
    assert work["processing"] == {"read": "770us", "write": "780us", "processors": 4}
    assert work["back_end"] == {
        "command": "10us",
        "write_command": "5us",
        "processors": 4,
        "write_processors": 4,
    }
    assert work["host_bandwidth"] == "4000000000B/s"
    assert (work["cache"]["size"], work["cache"]["destage_outstanding"]) == (f"{4 << 20}B", 32)
    assert work["cache"]["mirror"] == {"bandwidth": "2000000000B/s"}
    assert [e["count"] for e in four["array"]["power"]["enclosure"]] == [4, 4]
    text = scenario_text(found, one(16, nodes=4), "RR")
    evaluation.prepare(TomlDocument(text, "nodes").validate(Scenario), tmp_path, text)


def test_several_types_of_drives_share_the_load_by_capacity(tmp_path):
    found = family(tmp_path, FAMILY.replace('{ "2.5" = 16 }', '{ "2.5" = 16, "3.5" = 6 }') + TALL)
    both = Candidate("only", (Group("disk", 12, "stripes"), Group("big", 4, "stripes")))
    assert shelves(found, both) == {"small": 3, "tall": 2}
    read = text_of(found, both, "RR", rate_iops=1000.0)
    rates = [load["profile"]["rate_iops"] for load in read["workload"]]
    assert rates == pytest.approx([500.0, 500.0], rel=1e-6)  # 12 x 100 GB and 4 x 300 GB
    assert [pool["count"] for pool in read["array"]["pool"]] == [12, 4]
    evaluation.prepare(
        TomlDocument(scenario_text(found, both, "SW"), "both").validate(Scenario),
        tmp_path,
        scenario_text(found, both, "SW"),
    )


def test_a_load_that_nobody_tuned_is_a_closed_loop(tmp_path):
    named = (
        '\n[[configuration]]\nname = "raw"\ncontroller = "only"\noutstanding = 12\n'
        'group = [{ drive = "disk", count = 8, raid = "stripes" }]\n'
    )
    read = text_of(family(tmp_path, FAMILY + named), one(8), "RR", configuration="raw")
    assert read["workload"][0]["profile"]["set"] == ['arrivals={law="closed",outstanding=12}']
    assert read["observe"] == {"warmup": "auto"}


def test_a_point_travels_as_a_plain_value(tmp_path):
    found = family(tmp_path)
    search = Search(BffRequest(found), rules("emerald-1.0.0"), Evaluator(None, None, None, 1, None, 0), None)
    task = search._task(find_metric(found, "RR"), one(8), None)
    again = pickle.loads(pickle.dumps(task))
    assert again == task and [Path(file.path).name for file in task.files] == ["drive.toml"]
    assert task.key == search._task(find_metric(found, "RR"), one(8), None).key
    (tmp_path / "drive.toml").write_text((tmp_path / "drive.toml").read_text() + "\n# changed\n")
    other = Search(BffRequest(found), rules("emerald-1.0.0"), Evaluator(None, None, None, 1, None, 0), None)
    assert other._task(find_metric(found, "RR"), one(8), None).key != task.key
