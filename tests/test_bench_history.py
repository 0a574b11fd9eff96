"""What became slower since the last entry of the benches' history."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import pytest

BENCHES = Path(__file__).resolve().parents[1] / "benches"
with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(BENCHES))
    history = importlib.import_module("history")
    calibrate = importlib.import_module("calibrate")

QUIET = {"disk": (100.0, 0.02), "ssd": (200.0, 0.0), "decoding": (300.0, 0.0)}
BEFORE = history.Entry(
    date="2026-11-24",
    commit="abc1234",
    version="0.1.0",
    machine="one CPU",
    inputs="trace.parquet",
    note="",
    figures={name: history.Speed(*figures, per_cpu_s=1e6) for name, figures in QUIET.items()},
)


def changed(**ratios: float) -> list:
    now = {name: replace(BEFORE.figures[name], ratio=ratio) for name, ratio in ratios.items()}
    return history.compare(BEFORE.figures, now)


def test_slower_is_what_fell_by_more_than_five_percent_and_the_spread() -> None:
    # The disk's noise is 5 % + 2 %, the SSD's 5 %.
    changes = changed(disk=93.5, ssd=187.0, decoding=330.0)
    assert [(c.name, round(c.relative, 3), c.slower) for c in changes] == [
        ("disk", -0.065, False),
        ("ssd", -0.065, True),
        ("decoding", 0.1, False),
    ]
    assert changes[0].noise == pytest.approx(0.07)
    assert history.verdict(changes, BEFORE) == "slower than on 2026-11-24 (abc1234): ssd (-6%)"
    assert history.verdict(changed(disk=93.5), BEFORE) == "slower than on 2026-11-24 (abc1234): nothing"


def test_the_greater_of_both_spreads_counts() -> None:
    now = {"ssd": history.Speed(180.0, spread=0.08, per_cpu_s=1e6)}
    [ssd, *_] = history.compare(BEFORE.figures, now)
    assert (ssd.noise, ssd.slower) == (pytest.approx(0.13), False)


def test_new_and_missing_figures_are_named_and_not_slower() -> None:
    new = {"array": history.Speed(5.0, 0.0, 1e6)}
    changes = history.compare(BEFORE.figures, new)
    assert [str(c).split() for c in changes] == [
        ["array", "5", "a", "pass", "new"],
        ["disk", "missing"],
        ["ssd", "missing"],
        ["decoding", "missing"],
    ]
    assert not any(c.slower for c in changes)


def test_only_the_same_machine_and_inputs_are_compared() -> None:
    other = replace(BEFORE, machine="another CPU", date="2026-11-25")
    quick = replace(BEFORE, inputs="trace.parquet, quick", date="2026-11-26")
    first = replace(BEFORE, date="2026-11-01")
    assert history.last_like([first, BEFORE, other, quick], BEFORE) is BEFORE
    assert history.last_like([other, quick], BEFORE) is None
    assert "--record" in history.verdict([], None)


def test_a_slow_minute_cancels_out() -> None:
    fast = history.speed([1000.0, 1000.0, 1000.0], [100.0, 100.0, 100.0, 100.0])
    slow = history.speed([500.0, 500.0, 500.0], [50.0, 50.0, 50.0, 50.0])
    assert (fast.ratio, fast.spread, fast.per_cpu_s) == (10.0, 0.0, 1000.0)
    assert (slow.ratio, slow.spread, slow.per_cpu_s) == (10.0, 0.0, 500.0)
    # It began within the second repetition: ratios 1000/100, 500/75, 500/50. The spread tells of it.
    halfway = history.speed([1000.0, 500.0, 500.0], [100.0, 100.0, 50.0, 50.0])
    assert halfway.ratio == 10.0
    assert halfway.spread == pytest.approx((10 - 500 / 75) / 10)


def test_entries_are_kept_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "history.toml"
    assert history.read(path) == []
    noted = replace(BEFORE, note='before "20"', date="2026-11-25")
    history.append(path, BEFORE)
    history.append(path, noted)
    assert history.read(path) == [BEFORE, noted]
    assert '"disk" = { ratio = 100, spread = 0.020, per_cpu_s = 1e+06 }' in path.read_text().splitlines()


def test_this_version_names_no_path() -> None:
    now = history.this_version("trace.parquet", "", {})
    assert (now.inputs, now.like(now)) == ("trace.parquet", True)
    assert str(Path.home()) not in now.toml()
    assert str(BENCHES) not in now.toml()


def test_the_calibration_loop_is_still_the_same_work() -> None:
    # Every entry rests on it: these two change only if its inputs do.
    work = calibrate.Work()
    assert work.once() == (3_802_794_848, 0.500145254139057)
    assert calibrate.passes_per_cpu_s(0.001) > 0
    assert "iowatt" not in {name for name in sys.modules[calibrate.__name__].__dict__ if name[0] != "_"}


def test_the_shipped_history_is_readable() -> None:
    entries = history.read(history.HISTORY)
    assert entries
    assert all(entry.figures for entry in entries)
    assert [entry.date for entry in entries] == sorted(entry.date for entry in entries)
