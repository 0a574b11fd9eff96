"""The array controller: its keys, its plan, and what contradicts what."""

from __future__ import annotations

import re

import pytest

from iowatt.base.problems import DocumentError
from iowatt.model.scenario import compile_plan, load
from noted import noted
from refused import faults, refused

TEXT = """\
name = "c"
[[array.pool]]
name = "p"
device = "arrays2002-disk"
count = 3
raid = { level = 5 }
[observe]
duration = "1h"
[array.controller]
"""
CACHE = 'cache = { size = "4GiB" }\n'


def controller(text, *sets):
    return compile_plan(load(TEXT + text, sets))["simulation"]["controller"]


def problem(text, *sets):
    with pytest.raises(DocumentError) as caught:
        load(TEXT + text, sets)
    return caught.value


def test_no_controller_is_none_in_the_plan():
    bare = TEXT.removesuffix("[array.controller]\n")
    assert compile_plan(load(bare))["simulation"]["controller"] is None
    assert controller("") is None
    assert controller('cache = { size = "0B", line = "3k" }') is None


def test_a_cache_with_defaults():
    assert controller(CACHE) == {
        "processing": None,
        "host_bandwidth_bytes_per_s": None,
        "cache": {
            "capacity_bytes": 4 * 2**30,
            "line_bytes": 16_384,
            "replacement": "lru",
            "read": True,
            "write": "back",
            "high_watermark": 0.8,
            "low_watermark": 0.6,
            "destage_bytes": 16 * 16_384,
            "destage_outstanding": 16,
            "destage": "watermark",
            "transfers": "mixed",
            "read_ahead": None,
            "mirror": None,
        },
        "split": None,
        "zero_detect": False,
        "losses": [],
    }


def test_the_services_of_an_array():
    found = controller(
        'split = "32KiB"\nzero_detect = true\nloss = [{ of = "controller", at = "1min", back = "2min" }]\n'
        '[array.controller.cache]\nsize = "64MiB"\nadaptive = true\ndestage = "utilisation"\n'
        'read_ahead = { most = "2MiB" }\nmirror = { bandwidth = "2GB/s", latency = "5us" }'
    )
    assert found["split"] == {"bytes": 32_768, "outstanding": 8}
    assert found["zero_detect"] is True
    assert found["losses"] == [{"of": "controller", "at_s": 60.0, "back_s": 120.0}]
    cache = found["cache"]
    assert (cache["transfers"], cache["destage"]) == ("needed", "utilisation")
    assert cache["read_ahead"] == {
        "streams": 32,
        "after": 2,
        "least_bytes": 2**17,
        "most_bytes": 2**21,
        "share": 0.25,
    }
    assert cache["mirror"] == {"bandwidth_bytes_per_s": 2e9, "latency_s": 5e-6}


def test_what_does_not_apply_is_left_out():
    through = controller('cache = { size = "4GiB", write = "through", mirror = { bandwidth = "1GB/s" } }')
    assert through["cache"]["mirror"] is None
    assert controller('cache = { size = "4GiB", adaptive = false }')["cache"]["transfers"] == "whole"
    bare = controller('split = "64KiB"\nloss = [{ of = "battery", at = "1s" }]')
    assert (bare["cache"], bare["losses"]) == (None, [])


def test_zeros_of_a_workload():
    text = TEXT.removesuffix("[array.controller]\n") + (
        '[[workload]]\nname = "w"\nprofile = { name = "uniform", rate_iops = 10 }\nzero_share = 0.25\n'
    )
    assert compile_plan(load(text))["simulation"]["workloads"][0]["zero_share"] == 0.25
    with refused("out-of-range", re.compile(r": workload\.w\.zero_share$"), DocumentError):
        load(text.replace("0.25", "25"))


@pytest.mark.parametrize(
    ("text", "fault", "figures"),
    [
        ('split = "1000B"', "not-accepted @ array.controller.split", ["512"]),
        (
            'cache = { size = "4GiB", line = "64KiB" }\nsplit = 1536',
            "not-accepted @ array.controller.split",
            ["1024"],
        ),
        (
            'cache = { size = "4GiB", read = false, read_ahead = {} }',
            "conflict @ array.controller.cache.read_ahead",
            [],
        ),
        (
            'cache = { size = "4GiB", read_ahead = { most = "64KiB" } }',
            "conflict @ array.controller.cache.read_ahead.start",
            ["65536"],
        ),
        (
            CACHE + 'loss = [{ of = "controller", at = "1s" }]',
            "data-loss @ array.controller.loss.0.of",
            [],
        ),
        (
            CACHE + 'loss = [{ of = "battery", at = "9s", back = "9s" }]',
            "conflict @ array.controller.loss.0.back",
            ["9"],
        ),
        (
            CACHE + 'loss = [{ of = "battery", at = "9s" }, { of = "battery", at = "20s" }]',
            "conflict @ array.controller.loss.1.at",
            ["9"],
        ),
        (
            CACHE + 'loss = [{ of = "fan", at = "9s" }]',
            "not-accepted @ array.controller.loss.0.of",
            ['"fan"'],
        ),
    ],
)
def test_services_that_contradict(text, fault, figures):
    error = problem(text)
    assert faults(error) == fault
    assert [figure for figure in figures if figure not in str(error)] == []


def test_units():
    found = controller(
        'processing = { read = "20us", write = "30us", processors = 2 }\nhost_bandwidth = "400MB/s"\n'
        'cache = { size = "64MB", line = "4k", write = "through", destage_size = "1MiB", read = false }'
    )
    assert found["processing"] == {"read_s": 20e-6, "write_s": 30e-6, "processors": 2}
    assert found["host_bandwidth_bytes_per_s"] == 4e8
    cache = found["cache"]
    assert (cache["capacity_bytes"], cache["line_bytes"], cache["destage_bytes"]) == (64_000_000, 4096, 2**20)
    assert (cache["write"], cache["read"]) == ("through", False)


def test_the_size_can_be_swept():
    assert controller(CACHE, "array.controller.cache.size=1GiB")["cache"]["capacity_bytes"] == 2**30
    assert controller(CACHE, "array.controller.cache.size=0B") is None


@pytest.mark.parametrize(
    ("cache", "fault", "figures"),
    [
        (
            'size = "4GiB", line = 1000',
            "not-accepted @ array.controller.cache.line",
            ["1000", "512"],
        ),
        # 65 sectors are more than 64 parts, and not 64 equal ones.
        ('size = "4GiB", line = 33280', "not-accepted @ array.controller.cache.line", ["64", "32768"]),
        ('size = "8KiB"', "out-of-range @ array.controller.cache.size", ["16384"]),
        (
            'size = "4GiB", high_watermark = 0.5',
            "conflict @ array.controller.cache.low_watermark",
            ["0.6", "0.5"],
        ),
        (
            'size = "4GiB", destage_size = "24k"',
            "not-accepted @ array.controller.cache.destage_size",
            ["16384"],
        ),
        ('size = "8PiB", line = 512', "out-of-range @ array.controller.cache.size", []),
        ('size = "4GiB", write = "bak"', "not-accepted @ array.controller.cache.write", ['"bak"', "'back'"]),
        ('size = "4GiB", high_watermark = 80', "out-of-range @ array.controller.cache.high_watermark", ["1"]),
        ('size = "4G"', "ambiguous @ array.controller.cache.size", []),
    ],
)
def test_what_does_not_fit(cache, fault, figures):
    error = problem(f"cache = {{ {cache} }}")
    assert faults(error) == fault
    assert [figure for figure in figures if figure not in str(error)] == []


def test_long_lines_are_kept_in_64_parts_and_say_so():
    plan = compile_plan(load(TEXT + 'cache = { size = "4GiB", line = "64KiB" }'))
    assert "1 KiB" in noted(plan["notes"])["cache-line-parts"]
    plan = compile_plan(load(TEXT + CACHE))
    assert "cache-line-parts" not in noted(plan["notes"])
