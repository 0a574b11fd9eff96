"""The figures of docs/howto/latency-budget.md are what the commands of the page print."""

from __future__ import annotations

import re

import printed
import pytest

import iowatt
from iowatt.render import numbers

PAGE = printed.ROOT / "docs" / "howto" / "latency-budget.md"
EXAMPLE = printed.ROOT / "examples" / "path.toml"


@pytest.fixture(scope="module")
def text():
    return " ".join(PAGE.read_text("utf-8").split())


def test_where_the_time_goes_and_what_is_estimated_is_as_printed(text):
    found = iowatt.budget(iowatt.run(EXAMPLE), within=300e-6).classes[0]
    (load,) = found.loads
    assert f"{load.response_ms['mean']:.3f} ms" in text
    shares = {hop.hop: f"{100 * hop.share:.1f}" for hop in load.both_ways}
    said = re.findall(r"([\d.]+) %", text)
    p99 = next(band for band in load.made_of if band.of == "p99")
    at = [hop.hop for hop in found.hops].index("drive")
    drive = (p99.waiting_ms[at] + p99.service_ms[at]) / p99.response_ms
    named = [*(shares[hop] for hop in ("drive", "fibre", "controller processors")), f"{100 * drive:.1f}"]
    assert named in [said[at : at + 4] for at in range(len(said))]
    rate = found.against.rate_iops
    assert {numbers.count(rate), f"{rate / load.rate_iops:.1f}"} <= set(text.split())


def test_where_the_level_breaks_is_as_printed(text):
    rates = [10000, 45000, 55000]
    assert f"--rates {','.join(map(str, rates))} --within 300us" in text
    held = iowatt.budget(EXAMPLE, rates=rates, within=300e-6).classes[0].against
    first = held.first
    assert first.hop == "controller processors"
    grew = [
        numbers.with_unit(value, "ms").replace("\u00a0", " ") for value in (first.unloaded_ms, first.there_ms)
    ]
    for figure in (numbers.count(held.rate_iops), *grew):
        assert figure in text
