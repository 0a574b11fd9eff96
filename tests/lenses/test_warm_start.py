"""What starts with knowledge of its work is said to, by Runs and by costs; what starts without it is not."""

from __future__ import annotations

import pytest

import iowatt
from iowatt.lenses.cost.systems.of_run import observe
from iowatt.lenses.findings import findings
from iowatt.lenses.warm_start import warm_starts
from iowatt.pages.run.comparison import reservations

SCENARIO = """name = "warm"
[[workload]]
name = "oltp"
profile = {{ name = "uniform", requests = 40, rate_iops = 50, span = "1GB" }}
[[array.pool]]
name = "ssds"
device = "intel-dc-s3700-800gb"
count = 2
raid = {{ level = 1 }}
[[array.pool]]
name = "disks"
device = "toshiba-mg04sca500e"
count = 3
raid = {{ level = 5, stripe_unit = "64KiB" }}
[[array.virtual_pool]]
name = "both"
scheme = "{scheme}"
extent = "1MiB"
initial = "{initial}"
fast = {{ pool = "ssds" }}
slow = {{ pool = "disks" }}
"""


@pytest.mark.parametrize(
    ("scheme", "initial", "cold"),
    [
        ("caching", "hot", '"empty"'),
        ("caching", "first-touch", '"empty"'),
        ("caching", "empty", None),
        ("tiering", "hot", '"cold"'),
        ("tiering", "random", None),
    ],
)
def test_a_start_with_knowledge_of_the_work_is_told_with_the_key_that_starts_without(scheme, initial, cold):
    run = iowatt.run(SCENARIO.format(scheme=scheme, initial=initial))
    said = list(warm_starts(run))
    assert len(said) == (cold is not None) and all(cold in text and "both" in text for text in said)
    warned = [one.text for one in findings(run) if one.decides]
    assert all(any(text in one for one in warned) for text in said)
    assert [(one.code, one.text, one.decides) for one in observe(run).cautions] == [
        ("warm-start", text, True) for text in said
    ]
    told = reservations([run, run], ["this", "that"])
    assert [any(text in one for one in told) for text in said] == [True] * len(said)
    assert len(told) == 2 * len(said)


def test_dollars_of_a_saturated_system_repeat_that_it_is():
    """One disk under all that it can do: its response times are of no use to a buyer."""
    text = (
        'name = "busy"\n[[workload]]\nname = "w"\n'
        'profile = { name = "uniform", requests = 2000, rate_iops = 1000 }\n'
        'replay = { mode = "closed", outstanding = 8 }\n'
        "[[array.pool]]\nname = 'd'\ndevice = 'toshiba-mg04sca500e'\ncount = 1\n"
    )
    codes = [note.code for note in observe(iowatt.run(text)).cautions]
    assert "busy-drives" in codes
