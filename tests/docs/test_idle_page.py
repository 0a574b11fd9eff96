"""The table of HP's week in docs/howto/idle-periods.md is what the commands above it print."""

from __future__ import annotations

import re

import printed
import pytest

import iowatt
from iowatt.lenses.idle import analyse

PAGE = printed.ROOT / "docs" / "howto" / "idle-periods.md"


def rows(heading: str) -> list[list[str]]:
    """Cells of the table that begins with a heading."""
    _, _, rest = PAGE.read_text("utf-8").partition(f"| {heading} |")
    lines = rest.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def number(cell: str) -> float:
    return float(re.sub(r"[^0-9.-]", "", cell) or 0)


@pytest.fixture(scope="module")
def week():
    return iowatt.run(printed.ROOT / "examples" / "hp-week.toml")


def test_every_policy_of_the_week_is_as_printed(week):
    found = analyse(week).policies
    shown = rows("policy")
    assert len(shown) == len(found) == 14
    for (name, saved, delayed, share, each, mean, stops), row in zip(shown, found, strict=True):
        assert name.lower() == row.title.lower()
        assert number(saved) == pytest.approx(100 * row.saved_share, abs=0.05)
        assert number(delayed) == row.delayed
        assert number(share) == pytest.approx(100 * row.delayed_share, abs=0.05)
        assert number(each) == pytest.approx(row.added_delay_of_delayed_s or 0, abs=0.051)
        assert number(mean) == pytest.approx(row.added_delay_per_access_s, abs=0.0051)
        assert number(stops) == row.start_stops


@pytest.mark.parametrize("row", rows("simulated policy"), ids=lambda row: row[0])
def test_the_simulation_of_a_policy_is_as_printed(week, row):
    name, _, threshold = row[0].partition(", ")
    by_lens, simulated, stops_lens, stops, added_lens, added = map(number, row[1:])
    more = f', threshold = "{threshold.replace(" ", "")}"' if threshold else ""
    policy = f'{{ policy = "{name}"{more} }}'
    run = iowatt.run(
        printed.ROOT / "examples" / "hp-week.toml",
        set={f"array.pool.{disk}.power": policy for disk in ("disk0", "disk1")},
    )
    key = f"{name}-{threshold.replace(' ', '')}" if threshold else name
    lens = next(p for p in analyse(week).policies if p.policy == key)

    def mean_s(of) -> float:
        return of.summary["response_time_ms"]["all"]["mean"] / 1e3

    saved_j = week.summary["energy"]["total_j"] - run.summary["energy"]["total_j"]
    found_stops = sum(device["spin_downs"] for device in run.summary["devices"])
    assert saved_j / 1e3 == pytest.approx(simulated, abs=0.51)
    assert lens.saved_j / 1e3 == pytest.approx(by_lens, abs=0.51)
    assert (found_stops, lens.start_stops) == (stops, stops_lens)
    assert mean_s(run) - mean_s(week) == pytest.approx(added, abs=0.0051)
    assert lens.added_delay_per_access_s == pytest.approx(added_lens, abs=0.0051)
    if name.startswith("oracle"):  # it moves no arrival: the same policy on the same periods
        assert saved_j == pytest.approx(lens.saved_j, rel=1e-6)
        assert mean_s(run) == mean_s(week)
    else:
        assert saved_j == pytest.approx(lens.saved_j, rel=0.023)
