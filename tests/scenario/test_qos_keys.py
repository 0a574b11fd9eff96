"""Limits of volumes and turns in scenarios: plans, notes, refusals; and what a Run says of them."""

from __future__ import annotations

import pytest

from iowatt.base.problems import DocumentError
from iowatt.evaluate.estimate.unknown import NotEstimated, check_modelled
from iowatt.model.scenario import compile_plan, load
from noted import noted
from refused import faults

SCENARIO = """\
name = "qos-keys"
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 4
raid = {{ level = 10 }}
[[array.volume]]
name = "a"
pool = "disks"
capacity = "10GB"
{volume}
[[array.volume]]
name = "b"
pool = "disks"
{array}
[observe]
duration = "1h"
"""


def plan(volume: str = "", array: str = "") -> dict:
    return compile_plan(load(SCENARIO.format(volume=volume, array=array)))


def test_the_plan_has_limits_and_turns():
    limits = 'qos = { iops = 500, bandwidth = "50MB/s", burst = "2s", priority = "high", weight = 3 }'
    turns = '[array.qos]\noutstanding = 64\norder = "weighted"'
    simulation = plan(limits, turns)["simulation"]
    first, second = simulation["volumes"]
    assert first["qos"] == {"iops": 500, "bytes_per_s": 50e6, "burst_s": 2.0, "priority": 2, "weight": 3.0}
    assert "qos" not in second
    assert simulation["qos"] == {"outstanding": 64, "order": "weighted"}
    assert "qos" not in plan()["simulation"]


@pytest.mark.parametrize(
    ("volume", "order", "unused"),
    [
        ('qos = { priority = "low" }', None, True),
        ('qos = { priority = "low" }', "strict", False),
        ("qos = { weight = 2 }", "strict", True),
        ("qos = { weight = 2 }", "weighted", False),
        ("qos = { iops = 10 }", None, False),
    ],
)
def test_keys_without_effect_are_noted(volume, order, unused):
    array = "" if order is None else f'[array.qos]\noutstanding = 8\norder = "{order}"'
    assert ("qos-key-unused" in noted(plan(volume, array)["notes"])) == unused


@pytest.mark.parametrize(
    ("volume", "array", "fault"),
    [
        ('qos = { burst = "1s" }', "", "conflict @ array.volume.a.qos"),
        ("qos = { iops = 0 }", "", "out-of-range @ array.volume.a.qos.iops"),
        ("", "[array.qos]\noutstanding = 0", "out-of-range @ array.qos.outstanding"),
        ("", "[array.qos]\noutstanding = 1\norder = 'fair'", "not-accepted @ array.qos.order"),
    ],
)
def test_impossible_limits_are_refused(volume, array, fault):
    with pytest.raises(DocumentError) as error:
        plan(volume, array)
    assert faults(error.value) == fault


@pytest.mark.parametrize(
    ("volume", "array", "key"),
    [("qos = { iops = 10 }", "", "array.volume.a.qos"), ("", "[array.qos]\noutstanding = 8", "array.qos")],
)
def test_the_estimator_refuses_both(volume, array, key):
    compiled = plan(volume, array)
    with pytest.raises(NotEstimated) as error:
        check_modelled(compiled["simulation"], compiled["names"])
    assert error.value.place == key
