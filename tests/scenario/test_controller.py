"""The array controller: its keys, its plan, and what contradicts what."""

from __future__ import annotations

import pytest

from iowatt.scenario import ScenarioError, compile_plan, load

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
    with pytest.raises(ScenarioError) as caught:
        load(TEXT + text, sets)
    return str(caught.value)


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
        },
    }


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
    ("cache", "words"),
    [
        (
            'size = "4GiB", line = 1000',
            ["cache.line", "1000 bytes", "sectors of 512 bytes", "multiple of 512"],
        ),
        # 65 sectors are more than 64 parts, and not 64 equal ones.
        ('size = "4GiB", line = 33280', ["cache.line", "64 parts", "multiple of 32768"]),
        ('size = "8KiB"', ["cache.size", "no line of 16384 bytes"]),
        ('size = "4GiB", high_watermark = 0.5', ["low_watermark", "0.6 is above high_watermark, 0.5"]),
        ('size = "4GiB", destage_size = "24k"', ["destage_size", "multiple of 16384"]),
        ('size = "8PiB", line = 512', ["cache.size", "longer lines"]),
        ('size = "4GiB", write = "bak"', ['"bak" is not accepted', "did you mean 'back'"]),
        ('size = "4GiB", high_watermark = 80', ["high_watermark", "at most 1"]),
        ('size = "4G"', ["ambiguous"]),
    ],
)
def test_what_does_not_fit(cache, words):
    message = problem(f"cache = {{ {cache} }}")
    for word in words:
        assert word in message


def test_long_lines_are_kept_in_64_parts_and_say_so():
    plan = compile_plan(load(TEXT + 'cache = { size = "4GiB", line = "64KiB" }'))
    assert "cache: requests are rounded out to 1 KiB, the parts of its lines" in plan["notes"]
    plan = compile_plan(load(TEXT + CACHE))
    assert not any(note.startswith("cache:") for note in plan["notes"])
