"""A budget over loads is of Runs that differ in their load alone."""

from __future__ import annotations

import re

import iowatt
from iowatt.base.errors import Argument
from refused import refused

SCENARIO = """
name = "one"

[[workload]]
name = "oltp"
profile = { name = "uniform", rate_iops = 2000, duration = "100ms", set = ["stream.uniform.size=SIZE"] }

[[path]]
name = "san"
protocol = "fcp"
hop = [{ link = "fc-8g" }]

[[array.pool]]
name = "ssd"
device = "intel-dc-p3700-2tb"
count = 1
"""


def run(*overrides, size="4KiB"):
    return iowatt.run(SCENARIO.replace("SIZE", size), set=overrides)


def test_another_system_is_refused_by_the_part_that_differs():
    with refused("not-comparable", re.compile(": paths$")):
        iowatt.budget(run(), run("path.san.queue_depth=4"))


def test_other_requests_are_refused():
    with refused("not-comparable", re.compile(": workload$")) as caught:
        iowatt.budget(run(), run(size="16KiB"))
    assert "16 KiB" in caught.value.message


def test_other_loads_are_what_it_is_for():
    found = iowatt.budget(run(), run("workload.oltp.profile.rate_iops=4000", "seed=2"))
    assert len(found.classes[0].loads) == 2


def test_a_statistic_without_a_level_is_refused():
    with refused("not-applicable", Argument("of")):
        iowatt.budget(run(), of="p99")


def test_the_rate_of_one_of_several_workloads_may_vary():
    writer = """
[[workload]]
name = "writer"
profile = { name = "uniform", rate_iops = 2000, duration = "100ms", set = ["stream.uniform.read_share=0"] }
"""
    text = SCENARIO.replace("SIZE", "4KiB") + writer
    found = iowatt.budget(text, rates=[1000, 8000], workload="writer", within=1e-3)
    assert all(len(one.loads) == 2 for one in found.classes)
