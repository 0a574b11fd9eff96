"""What is wrong with a profile is refused with file, line, key, what would be accepted, and the fix."""

from __future__ import annotations

from pathlib import Path

import pytest

from iowatt.base.errors import InputError
from iowatt.trace.generate import prepare
from refused import faults, refused

GOOD = """schema = "iowatt.profile/1"
name = "mine"
title = "Mine"
span = "1GiB"
arrivals = { law = "poisson", rate = 100 }

[[stream]]
name = "a"
share = 60
read_share = 70
size = "8KiB"
access = { pattern = "uniform" }
range = ["0%", "50%"]

[[stream]]
name = "b"
share = 40
read_share = 0
sizes = [{ size = "4k", share = 50 }, { size = "64k", share = 50 }]
access = { pattern = "zipf", exponent = 0.9 }
"""


def refusal(tmp_path: Path, text: str, **options: object) -> InputError:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(InputError) as error:
        prepare(str(file), requests=10, **options)
    assert error.value.exit_code == 2
    return error.value


def test_the_profile_to_spoil_is_good(tmp_path):
    (tmp_path / "mine.toml").write_text(GOOD)
    assert prepare(str(tmp_path / "mine.toml"), requests=10).plan["name"] == "mine"


@pytest.mark.parametrize(
    ("old", "new", "fault", "figures"),
    [
        ("share = 60", "share = 50", "conflict @ mine.toml:7: stream", ["90", "100", "+10"]),
        ("share = 50 }]", "share = 40 }]", "conflict @ mine.toml:19: stream.b.sizes", ["90"]),
        ('size = "8KiB"', "size = 0", "out-of-range @ mine.toml:11: stream.a.size", ["0"]),
        ('size = "4k"', 'size = "0k"', "out-of-range @ mine.toml:19: stream.b.sizes.0.size", []),
        ('"uniform"', '"unifrom"', "not-accepted @ mine.toml:12: stream.a.access.pattern", ["'uniform'"]),
        ('law = "poisson"', 'law = "posson"', "not-accepted @ mine.toml:5: arrivals.law", ["'poisson'"]),
        ('"50%"]', '"110%"]', "out-of-range @ mine.toml:13: stream.a.range.1", []),
        ('"50%"]', '"2GiB"]', "out-of-range @ mine.toml:13: stream.a.range", ["1073741824"]),
        ('["0%", "50%"]', '["50%", "10%"]', "conflict @ mine.toml:13: stream.a.range", ["10%", "50%"]),
        ('["0%", "50%"]', '["50%"]', "wrong-type @ mine.toml:13: stream.a.range", []),
        ('["0%", "50%"]', '[0, "4KiB"]', "out-of-range @ mine.toml:13: stream.a.range", ["4096", "8192"]),
        ("exponent = 0.9", "exponent = 0", "out-of-range @ mine.toml:20: stream.b.access.exponent", []),
        (
            "exponent = 0.9",
            'exponent = 0.9, extent = "2GiB"',
            "out-of-range @ mine.toml:20: stream.b.access.extent",
            [],
        ),
        (
            "exponent = 0.9",
            "k = 7",
            "missing @ mine.toml:20: stream.b.access.exponent & not-applicable @ mine.toml:20: "
            "stream.b.access.k",
            ['"skew"'],
        ),
        (
            'name = "b"',
            'name = "a"',
            "duplicate @ mine.toml:8: stream.a.name & duplicate @ mine.toml:16: stream.a.name",
            ["'a'"],
        ),
        ("rate = 100", "rate = -1", "out-of-range @ mine.toml:5: arrivals.rate", []),
        (", rate = 100", "", "missing @ mine.toml:5: arrivals.rate", ["500"]),
        ("share = 60", "share = 60\nrate_iops = 5", "conflict @ mine.toml:7: stream.a", []),
        ("read_share = 70", "read_share = 101", "out-of-range @ mine.toml:10: stream.a.read_share", ["100"]),
        ('size = "8KiB"\n', "", "missing @ mine.toml:7: stream.a & missing @ mine.toml:7: stream.a", ["70"]),
        ('size = "8KiB"', 'size = "8KiB"\nalign = 0', "out-of-range @ mine.toml:12: stream.a.align", ["0"]),
        ('arrivals = { law = "poisson", rate = 100 }\n', "", "missing @ mine.toml:1: arrivals", []),
        ("title", "tilte", "unknown-key @ mine.toml:3: tilte", ["'tilte'", "'title'"]),
        ("iowatt.profile/1", "iowatt.profile/9", "not-accepted @ mine.toml:1: schema", []),
    ],
)
def test_a_fault_is_named_with_its_place(tmp_path, old, new, fault, figures):
    assert GOOD.count(old) == 1
    error = refusal(tmp_path, GOOD.replace(old, new))
    assert faults(error, lines=True) == fault
    assert [figure for figure in figures if figure not in str(error)] == []


@pytest.mark.parametrize(
    ("tail", "fault", "figures"),
    [
        (
            '[[phase]]\nname = "p"\nduration = "1s"\nshares = { a = 60, c = 40 }\n',
            "unknown-name @ mine.toml:24: phase.p.shares.c",
            ["'c'"],
        ),
        (
            '[[phase]]\nname = "p"\nduration = "1s"\nshares = { a = 60 }\n',
            "conflict @ mine.toml:24: phase.p.shares",
            ["60"],
        ),
        ('[[phase]]\nname = "p"\nduration = "0s"\n', "out-of-range @ mine.toml:23: phase.p.duration", ["0"]),
        (
            '[[envelope]]\nperiod = "daily"\nfactors = [0, 0]\n',
            "out-of-range @ mine.toml:23: envelope.0.factors",
            [],
        ),
        (
            '[[envelope]]\nperiod = "yearly"\nfactors = [1]\n',
            "bad-syntax @ mine.toml:22: envelope.0.period",
            ["'daily'", "'weekly'"],
        ),
    ],
)
def test_a_fault_of_phases_and_envelopes(tmp_path, tail, fault, figures):
    error = refusal(tmp_path, GOOD + tail)
    assert faults(error, lines=True) == fault
    assert [figure for figure in figures if figure not in str(error)] == []


@pytest.mark.parametrize(
    ("arrivals", "fault", "figures"),
    [
        ('{ law = "hyper-exponential", rate = 5 }', "conflict @ arrivals", []),
        ('{ law = "hyper-exponential", rate = 5, cv = 0.5 }', "out-of-range @ arrivals.cv", ["1"]),
        (
            '{ law = "hyper-exponential", phases = [{ share = 50, rate = 5 }] }',
            "conflict @ arrivals.phases",
            ["50"],
        ),
        (
            '{ law = "batch", rate = 100, mean_requests = 10, spacing = "20ms" }',
            "conflict @ arrivals.spacing",
            ["100"],
        ),
        ('{ law = "on-off", rate = 5, on = "0s", off = "1s" }', "out-of-range @ arrivals.on", ["0"]),
        (
            '{ law = "on-off", rate = 5, on = "1s", off = "1s", sojourn = "pareto", shape = 1 }',
            "out-of-range @ arrivals.shape",
            ["1"],
        ),
        (
            '{ law = "poisson", rate = 5, modulation = { states = [{ factor = 0, mean = "1s" }, '
            '{ factor = 0, mean = "1s" }] } }',
            "out-of-range @ arrivals.modulation",
            ["0"],
        ),
        ('{ law = "recorded", trace = { path = "missing.csv" } }', "not-found @ missing.csv", []),
    ],
)
def test_a_fault_of_a_law(tmp_path, arrivals, fault, figures):
    text = GOOD.replace('{ law = "poisson", rate = 100 }', arrivals)
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(InputError) as error:
        from iowatt.trace.open import requests

        next(requests(prepare(str(file), requests=10).trace))
    assert faults(error.value) == fault
    assert [figure for figure in figures if figure not in str(error.value)] == []


def test_several_faults_are_told_at_once(tmp_path):
    text = GOOD.replace("share = 60", "share = 50").replace('"50%"]', '"2GiB"]')
    error = refusal(tmp_path, text)
    assert faults(error, lines=True) == (
        "conflict @ mine.toml:7: stream & out-of-range @ mine.toml:13: stream.a.range"
    )


def test_recorded_stamps_leave_no_room_for_rates(tmp_path):
    text = GOOD.replace('{ law = "poisson", rate = 100 }', '{ law = "recorded", trace = { path = "x.csv" } }')
    assert faults(refusal(tmp_path, text, rate_iops=5.0)) == "not-applicable @ mine.toml"
    envelope = text + '[[envelope]]\nperiod = "daily"\nfactors = [1, 2]\n'
    assert faults(refusal(tmp_path, envelope)) == "not-applicable @ arrivals"


def test_an_unknown_profile_gets_the_nearest():
    with refused("unknown-name", None) as error:
        prepare("hot-bnad", requests=10)
    assert "'hot-band'" in (error.value.hint or "")
    with refused("not-found", "no-such.toml"):
        prepare("no-such.toml", requests=10)


def test_an_end_and_a_span_are_asked_for():
    with refused("missing", None) as error:
        prepare("uniform", rate_iops=5.0, span=2**30)
    assert "`duration=" in (error.value.hint or "") and "`requests=" in (error.value.hint or "")
    with refused("missing", "uniform.toml (library)") as error:
        prepare("uniform", rate_iops=5.0, requests=5)
    assert "`span=" in (error.value.hint or "")
