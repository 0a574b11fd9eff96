"""Parameter files of vdbench, by the rules of its parser (5.04.06, read in its source, not run here)."""

from __future__ import annotations

import re
from itertools import pairwise

import exported as ex
import pytest

from iowatt.sources.export import vdbench
from iowatt.sources.export.sections import prepare

KEYWORDS = {
    "sd": {"sd", "lun", "size", "openflags"},
    "wd": {"wd", "sd", "skew", "rdpct", "seekpct", "range", "hotband", "xfersize"},
    "rd": {"rd", "wd", "iorate", "distribution", "elapsed", "interval", "threads"},
}


def definitions(text):
    """Lines as (kind, {keyword: value}), each checked against what the parser takes."""
    found = []
    for line in text.splitlines():
        if not line or line.startswith("*"):
            continue
        pairs = re.findall(r"(\w+)=(\([^)]*\)|[^,]*)(?:,|$)", line)
        assert ",".join(f"{key}={value}" for key, value in pairs) == line
        kind, given = pairs[0][0], dict(pairs)
        assert set(given) <= KEYWORDS[kind] and len(given) == len(pairs), line
        found.append((kind, given))
    assert [kind for kind, _ in found] == sorted((kind for kind, _ in found), key=["sd", "wd", "rd"].index)
    for _, given in found:
        check(given)
    return found


def check(given):
    if "rdpct" in given:
        assert 0 <= int(given["rdpct"]) <= 100
    if given.get("xfersize", "").startswith("("):
        numbers = [float(n) for n in given["xfersize"].strip("()").split(",")]
        assert len(numbers) % 2 == 0
        assert all(size % 512 == 0 for size in numbers[::2])
        assert round(sum(numbers[1::2])) == 100
    for key in ("range", "hotband"):
        if key in given:
            low, high = (float(n) for n in given[key].strip("()").split(","))
            assert low < high
            # Numbers above 200 are bytes, so that 0 is the only byte below.
            assert high <= 100 or (high > 200 and (low == 0 or low > 200))


def export(tmp_path, text, **options):
    done = vdbench.export(ex.profile(tmp_path, text, **options))
    return done, definitions(done.text)


def workloads(found):
    return {given["wd"]: given for kind, given in found if kind == "wd" and given["wd"] != "default"}


def test_the_hot_band_is_vdbenchs_own():
    done = vdbench.export(
        prepare("hot-band", rate_iops=4000, span=10**12, duration_s=1860, target="/dev/sdx")
    )
    found = definitions(done.text)
    assert done.omissions == []
    of = workloads(found)
    assert {name: float(given["skew"]) for name, given in of.items()} == {
        **{f"w_write{i}": 5 for i in (1, 2, 3)},
        **{f"w_read{i}": 5 for i in range(1, 6)},
        "w_uniform": 6, "w_hot1": 28, "w_hot2": 14, "w_hot3": 7, "w_hot4": 5,
    }  # fmt: skip
    hot = of["w_hot1"]
    assert (hot["hotband"], hot["rdpct"], hot["seekpct"]) == ("(10,18)", "70", "random")
    assert (of["w_read1"]["seekpct"], of["w_read1"]["rdpct"]) == ("0", "100")
    assert found[0] == ("sd", {"sd": "sd1", "lun": "/dev/sdx", "size": str(10**12), "openflags": "o_direct"})
    run = found[-1][1]
    assert run == {
        "rd": "run", "wd": "w_*", "iorate": "4000", "elapsed": "1860", "interval": "60", "threads": "400",
    }  # fmt: skip


def test_skews_of_a_run_add_up_to_100(tmp_path):
    streams = "".join(
        ex.UNIFORM.replace('"a"', f'"s{i}"').replace("100", "33.333").replace("70", "65.8") for i in range(3)
    )
    _, found = export(tmp_path, ex.HEAD + ex.POISSON + streams)
    of = workloads(found)
    assert sum(float(given["skew"]) for given in of.values()) == pytest.approx(100, abs=1e-6)
    # A read percentage is a whole number: reads and writes apart.
    assert set(of) == {f"w_s{i}-{op}" for i in range(3) for op in ("read", "write")}
    assert float(of["w_s0-read"]["skew"]) == pytest.approx(21.933, abs=1e-3)


def test_phases_are_runs_with_their_own_shares(tmp_path):
    text = (
        ex.HEAD
        + ex.POISSON
        + ex.UNIFORM.replace("100", "50", 1)
        + ex.UNIFORM.replace("100", "50", 1).replace('"a"', '"b"')
        + '[[phase]]\nname = "one"\nduration = "60s"\n'
        + '[[phase]]\nname = "rest"\nduration = "60s"\nfactor = 0\n'
        + '[[phase]]\nname = "two"\nduration = "30s"\nfactor = 2\nshares = { a = 90, b = 10 }\n'
    )
    done, found = export(tmp_path, text)
    of = workloads(found)
    assert (of["w1_a"]["skew"], of["w3_a"]["skew"], of["w3_b"]["skew"]) == ("50", "90", "10")
    runs = [given for kind, given in found if kind == "rd"]
    assert [(r["rd"], r["wd"], r["iorate"], r["elapsed"]) for r in runs] == [
        ("one", "w1_*", "1000", "60"),
        ("two", "w3_*", "2000", "30"),
    ]
    assert ex.keys(done) == ["idle time"]


def test_skewed_laws_are_workloads_of_equal_shares(tmp_path):
    text = ex.HEAD + ex.POISSON + ex.UNIFORM.replace('"uniform" }', '"skew", k = 7, order = "ascending" }')
    done, found = export(tmp_path, text)
    of = workloads(found)
    assert [float(given["skew"]) for given in of.values()] == [10] * len(of) and len(of) == 10
    ends = [tuple(int(n) for n in given["range"].strip("()").split(",")) for given in of.values()]
    assert ends[0][0] == 0 and ends[-1][1] == 64 << 20
    assert all(end == start for (_, end), (start, _) in pairwise(ends))
    # The hottest half of the requests in 1 - 0.5^(1/7) of the range.
    assert ends[4][1] / (64 << 20) == pytest.approx(1 - 0.5 ** (1 / 7), abs=0.01)
    assert ex.keys(done) == ["stream.a.access"]


def test_runs_cursors_loops_and_equal_gaps(tmp_path):
    law = 'arrivals = { law = "closed", outstanding = 16, think = "1ms" }\n'
    text = (
        ex.HEAD
        + law
        + '[[stream]]\nname = "seq"\nshare = 50\nread_share = 0\nsize = "64k"\n'
        + 'access = { pattern = "sequential", streams = 2 }\n'
        + '[[stream]]\nname = "runs"\nshare = 50\nread_share = 100\nsize = "64k"\nrange = [0, "32MiB"]\n'
        + 'access = { pattern = "sequential", run = "1MiB" }\n'
    )
    done, found = export(tmp_path, text)
    of = workloads(found)
    assert [of[f"w_seq_{i}"]["range"] for i in (1, 2)] == [f"(0,{32 << 20})", f"({32 << 20},{64 << 20})"]
    assert (of["w_runs"]["seekpct"], of["w_runs"]["range"]) == ("6.25", f"(0,{32 << 20})")
    assert (found[-1][1]["iorate"], found[-1][1]["threads"]) == ("max", "16")
    assert set(ex.keys(done)) == {"arrivals.think", "stream.seq.access.streams"}
    done, found = export(tmp_path, ex.HEAD + 'arrivals = { law = "constant", rate = 100 }\n' + ex.UNIFORM)
    assert found[-1][1]["distribution"] == "deterministic"
    assert done.omissions == []
