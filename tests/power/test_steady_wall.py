"""The wall from the drives' mean watts, against the calculator and against a Run of the same array."""

from __future__ import annotations

from pathlib import Path

import pytest

from iowatt import evaluation
from iowatt.power.calculator import total
from iowatt.power.plan import ArrayPlan
from iowatt.power.steady import wall_w
from iowatt.scenario.document import Document
from iowatt.scenario.model import Scenario

TEXT = """
name = "steady"

[[workload]]
name = "load"
profile = { name = "uniform", rate_iops = 300, duration = "20s" }

[[array.pool]]
name = "disks"
device = "hotband2013-15k"
count = 6
raid = { level = 5 }

[array.controller]
processing = { read = "500us", write = "500us" }

[[array.power.enclosure]]
name = "head"
part = [
    { name = "board", kind = "controller", idle = "90W", active = "150W", law = "utilisation" },
    { name = "port", kind = "adapter", idle = "5W", active = "9W", law = "throughput", full_iops = 1000 },
    { name = "meter", kind = "other", idle = "7W", basis = "wall" },
]
supply = { rating = "400W", efficiency = "80plus-gold" }

[[array.power.enclosure]]
name = "shelf"
slots = 4
pools = ["disks"]
part = [{ name = "midplane", kind = "enclosure", idle = "20W" }]
supply = { rating = "300W", efficiency = 0.8 }
"""


@pytest.fixture(scope="module")
def work():
    return evaluation.prepare(Document(TEXT, "steady.toml").validate(Scenario), Path(), TEXT)


def test_at_rest_it_is_the_calculators(work):
    plan = ArrayPlan.of(work.plan["power"])
    found = wall_w(plan, {"disks": plan.drives["disks"].idle_w}, processors=0.0)
    assert found == pytest.approx(total(plan, "normal", "idle")["wall_w"], rel=1e-12)


def test_at_work_it_is_that_of_a_run_with_the_same_means(work):
    summary = evaluation.simulate(work, inputs=list, started_at="now").summary
    found = wall_w(
        ArrayPlan.of(work.plan["power"]),
        {"disks": summary["power_w"]["mean"] / 6},
        iops=summary["throughput"]["iops"],
        bytes_per_s=summary["throughput"]["mib_per_s"] * (1 << 20),
        processors=summary["controller"]["processors"]["utilisation"],
    )
    assert found == pytest.approx(summary["power_w"]["wall_mean"], rel=1e-3)
