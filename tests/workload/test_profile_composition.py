"""All that a profile is composed of, seen in the requests that come of it: each part by itself."""

from __future__ import annotations

import numpy as np
import pytest

from iowatt.trace.generate import prepare
from iowatt.trace.open import requests

HEAD = 'schema = "iowatt.profile/1"\nname = "mine"\ntitle = "Mine"\n'
POISSON = 'arrivals = { law = "poisson", rate = 1000 }\n'
DAY = 86400.0


def stream(name="a", share=100, *, read=70, size='size = "4KiB"', access='pattern = "uniform"', more=""):
    head = f'[[stream]]\nname = "{name}"\nshare = {share}\nread_share = {read}\n{size}\n'
    return f"{head}access = {{ {access} }}\n{more}\n"


def made(tmp_path, text, n=200_000, *, span=2**30, **options):
    """Columns of the generated trace; time in seconds."""
    file = tmp_path / "mine.toml"
    file.write_text(HEAD + text)
    end = {"duration_s": options.pop("duration_s")} if "duration_s" in options else {"requests": n}
    batches = list(requests(prepare(str(file), span=span, **end, **options).trace))
    names = ("time_ns", "op", "offset", "size", "stream")
    found = {name: np.concatenate([batch[name] for batch in batches]) for name in names}
    found["time"] = found.pop("time_ns") / 1e9
    assert (np.diff(found["time"]) >= 0).all()
    return found


def error(share, n):
    """Five standard errors of a share seen in n independent draws."""
    return 5 * np.sqrt(share * (1 - share) / n)


def test_shares_of_streams(tmp_path):
    found = made(tmp_path, POISSON + stream("a", 55) + stream("b", 30) + stream("c", 15))
    for number, share in enumerate((0.55, 0.30, 0.15)):
        assert np.mean(found["stream"] == number) == pytest.approx(share, abs=error(share, 200_000))


def test_the_read_share_of_each_stream(tmp_path):
    found = made(tmp_path, POISSON + stream("a", 50, read=90) + stream("b", 50, read=20))
    for number, share in enumerate((0.9, 0.2)):
        ops = found["op"][found["stream"] == number]
        assert np.mean(ops == 0) == pytest.approx(share, abs=error(share, len(ops)))


def test_a_mix_of_sizes(tmp_path):
    mix = 'sizes = [{ size = "4k", share = 60 }, { size = "8k", share = 30 }, { size = "128k", share = 10 }]'
    found = made(tmp_path, POISSON + stream(size=mix))
    for size, share in ((4096, 0.6), (8192, 0.3), (131072, 0.1)):
        assert np.mean(found["size"] == size) == pytest.approx(share, abs=error(share, 200_000))


def test_sizes_of_reads_and_writes_apart(tmp_path):
    mix = 'read_sizes = [{ size = "64k", share = 100 }]\n'
    mix += 'write_sizes = [{ size = "4k", share = 75 }, { size = "16k", share = 25 }]'
    found = made(tmp_path, POISSON + stream(size=mix))
    writes = found["size"][found["op"] == 1]
    assert set(found["size"][found["op"] == 0]) == {65536}
    assert set(writes) == {4096, 16384}
    assert np.mean(writes == 4096) == pytest.approx(0.75, abs=error(0.75, len(writes)))


@pytest.mark.parametrize(
    "access",
    [
        'pattern = "sequential"',
        'pattern = "uniform"',
        'pattern = "zipf", exponent = 0.9',
        'pattern = "skew", k = 7',
        'pattern = "hot-band"',
        'pattern = "hierarchical-reuse", climb = 60',
        'pattern = "reuse-distance", hits = [{ cache = "1MiB", share = 60 }]',
    ],
)
def test_every_pattern_keeps_to_its_range_and_alignment(tmp_path, access):
    more = 'range = ["25%", "50%"]\nalign = "8KiB"'
    mix = 'sizes = [{ size = "4k", share = 50 }, { size = "24k", share = 50 }]'
    found = made(tmp_path, POISSON + stream(access=access, size=mix, more=more), 50_000)
    assert found["offset"].min() >= 2**28
    assert (found["offset"] + found["size"]).max() <= 2**29
    assert (found["offset"] % 8192 == 0).all()
    assert len(np.unique(found["offset"])) > 10


def below(found, fraction, span=2**30):
    return np.mean(found["offset"] < fraction * span)


def test_sequential_requests_follow_one_another(tmp_path):
    found = made(tmp_path, POISSON + stream(access='pattern = "sequential", begin = "start"'), 10_000)
    assert (found["offset"] == np.arange(10_000) * 4096).all()
    found = made(tmp_path, POISSON + stream(access='pattern = "sequential", run = "64KiB"'), 100_000)
    follows = np.mean(found["offset"][1:] == found["offset"][:-1] + 4096)
    # A run of 16 requests on average: 15 of 16 follow one.
    assert follows == pytest.approx(15 / 16, abs=error(15 / 16, 100_000))


def test_uniform_requests_are_everywhere(tmp_path):
    found = made(tmp_path, POISSON + stream())
    tenths = np.bincount(found["offset"] * 10 // 2**30, minlength=10) / 200_000
    assert tenths == pytest.approx(np.full(10, 0.1), abs=error(0.1, 200_000))


def test_zipf_has_the_shares_of_its_ranks(tmp_path):
    law = 'pattern = "zipf", exponent = 1.1, extent = "1MiB", order = "ascending"'
    found = made(tmp_path, POISSON + stream(access=law))
    mass = np.arange(1, 1025) ** -1.1
    for ranks in (1, 10, 100):
        share = mass[:ranks].sum() / mass.sum()
        assert below(found, ranks / 1024) == pytest.approx(share, abs=error(share, 200_000))


def test_the_skew_law(tmp_path):
    law = 'pattern = "skew", k = 7, extent = "64KiB", order = "ascending"'
    found = made(tmp_path, POISSON + stream(access=law))
    for c in (0.05, 0.2, 0.5):
        share = 1 - (1 - c) ** 7
        assert below(found, c) == pytest.approx(share, abs=error(share, 200_000))


def test_a_scattered_law_has_its_heat_elsewhere(tmp_path):
    law = 'pattern = "skew", k = 7, extent = "1MiB"'
    found = made(tmp_path, POISSON + stream(access=law))
    hits = np.sort(np.bincount(found["offset"] >> 20, minlength=1024))[::-1]
    assert hits[:205].sum() / 200_000 == pytest.approx(0.79, abs=0.01)
    assert below(found, 0.2) == pytest.approx(0.2, abs=0.06)


def test_reuse_distances_give_the_hits_of_an_lru_cache(tmp_path):
    curve = '[{ cache = "256KiB", share = 40 }, { cache = "2MiB", share = 70 }]'
    law = f'pattern = "reuse-distance", hits = {curve}'
    found = made(tmp_path, POISSON + stream(access=law), 40_000)
    for blocks, share in ((64, 0.4), (512, 0.7)):
        cache: dict[int, None] = {}
        hits = 0
        for block in found["offset"].tolist():
            if block in cache:
                hits += 1
                del cache[block]
            cache[block] = None
            if len(cache) > blocks:
                del cache[next(iter(cache))]
        assert hits / 40_000 == pytest.approx(share, abs=0.02)


def test_a_walk_on_a_tree_stays_near(tmp_path):
    near = made(tmp_path, POISSON + stream(access='pattern = "hierarchical-reuse", climb = 30'), 50_000)
    far = made(tmp_path, POISSON + stream(access='pattern = "hierarchical-reuse", climb = 80'), 50_000)
    same = [np.mean(np.diff(one["offset"].astype(np.int64)) == 0) for one in (near, far)]
    # P(same leaf) with a binary tree: sum over h of (1-p) p^h / 2^h = (1-p) / (1-p/2).
    assert same == pytest.approx([0.7 / 0.85, 0.2 / 0.6], abs=0.02)


def gaps(found):
    return np.diff(found["time"])


@pytest.mark.parametrize(
    ("law", "cv", "wide"),
    [
        ('law = "constant", rate = 1000', 0, 1e-6),
        ('law = "poisson", rate = 1000', 1, 0.02),
        ('law = "hyper-exponential", rate = 1000, cv = 3', 3, 0.15),
    ],
)
def test_gaps_have_the_variation_of_their_law(tmp_path, law, cv, wide):
    found = gaps(made(tmp_path, f"arrivals = {{ {law} }}\n" + stream()))
    assert found.mean() == pytest.approx(1e-3, rel=0.04)
    assert found.std() / found.mean() == pytest.approx(cv, abs=wide)


def test_on_and_off(tmp_path):
    law = 'arrivals = { law = "on-off", rate = 1000, on = "200ms", off = "800ms", sojourn = "fixed" }\n'
    found = made(tmp_path, law + stream(), duration_s=200)
    tenths = np.bincount((found["time"] * 10).astype(int), minlength=2000)
    # A fifth of the tenths of a second has requests, five times as many as on average (phase at random).
    assert np.mean(tenths > 0) == pytest.approx(0.25, abs=0.06)
    assert len(found["time"]) == pytest.approx(200_000, rel=0.02)


def test_recorded_stamps(tmp_path):
    stamps = tmp_path / "stamps.csv"
    stamps.write_text("time_us,op,offset,size\n" + "".join(f"{i * i},R,0,512\n" for i in range(300)))
    law = 'arrivals = { law = "recorded", trace = { path = "stamps.csv" }, speed = 4 }\n'
    found = made(tmp_path, law + stream(), 1000)
    assert found["time"] == pytest.approx(np.arange(300.0) ** 2 / 4e6, abs=1e-9)


@pytest.mark.parametrize(("period", "seconds"), [("daily", DAY), ("weekly", 7 * DAY), ("1h", 3600.0)])
def test_envelopes_follow_the_clock(tmp_path, period, seconds):
    factors = [1, 3, 0, 4]
    text = POISSON + stream() + f'[[envelope]]\nperiod = "{period}"\nfactors = {factors}\n'
    times = 3
    rate = 100_000 / (times * seconds)
    found = made(tmp_path, text, duration_s=times * seconds, rate_iops=rate)
    quarter = (found["time"] % seconds * 4 / seconds).astype(int)
    seen = np.bincount(quarter, minlength=4) / (times * seconds * rate)
    assert seen == pytest.approx([0.125, 0.375, 0, 0.5], abs=0.015)


def test_envelopes_multiply(tmp_path):
    text = POISSON + stream()
    text += '[[envelope]]\nperiod = "10s"\nfactors = [1, 3]\n[[envelope]]\nperiod = "20s"\nfactors = [3, 1]\n'
    found = made(tmp_path, text, duration_s=100)
    fifths = np.bincount((found["time"] % 20 / 5).astype(int), minlength=4)
    assert fifths / fifths[0] == pytest.approx([1, 3, 1 / 3, 1], rel=0.05)


def test_phases_change_rate_and_mix_in_turn(tmp_path):
    text = POISSON + stream("a", 100 - 20) + stream("b", 20)
    text += '[[phase]]\nname = "p"\nduration = "5s"\n'
    text += '[[phase]]\nname = "q"\nduration = "10s"\nfactor = 0.5\nshares = { a = 10, b = 90 }\n'
    found = made(tmp_path, text, duration_s=150)
    first = found["time"] % 15 < 5
    assert np.sum(first) == pytest.approx(50_000, rel=0.03)
    assert np.sum(~first) == pytest.approx(50_000, rel=0.03)
    assert np.mean(found["stream"][first] == 0) == pytest.approx(0.8, abs=0.01)
    assert np.mean(found["stream"][~first] == 0) == pytest.approx(0.1, abs=0.01)


def test_parts_go_together(tmp_path):
    """Streams with a law, a range and a rate of their own, under one envelope."""
    own = '[[stream]]\nname = "log"\nread_share = 0\nsize = "16k"\n'
    own += 'arrivals = { law = "constant", rate = 100 }\n'
    own += 'access = { pattern = "sequential" }\nrange = ["90%", "100%"]\n'
    text = (
        POISSON
        + stream(more='range = ["0%", "90%"]')
        + own
        + '[[envelope]]\nperiod = "10s"\nfactors = [1, 3]\n'
    )
    found = made(tmp_path, text, duration_s=100)
    log = found["stream"] == 1
    assert np.sum(log) == pytest.approx(10_000, abs=10)
    assert set(found["op"][log]) == {1} and set(found["size"][log]) == {16384}
    assert found["offset"][log].min() >= 0.89 * 2**30 and found["offset"][~log].max() < 0.91 * 2**30
    for chosen in (log, ~log):
        assert np.mean(found["time"][chosen] % 10 < 5) == pytest.approx(0.25, abs=0.02)
