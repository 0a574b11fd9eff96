"""Hidden figures of simulated drives are found within their intervals.

Two trials of scripts/calibrate_trials.py. The script runs fifty; the documentation has its figures.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "calibrate_trials.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("calibrate_trials", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_a_hidden_disk_is_found(script):
    found = {verdict.figure: verdict for verdict in script.disk_trial(4)}
    told = [verdict.covered for verdict in found.values() if verdict.covered is not None]
    assert found["rpm"].covered
    assert found["buffer.read_ahead"].covered and found["buffer.fast_write"].covered
    # 95 % intervals: of a dozen figures one may lie outside.
    assert len(told) >= 8 and told.count(False) <= 1


def test_a_hidden_ssd_is_found(script):
    found = {verdict.figure: verdict for verdict in script.ssd_trial(5)}
    told = [verdict.covered for verdict in found.values() if verdict.covered is not None]
    assert len(told) >= 5 and told.count(False) <= 1
    # A write that is alone takes as long as the steady rate lets it: its latency may be anything below.
    assert found["performance.write_latency"].covered is None
    # Random writes tell their own rate, whatever the drive was based on.
    rate = found["performance.random_write_iops"]
    assert rate.found == pytest.approx(rate.hidden, rel=0.1)
