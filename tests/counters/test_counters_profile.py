"""A profile made of counters: what was not counted is marked, and its traces have the same counts."""

from __future__ import annotations

from pathlib import Path

import counted
import numpy as np
import polars as pl
import pytest

from iowatt.counters import streams
from iowatt.counters.activity import activity
from iowatt.counters.arrivals import LONGEST_S, dispersion
from iowatt.counters.log import CountersLog
from iowatt.counters.profile import CountersProfile, build_profile, profile_toml
from iowatt.counters.read import read
from iowatt.counters.streams import ProfileRequest
from iowatt.counters.summary import summary
from iowatt.model.profile import describe
from iowatt.model.profile.find import load
from iowatt.model.profile.profile import Profile, source_of
from refused import refused

DATA = Path(__file__).parents[1] / "data" / "counters"
UNIFORM = ProfileRequest({"pattern": "uniform"})


def logged(name: str) -> CountersLog:
    return read([DATA / name])


def profiled(
    log: CountersLog, devices: list[str], folder: Path, asked: ProfileRequest = UNIFORM
) -> tuple[CountersProfile, Profile, Path]:
    built = build_profile(log, devices, asked, name="counted", origin="log.txt")
    path = folder / "counted.toml"
    path.write_text(profile_toml(built.tables), "utf-8")
    loaded = load(str(path))
    loaded.check(1 << 40)
    return built, loaded.profile, path


def written(folder: Path, text: str) -> CountersLog:
    path = folder / "log.txt"
    path.write_text(text)
    return read([path])


def test_the_trace_of_a_profile_has_the_counters_rates_and_mix(tmp_path: Path) -> None:
    log = logged("iostat-12.6-xtd.txt")
    _, profile, path = profiled(log, ["vda"], tmp_path)
    (device,) = summary(log).devices
    trace = counted.made(path, tmp_path / "t.parquet", seconds=60)
    asked = device.iops * 60
    spread = profile.arrivals.cv**2  # type: ignore[union-attr]  # counts vary so much more than Poisson's
    assert len(trace) == pytest.approx(asked, abs=4 * np.sqrt(spread * asked))
    share = trace["reads"].mean()
    assert share == pytest.approx(device.read_share, abs=4 * np.sqrt(spread * 0.25 / asked))
    for reads, mean in ((True, device.mean_read_bytes), (False, device.mean_write_bytes)):
        drawn = trace.filter(pl.col("reads") == reads)["size"]
        assert drawn.mean() == pytest.approx(mean, abs=4 * drawn.std() / np.sqrt(len(drawn)))  # type: ignore[operator,arg-type]
    # Second by second: the counts follow those recorded as closely as their law lets them.
    recorded = activity(log, "vda").requests
    got = counted.counts(trace, 60)
    misses = (got - recorded) / np.sqrt(spread * np.maximum(recorded, 1) + spread**2)
    assert np.abs(misses).max() < 5
    assert np.corrcoef(got, recorded)[0, 1] > 0.95


def test_counters_of_a_poisson_trace_give_it_back(tmp_path: Path) -> None:
    sets = ["arrivals.rate=400", "stream.uniform.read_share=70"]
    trace = counted.made("uniform", tmp_path / "a.parquet", seconds=600, overrides=sets)
    log = written(tmp_path, counted.iostat(trace, 600))
    _, profile, path = profiled(log, ["sda"], tmp_path)
    assert profile.arrivals.law == "poisson"  # type: ignore[union-attr]
    act = activity(log, "sda")
    spread = dispersion(act.requests, act.seconds)
    assert spread.known and not spread.bursty
    assert len(log.seconds) == 600
    again = counted.made(path, tmp_path / "b.parquet", seconds=600, seed=2)
    assert len(again) == pytest.approx(len(trace), abs=4 * np.sqrt(len(trace)))
    assert again["reads"].mean() == pytest.approx(trace["reads"].mean(), abs=0.01)
    assert again["size"].mean() == pytest.approx(trace["size"].mean(), rel=0.01)


def test_bursts_are_seen_said_and_taken_over(tmp_path: Path) -> None:
    law = 'arrivals={law="hyper-exponential",rate=400,cv=12}'
    trace = counted.made("uniform", tmp_path / "a.parquet", seconds=900, overrides=[law])
    log = written(tmp_path, counted.iostat(trace, 900))
    (device,) = summary(log).devices
    assert device.dispersion == pytest.approx(144, rel=0.3)
    built, profile, path = profiled(log, ["sda"], tmp_path)
    assert profile.arrivals.law == "hyper-exponential"  # type: ignore[union-attr]
    assert profile.arrivals.cv**2 == pytest.approx(device.dispersion / 10, rel=1e-3)  # type: ignore[union-attr]
    assert "Poisson" in built.assumptions[0]
    assert f" {profile.arrivals.cv:.3g}," in built.assumptions[0]  # type: ignore[union-attr]
    again = counted.counts(counted.made(path, tmp_path / "b.parquet", seconds=900, seed=2), 900)
    assert dispersion(again, np.ones(900)).index == pytest.approx(1.1 * device.dispersion, rel=0.2)
    # Joined into few phases, the gaps carry what the phases no longer do.
    few = ProfileRequest({"pattern": "uniform"}, phases=30)
    _, joined, path = profiled(log, ["sda"], tmp_path, few)
    assert len(joined.phase) == 30
    again = counted.counts(counted.made(path, tmp_path / "c.parquet", seconds=900, seed=3), 900)
    assert dispersion(again, np.ones(900)).index == pytest.approx(device.dispersion, rel=0.3)


def test_long_intervals_are_changing_load_and_not_bursts(tmp_path: Path) -> None:
    hours = "".join(
        f"host;600;2026-01-01 {i // 6:02d}:{i % 6}0:00 UTC;sda;{100 + 50 * (i % 2)}.00;400.00;400.00\n"
        for i in range(1, 60)
    )
    log = written(tmp_path, "# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s\n" + hours)
    _, profile, _ = profiled(log, ["sda"], tmp_path)
    assert profile.arrivals.law == "poisson"  # type: ignore[union-attr]
    assert len(profile.phase) == 59
    act = activity(log, "sda")
    spread = dispersion(act.requests, act.seconds)
    assert spread.bursty and spread.seconds > LONGEST_S


def test_every_assumption_is_marked_said_and_written(tmp_path: Path) -> None:
    built, profile, path = profiled(logged("iostat-12.6-xtd.txt"), ["vda"], tmp_path)
    marks = {key: mark and mark.quality for key, mark in describe.figure_marks(profile).items()}
    assert None not in marks.values()
    assert marks["arrivals.rate"] == "measured"
    assert marks["stream.read.share"] == "measured"
    for name in ("arrivals.law", "stream.read.sizes", "stream.read.access", "stream.write-sequential.share"):
        assert marks[name] == "assumed"
    text = path.read_text("utf-8")
    for assumption in built.assumptions:
        assert assumption.split(": ", 1)[1] in text
    assert "profile-assumed" in {note.code for note in describe.remarks(profile)}
    assert [missing.figure for missing in profile.missing] == ["span"]


def test_merges_make_a_sequential_share(tmp_path: Path) -> None:
    _, profile, _ = profiled(logged("iostat-12.6-xtd.txt"), ["vda"], tmp_path)
    (device,) = summary(logged("iostat-12.6-xtd.txt")).devices
    shares = {stream.name: stream.share for stream in profile.stream}
    assert set(shares) == {"read", "write", "write-sequential"}  # under 1 % of the reads were merged
    writes = shares["write"] + shares["write-sequential"]  # type: ignore[operator]
    assert shares["write-sequential"] / writes == pytest.approx(device.write_merged_share, abs=1e-4)
    none = ProfileRequest({"pattern": "uniform"}, sequential=0.0)
    _, profile, _ = profiled(logged("iostat-12.6-xtd.txt"), ["vda"], tmp_path, none)
    assert {stream.name for stream in profile.stream} == {"read", "write"}
    every = ProfileRequest(streams.parse_access("sequential"))
    _, profile, _ = profiled(logged("iostat-12.6-xtd.txt"), ["vda"], tmp_path, every)
    assert {stream.access.pattern for stream in profile.stream} == {"sequential"}


def test_sar_does_not_count_reads_so_bytes_tell(tmp_path: Path) -> None:
    log = logged("sar-12.6-d.txt")
    built, profile, _ = profiled(log, ["vda"], tmp_path)
    act = activity(log, "vda")
    assert act.split == "bytes"
    shares = {stream.name: stream.share for stream in profile.stream}
    reads = float(act.reads @ act.seconds / (act.requests @ act.seconds))
    assert shares["read"] == pytest.approx(100 * reads, abs=1e-5)
    mark = source_of(profile.source, "stream.read.share")
    assert mark is not None
    assert mark.quality == "assumed"
    assert act.same_sizes and len(built.assumptions) > 1
    assert any("discards" in note for note in built.notes)


def test_a_log_without_reads_and_writes_wants_to_be_told(tmp_path: Path) -> None:
    log = logged("iostat-12.6-xst.txt")
    with refused("missing-figure", None):
        build_profile(log, ["vda"], UNIFORM, name="x", origin="log")
    _, profile, _ = profiled(log, ["vda"], tmp_path, ProfileRequest({"pattern": "uniform"}, read_share=0.7))
    reads = sum(s.share or 0 for s in profile.stream if s.read_share == 100)
    assert reads == pytest.approx(70, abs=1e-4)


def test_a_stream_of_next_to_nothing_is_left_out(tmp_path: Path) -> None:
    asked = ProfileRequest({"pattern": "uniform"}, read_share=1e-12, span=1 << 40)
    _, profile, _ = profiled(logged("iostat-12.6-xst.txt"), ["vda"], tmp_path, asked)
    assert {one.read_share for one in profile.stream} == {0}
    assert sum(one.share or 0 for one in profile.stream) == pytest.approx(100)


def test_devices_lie_side_by_side(tmp_path: Path) -> None:
    log = logged("perfmon-relog.csv")
    _, profile, path = profiled(log, ["0 C:", "1 D: E:"], tmp_path)
    places = {stream.name: tuple(map(str, stream.range)) for stream in profile.stream}
    assert places == {
        "disk0-c-1-read": ("0%", "50%"),
        "disk0-c-1-write": ("0%", "50%"),
        "disk1-d-e-2-read": ("50%", "100%"),
    }
    trace = counted.made(path, tmp_path / "t.parquet", seconds=8)
    second = trace.filter(pl.col("offset") >= 1 << 35)
    assert len(second) / len(trace) == pytest.approx(5 / 135, abs=0.02)


def test_intervals_without_figures_are_left_out_with_their_time(tmp_path: Path) -> None:
    text = (DATA / "iostat-10-xtk.txt").read_text().replace("150.00   50.00", "150.00   x0.00", 1)
    path = tmp_path / "log.txt"
    path.write_text(text)
    log = read([path], skip_bad=1)
    built, profile, _ = profiled(log, ["sda"], tmp_path)
    assert built.seconds == 10
    assert profile.arrivals.rate == 200  # type: ignore[union-attr]
    assert any(note.startswith("sda: 1 ") for note in built.notes)


def test_intervals_of_unknown_length_make_no_profile() -> None:
    with refused("missing", "log"):
        build_profile(logged("iostat-12.6-x.txt"), ["vda"], UNIFORM, name="x", origin="log")


@pytest.mark.parametrize("mean", [100.0, 512.0, 4096.0, 6000.0, 29_912.4, 1_300_000.0])
def test_a_mix_keeps_the_mean(mean: float) -> None:
    mix = streams.size_mix(np.array([3.0, 7.0]), np.array([3.0, 7.0]) * mean)
    assert streams.mean(mix) == pytest.approx(max(mean, 512), rel=1e-6)
    assert sum(share for _, share in mix) == pytest.approx(100, abs=1e-9)
    assert all(size & (size - 1) == 0 for size, _ in mix)


def test_a_mix_has_the_spread_of_its_intervals() -> None:
    assert streams.size_mix(np.array([1.0, 3.0, 0.0]), np.array([4096.0, 3 * 65536.0, 0.0])) == [
        (4096, 25),
        (65536, 75),
    ]


@pytest.mark.parametrize(
    "text", ["", "random", "zipf", "zipf:", "zipf:x", "skew:-1", "uniform:1", "zipf:1e400"]
)
def test_patterns_that_are_none(text: str) -> None:
    with refused("bad-syntax", "access"):
        streams.parse_access(text)


def test_dispersion_of_poisson_counts_stays_under_its_limit() -> None:
    drawn = np.random.default_rng(7)
    over = 0
    for _ in range(300):
        found = dispersion(drawn.poisson(50, 100) / 10.0, np.full(100, 10.0))
        assert found.index == pytest.approx(1, abs=0.9)
        over += found.bursty
    assert over <= 6  # of 300; three standard errors leave 0.4, a little more for the skew of few counts


def test_a_slow_change_of_rate_is_no_burst() -> None:
    drawn = np.random.default_rng(7)
    rates = np.linspace(100, 2000, 500)
    assert not dispersion(drawn.poisson(rates).astype(float), np.ones(500)).bursty
    assert dispersion(drawn.poisson(rates) * drawn.choice([0.5, 1.5], 500), np.ones(500)).bursty
    assert not dispersion(np.ones(5), np.ones(5)).known
