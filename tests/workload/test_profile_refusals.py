"""What is wrong with a profile is refused with file, line, key, what would be accepted, and the fix."""

from __future__ import annotations

from pathlib import Path

import pytest

from iowatt.base.errors import InputError
from iowatt.trace.generate import prepare

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


def refused(tmp_path: Path, text: str, **options: object) -> str:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(InputError) as error:
        prepare(str(file), requests=10, **options)
    assert error.value.exit_code == 2
    return str(error.value).replace(str(file), "mine.toml")


def test_the_profile_to_spoil_is_good(tmp_path):
    (tmp_path / "mine.toml").write_text(GOOD)
    assert prepare(str(tmp_path / "mine.toml"), requests=10).plan["name"] == "mine"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("share = 60", "share = 50", ["mine.toml:7: stream", "add up to 90, not to 100", "+10 is missing"]),
        ("share = 50 }]", "share = 40 }]", ["mine.toml:19: stream.b.sizes", "add up to 90"]),
        ('size = "8KiB"', "size = 0", ["mine.toml:11: stream.a.size", "greater than 0"]),
        ('size = "4k"', 'size = "0k"', ["mine.toml:19: stream.b.sizes.0.size", "greater than 0"]),
        ('"uniform"', '"unifrom"', ["mine.toml:12: stream.a.access.pattern", "did you mean 'uniform'?"]),
        ('law = "poisson"', 'law = "posson"', ["mine.toml:5: arrivals.law", "did you mean 'poisson'?"]),
        ('"50%"]', '"110%"]', ["mine.toml:13: stream.a.range", "beyond the span"]),
        ('"50%"]', '"2GiB"]', ["mine.toml:13: stream.a.range", "outside the span of 1073741824 bytes"]),
        ('["0%", "50%"]', '["50%", "10%"]', ["the range ends (10%) where it begins (50%) or before"]),
        ('["0%", "50%"]', '["50%"]', ["mine.toml:13: stream.a.range", "expected two places"]),
        ('["0%", "50%"]', '[0, "4KiB"]', ["holds 4096 bytes, and its largest request has 8192"]),
        ("exponent = 0.9", "exponent = 0", ["stream.b.access.exponent", "greater than 0"]),
        ("exponent = 0.9", 'exponent = 0.9, extent = "2GiB"', ["b.access.extent", "more than the range"]),
        ("exponent = 0.9", "k = 7", ["stream.b.access", "goes only with pattern = \"skew\""]),
        ('name = "b"', 'name = "a"', ["the name 'a' is taken by another stream"]),
        ("rate = 100", "rate = -1", ["mine.toml:5: arrivals.rate", "negative"]),
        (", rate = 100", "", ["mine.toml:5: arrivals.rate", "--rate 500"]),
        ("share = 60", "share = 60\nrate_iops = 5", ["one of `share`, `rate_iops` and `arrivals`"]),
        ("read_share = 70", "read_share = 101", ["mine.toml:10: stream.a.read_share", "at most 100"]),
        ('size = "8KiB"\n', "", ["70 % of its requests read, and no size says how much"]),
        ('size = "8KiB"', 'size = "8KiB"\nalign = 0', ["stream.a.align", "greater than 0"]),
        ('arrivals = { law = "poisson", rate = 100 }\n', "", ["the key `arrivals` is missing"]),
        ("title", "tilte", ["unknown key 'tilte'", "did you mean 'title'?"]),
        ("iowatt.profile/1", "iowatt.profile/9", ["mine.toml:1: schema", "iowatt.profile/1"]),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_place(tmp_path, old, new, said):
    assert GOOD.count(old) == 1
    message = refused(tmp_path, GOOD.replace(old, new))
    for words in said:
        assert words in message, message


@pytest.mark.parametrize(
    ("tail", "said"),
    [
        ('[[phase]]\nname = "p"\nduration = "1s"\nshares = { a = 60, c = 40 }\n',
         ["phase.p.shares.c", "no stream 'c'"]),
        ('[[phase]]\nname = "p"\nduration = "1s"\nshares = { a = 60 }\n', ["phase.p.shares", "add up to 60"]),
        ('[[phase]]\nname = "p"\nduration = "0s"\n', ["phase.p.duration", "greater than 0"]),
        ('[[envelope]]\nperiod = "daily"\nfactors = [0, 0]\n', ["envelope.0.factors", "all factors are 0"]),
        ('[[envelope]]\nperiod = "yearly"\nfactors = [1]\n', ["envelope.0.period", "'daily' or 'weekly'"]),
    ],
)  # fmt: skip
def test_a_fault_of_phases_and_envelopes(tmp_path, tail, said):
    message = refused(tmp_path, GOOD + tail)
    for words in said:
        assert words in message, message


@pytest.mark.parametrize(
    ("arrivals", "said"),
    [
        ('{ law = "hyper-exponential", rate = 5 }', "either `cv` (with a rate) or `phases`"),
        ('{ law = "hyper-exponential", rate = 5, cv = 0.5 }', "at least 1"),
        ('{ law = "hyper-exponential", phases = [{ share = 50, rate = 5 }] }', "add up to 50"),
        ('{ law = "batch", rate = 100, mean_requests = 10, spacing = "20ms" }', "slower than 100 IOPS"),
        ('{ law = "on-off", rate = 5, on = "0s", off = "1s" }', "greater than 0"),
        ('{ law = "on-off", rate = 5, on = "1s", off = "1s", sojourn = "pareto", shape = 1 }',
         "greater than 1"),
        ('{ law = "poisson", rate = 5, modulation = { states = [{ factor = 0, mean = "1s" }, '
         '{ factor = 0, mean = "1s" }] } }', "all factors are 0"),
        ('{ law = "recorded", trace = { path = "missing.csv" } }', "missing.csv"),
    ],
)  # fmt: skip
def test_a_fault_of_a_law(tmp_path, arrivals, said):
    text = GOOD.replace('{ law = "poisson", rate = 100 }', arrivals)
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(InputError) as error:
        from iowatt.trace.open import requests

        next(requests(prepare(str(file), requests=10).trace))
    assert said in str(error.value)


def test_several_faults_are_told_at_once(tmp_path):
    text = GOOD.replace("share = 60", "share = 50").replace('"50%"]', '"2GiB"]')
    message = refused(tmp_path, text)
    assert "2 problems" in message and "add up to 90" in message and "outside the span" in message


def test_recorded_stamps_leave_no_room_for_rates(tmp_path):
    text = GOOD.replace('{ law = "poisson", rate = 100 }', '{ law = "recorded", trace = { path = "x.csv" } }')
    assert "a rate has no effect" in refused(tmp_path, text, rate_iops=5.0)
    envelope = text + '[[envelope]]\nperiod = "daily"\nfactors = [1, 2]\n'
    assert "envelopes and phases have no effect" in refused(tmp_path, envelope)


def test_an_unknown_profile_gets_the_nearest():
    with pytest.raises(InputError, match="did you mean 'hot-band'"):
        prepare("hot-bnad", requests=10)
    with pytest.raises(InputError, match=r"no-such\.toml: cannot be read"):
        prepare("no-such.toml", requests=10)


def test_an_end_and_a_span_are_asked_for():
    with pytest.raises(InputError, match="nothing says when the trace ends"):
        prepare("uniform", rate_iops=5.0, span=2**30)
    with pytest.raises(InputError, match="does not say how large its address space is"):
        prepare("uniform", rate_iops=5.0, requests=5)
