"""Workloads of a question get the rate and the capacity that are asked for, exactly."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from choose_questions import TRACE, question, scaled, steady, written
from hypothesis import given
from hypothesis import strategies as st

from iowatt.evaluate.choose import choose_request
from iowatt.evaluate.choose.load import scaled_workloads, volume_bytes
from iowatt.evaluate.fit.spread import course
from iowatt.model.profile import load
from iowatt.trace.generate import prepare
from iowatt.trace.measure import info
from refused import refused

ROOT = Path(__file__).parents[2]
MIB = 1 << 20
LIMIT = "p95 = '5ms'"
AT_TRACE = re.compile(r"question\.toml:\d+: workload\.load\.trace$")
AT_PROFILE = re.compile(r"question\.toml:\d+: workload\.load\.profile$")


def asked(times, footprint="clones"):
    return question(f"{TRACE}\ntimes = {times}\nfootprint = '{footprint}'\n{LIMIT}")


@pytest.mark.parametrize(
    ("times", "clones", "speed"),
    [(0.5, 1, 0.5), (1, 1, 1.0), (1.7, 2, 0.85), (20, 20, 1.0), (20.5, 21, 20.5 / 21)],
)
def test_clones_are_whole_and_their_speed_makes_up_for_it(tmp_path, times, clones, speed):
    steady(tmp_path)
    [one] = scaled(tmp_path, asked(times))
    assert one.rate_iops == pytest.approx(101 * times)
    assert (one.clones, one.table["trace"]["clones"], one.stretch) == (clones, clones, 1)
    assert one.table["replay"] == {"mode": "open", "speed": pytest.approx(speed)}
    assert one.lasts_s == pytest.approx(1 / speed)
    assert one.table["trace"]["span"] == f"{1 << 30}B"


def test_the_stream_that_is_replayed_has_the_rate(tmp_path):
    """2 tenants of 101 requests over a circle of 1 s, replayed at 0.85: 1.7 times as many a second."""
    file = steady(tmp_path)
    [one] = scaled(tmp_path, asked(1.7))
    trace = one.table["trace"]
    copies = {"clones": trace["clones"], "stretch": trace["stretch"], "span_bytes": one.volume_bytes}
    found = info({"path": str(file), "seed": 1, "copies": copies})
    assert found.requests.count / (1 / one.table["replay"]["speed"]) == pytest.approx(one.rate_iops)
    assert found.max_offset_bytes <= one.volume_bytes


def test_stretching_fills_the_capacity(tmp_path):
    """Of 1 GiB each of 4 tenants has 256 MiB, which is 64 times the 4 MiB that the trace reaches."""
    steady(tmp_path)
    [one] = scaled(tmp_path, asked(4, "stretch"))
    assert (one.clones, one.stretch, one.table["trace"]["stretch"]) == (4, 64, 64)


def test_tenants_need_room(tmp_path):
    """1 GiB has room for 256 times 4 MiB."""
    steady(tmp_path)
    [one] = scaled(tmp_path, asked(256))
    assert one.clones == 256
    with refused("infeasible", AT_TRACE):
        scaled(tmp_path, asked(256.01))


def test_growth_multiplies_data_and_load(tmp_path):
    steady(tmp_path)
    [one] = scaled(tmp_path, question(f"{TRACE}\ntimes = 2\n{LIMIT}", more="years = 2\ngrowth = 0.1"))
    assert one.rate_iops == pytest.approx(101 * 2 * 1.21)
    assert one.volume_bytes == int(1024 * 1.21) * MIB


@given(
    usable=st.integers(64, 1 << 20),
    stated=st.lists(st.one_of(st.none(), st.floats(0.01, 0.3)), min_size=1, max_size=3),
    growth=st.floats(-0.5, 0.5),
)
def test_parts_add_up_to_what_is_bought(usable, stated, growth):
    """Up to a MiB for each workload; all of it where one of them has no capacity of its own."""
    lines = [
        f"[[workload]]\nname = 'w{at}'\n{TRACE}\n{LIMIT}"
        + ("" if part is None else f"\ncapacity = '{int(part * usable * MIB)}B'")
        for at, part in enumerate(stated)
    ]
    head = (
        f"schema = 'iowatt.question/1'\nname = 'q'\nusable = '{usable * MIB}B'\ngrowth = {growth}\nyears = 1"
    )
    read = choose_request("\n".join([head, *lines, ""])).question
    sizes = volume_bytes(read)
    assert all(size % MIB == 0 for size in sizes)
    wanted = sum(int(part * usable * MIB) for part in stated if part is not None) * read.grown
    if None in stated:
        wanted = read.bought_bytes
    assert sum(sizes) == pytest.approx(wanted, abs=len(sizes) * MIB)


def test_a_trace_without_times_needs_a_rate(tmp_path):
    (tmp_path / "order.lirs").write_text("".join(f"{7 * i % 64}\n" for i in range(100)), encoding="utf-8")
    keys = "path = 'order.lirs', format = 'lirs'"
    with refused("missing-figure", AT_TRACE):
        scaled(tmp_path, question(f"trace = {{ {keys} }}\n{LIMIT}"))
    [one] = scaled(tmp_path, question(f"trace = {{ {keys}, rate_iops = 50 }}\ntimes = 3\n{LIMIT}"))
    assert one.rate_iops == pytest.approx(150, rel=0.02)  # 100 requests span 99 gaps


def test_devices_need_a_place(tmp_path):
    rows = "".join(f"{10 * i},R,{4096 * i},4096,{'ab'[i % 2]}\n" for i in range(100))
    (tmp_path / "two.csv").write_text("time_ms,op,offset,size,device\n" + rows, encoding="utf-8")
    for more in ("", "\nfootprint = 'profile'"):
        with refused("ambiguous", AT_TRACE):
            scaled(tmp_path, question(f"trace = {{ path = 'two.csv' }}\n{LIMIT}{more}"))
    [one] = scaled(tmp_path, question(f"trace = {{ path = 'two.csv', device = 'a' }}\n{LIMIT}"))
    assert one.rate_iops == pytest.approx(50, rel=0.03)


@pytest.mark.parametrize(
    ("profile", "own"),
    [
        ("{ name = 'skew', rate_iops = 70 }", 70.0),
        ("{ name = 'backup' }", 762.94 * 2 / 3),  # a third of the day is idle
        ("{ name = 'server-volume' }", 0.3),  # streams have arrivals of their own: 0.2 and 0.1
    ],
)
def test_a_profile_is_multiplied(tmp_path, profile, own):
    [one] = scaled(tmp_path, question(f"profile = {profile}\ntimes = 2.5\n{LIMIT}"))
    assert one.rate_iops == pytest.approx(2.5 * own)
    chosen = one.table["profile"]
    made = load(chosen["name"], chosen.get("set", ()), rate_iops=chosen["rate_iops"])
    assert made.profile.mean_rate == pytest.approx(one.rate_iops)


def test_a_profile_without_a_rate_is_refused(tmp_path):
    with refused("missing-figure", AT_PROFILE):
        scaled(tmp_path, question(f"profile = {{ name = 'restore' }}\n{LIMIT}"))
    with refused("unknown-name", AT_PROFILE):
        scaled(tmp_path, question(f"profile = {{ name = 'skwe', rate_iops = 5 }}\n{LIMIT}"))


def test_a_fitted_profile_goes_over_the_whole_capacity_at_the_rate(tmp_path):
    """3,000 requests in 30 s to the first 64 MiB; 4 times as many a second over 1 TiB."""
    draw = np.random.Generator(np.random.PCG64(7))
    times = np.sort(draw.uniform(0, 30_000, 3_000))
    offsets = np.minimum(draw.zipf(1.3, 3_000), 16_384) * 4096 - 4096
    rows = zip(
        times.round(3), np.where(draw.random(3_000) < 0.7, "R", "W"), offsets, [4096] * 3_000, strict=True
    )
    written(tmp_path / "small.csv", rows)
    text = question(f"{TRACE}\ntimes = 4\nfootprint = 'profile'\n{LIMIT}", usable="1TiB")
    answer = tmp_path / "answer"
    [one] = scaled(tmp_path, text, answer)
    file = one.table["profile"]["name"]
    assert file.startswith(str(answer.resolve()))
    assert one.rate_iops == pytest.approx(400, rel=0.01)
    loaded = load(file, rate_iops=one.table["profile"]["rate_iops"])
    assert loaded.profile.mean_rate == pytest.approx(one.rate_iops)
    found = info(prepare(file, duration_s=60.0).trace)
    assert found.rate.iops == pytest.approx(one.rate_iops, rel=0.05)
    assert found.requests.read_share == pytest.approx(0.7, abs=0.03)
    assert (1 << 39) < found.max_offset_bytes <= 1 << 40
    assert scaled(tmp_path, text, answer) == [one]  # the same file, not written again
    assert len(list((answer / "profiles").iterdir())) == 1


def test_a_trace_of_two_requests_is_fitted(tmp_path):
    written(tmp_path / "small.csv", [(0, "R", 0, 4096), (1000, "W", 8192, 4096)])
    [one] = scaled(tmp_path, asked(2.5, "profile"))
    assert one.rate_iops == pytest.approx(5)
    assert load(one.table["profile"]["name"]).profile.mean_rate == pytest.approx(5, rel=0.01)


def test_the_course_keeps_the_mean_and_the_mix():
    """Windows of rates 0, 1, ... 9 over their mean become 5 of 0.5, 2.5, ... 8.5, half as long each."""
    phases = [
        {"length_s": 2.0, "factor": rate / 4.5, "shares": {"a": 30.0, "b": 70.0} if rate else None}
        for rate in range(10)
    ]
    made = course(phases, 2.0, 2.0, windows=5)
    assert sorted(one["factor"] for one in made) == pytest.approx(
        [x / 4.5 for x in (0.5, 2.5, 4.5, 6.5, 8.5)]
    )
    assert {one["length_s"] for one in made} == {1.0}
    assert all(one["shares"] == pytest.approx({"a": 30, "b": 70}) for one in made)


@pytest.mark.parametrize(
    "file", sorted((ROOT / "examples" / "questions").glob("*.toml")), ids=lambda file: file.stem
)
def test_shipped_questions_are_scaled(file):
    read = choose_request(file)
    found = scaled_workloads(read.question, read.document, read.base)
    assert all(one.rate_iops > 0 for one in found)
    assert sum(one.volume_bytes for one in found) == pytest.approx(read.question.bought_bytes, rel=1e-6)
