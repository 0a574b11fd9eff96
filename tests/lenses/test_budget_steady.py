"""Rates are of loads that lasted as long as the Run."""

from __future__ import annotations

import iowatt
from refused import refused

SCENARIO = """
name = "two"

[[workload]]
name = "short"
profile = { name = "uniform", rate_iops = 4000, duration = "100ms" }

[[workload]]
name = "long"
profile = { name = "uniform", rate_iops = 200, duration = "LONG" }

[[path]]
name = "san"
protocol = "fcp"
hop = [{ link = "fc-8g" }]

[[array.pool]]
name = "ssd"
device = "intel-dc-p3700-2tb"
count = 1
"""


def test_a_workload_that_ends_early_has_no_rate_on_an_axis():
    run = iowatt.run(SCENARIO.replace("LONG", "1s"))
    with refused("not-comparable", f"{run.name}: short") as caught:
        iowatt.budget(run, within=1e-3)
    assert "observe.duration" in caught.value.hint
    assert iowatt.budget(run).classes, "where time goes can be told"


def test_one_that_lasts_has_and_a_few_requests_do_not_matter():
    found = iowatt.budget(iowatt.run(SCENARIO.replace("LONG", "100ms")), within=1e-3)
    assert found.level.within_ms == 1
    few = iowatt.run(SCENARIO.replace("LONG", "5ms"))
    assert iowatt.budget(few, within=1e-3).classes
