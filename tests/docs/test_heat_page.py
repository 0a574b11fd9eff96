"""The figures of docs/howto/heat-and-tier.md are what the commands above them print."""

from __future__ import annotations

import re

import printed
import pytest

import iowatt
from figures import figures
from iowatt.evaluate.tiers import TierRequest, derive
from iowatt.lenses.heat import analyse, of_run
from iowatt.model import heat
from iowatt.model.scenario import find_key

PAGE = printed.ROOT / "docs" / "howto" / "heat-and-tier.md"
EXAMPLES = printed.ROOT / "examples"


def rows(heading: str) -> list[list[str]]:
    """Cells of the table that begins with a heading."""
    _, _, rest = PAGE.read_text("utf-8").partition(f"| {heading} |")
    lines = rest.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def number(cell: str) -> float:
    return float(re.sub(r"[^0-9.-]", "", cell) or "nan")


def test_what_the_cache_takes_is_as_printed():
    run = iowatt.run(EXAMPLES / "cached-raid5.toml", set=["observe.heat={}"])
    found = analyse(of_run(run), "cached")
    front, back = found.points
    text = " ".join(PAGE.read_text("utf-8").split())
    hot = [point.skew.on_hottest(0.10) for point in (front, back)]
    shown = figures(text)
    spared = round(100 * (1 - found.behind_cache.io), 1)
    in_order = [spared, 10, round(100 * hot[0], 1), round(100 * hot[1])]
    percents = [float(number) for number in re.findall(r"([\d.]+) %", text)]
    assert in_order in [percents[at : at + 4] for at in range(len(percents))]
    laws = [round(point.skew.law.k, 2) for point in (front, back)]
    assert laws in [shown[at : at + 2] for at in range(len(shown))]


@pytest.fixture(scope="module")
def derived(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiers")
    candidates = str(EXAMPLES / "tiers" / "candidates.toml")
    asked = TierRequest(EXAMPLES / "one-big-pool.toml", tiers=[candidates], objective="dollars")
    return derive(asked, folder, folder)


def test_every_configuration_is_as_printed(derived):
    shown = rows("configuration")
    assert len(shown) == len(derived.alternatives) == 6
    for (_, drives, watts, usd, response), row in zip(shown, derived.alternatives, strict=True):
        assert drives == " + ".join(map(str, row.counts))
        assert number(watts) == pytest.approx(row.power_w, rel=0.01)
        assert number(usd) == row.usd
        assert number(response) == pytest.approx(row.response_time_ms, rel=0.02)


def test_prediction_and_simulation_are_as_printed(derived):
    predicted, simulated = derived.chosen.predicted, derived.simulated
    errors = derived.errors
    told = [[number(cell) for cell in row[1:]] for row in rows("| one pool | predicted | simulated")]
    whole, of_tiers = told[:3], told[3:]
    for row, key in zip(whole, ("iops", "response_time_ms", "power_w"), strict=True):
        one, expected, got, error = row
        assert one == pytest.approx(getattr(derived.one_pool, key), rel=0.01)
        assert expected == pytest.approx(getattr(predicted, key), rel=0.01)
        assert got == pytest.approx(getattr(simulated, key), rel=0.01)
        assert error == pytest.approx(100 * getattr(errors, key), abs=1)
    assert len(of_tiers) == 2
    for at, row in enumerate(of_tiers):
        assert row[1] == pytest.approx(derived.chosen.tiers[at].operations_per_s, rel=0.01)
        assert row[2] == pytest.approx(simulated.tiers[at].operations_per_s, rel=0.01)


def test_extents_grow_as_far_as_the_page_and_the_key_say():
    """30 TB under a trace have extents of 512 MiB by default; a made load has 512 of them."""
    text = " ".join(PAGE.read_text("utf-8").split())
    told = find_key("observe.heat.extent").description
    for most in (heat.EXTENTS_MADE, heat.EXTENTS_TRACED):
        assert f"{most:,}" in text and f"{most:,}" in told
    end = ["workload.oltp.trace.end=5s"]
    run = iowatt.run(EXAMPLES / "oltp-raid5.toml", set=end)
    (space,) = run.summary["heat"]["spaces"]
    extent = run.summary["heat"]["extent_bytes"]
    assert space["capacity_bytes"] / extent <= heat.EXTENTS_TRACED < 2 * space["capacity_bytes"] / extent
    assert f" {extent >> 20} MiB " in text and " 30 TB" in text
    asked = iowatt.run(EXAMPLES / "oltp-raid5.toml", set=[*end, "observe.heat={}"])
    assert asked.summary["heat"]["extent_bytes"] == heat.EXTENT
