"""Wall power of simulated Runs: books that balance, and what the calculator says of the same array."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import iowatt
from figures import figures
from iowatt.base.problems import DocumentError
from iowatt.model.scenario import calculated_power, load
from iowatt.render import numbers
from iowatt.run.tables import ARRAY_STATES
from iowatt.sources.simulation.wall import DRIVES_ALONE, SUPPLIES_OVERLOADED

POWER = """
[array.power]
[[array.power.enclosure]]
name = "head"
supply = { rating = "500W", efficiency = "80plus-gold" }
part = [
    { name = "controller", kind = "controller", idle = "60W", active = "100W", law = "utilisation" },
    { name = "port", kind = "adapter", idle = "5W", active = "15W", law = "throughput", full_iops = 200 },
    { name = "fan", kind = "fan", active = "16W", law = "speed-cubed", speed = 0.5 },
]
[[array.power.enclosure]]
name = "shelf"
slots = 3
pools = ["disks"]
supply = { rating = "250W", efficiency = "80plus-gold" }
part = [{ name = "expander", kind = "io-module", idle = "8W" }]
"""
ARRAY = """
name = "made"
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 4
raid = { level = 5 }
[array.controller]
processing = { read = "2ms", write = "5ms", processors = 2 }
"""
WORK = """
[[workload]]
name = "w"
profile = { name = "uniform", rate_iops = 60, duration = "95s" }
[observe]
interval = "10s"
"""
REST = """
[observe]
interval = "10s"
duration = "100s"
"""


@pytest.fixture(scope="module")
def run():
    return iowatt.run(ARRAY + POWER + WORK)


@pytest.fixture(scope="module")
def bare():
    return iowatt.run(ARRAY + WORK)


def test_a_part_follows_the_link_that_it_is_an_end_of():
    """Idle for the window, and the difference to active for the time that the link carries data."""
    path = """
[[path]]
name = "san"
protocol = "fcp"
hop = [{ link = "fc-8g", name = "fibre" }]
"""
    follows = 'law = "transfer", of = "path.san.fibre"'
    optics = f'part = [{{ name = "optics", idle = "1W", active = "3W", {follows}, count = 2 }},'
    text = ARRAY + POWER.replace("part = [", optics, 1) + path + WORK
    summary = iowatt.run(text).summary
    seconds = summary["window"]["duration_s"]
    ways = [hop["utilisation"] for hop in summary["paths"][0]["hops"] if hop["hop"] == "fibre"]
    assert len(ways) == 2 and min(ways) > 0
    joules = 2 * seconds * (1.0 + 2.0 * sum(ways) / 2)
    assert summary["energy"]["by_component_j"]["head.optics"] == pytest.approx(joules, rel=1e-9)


@pytest.mark.parametrize(
    ("part", "code", "key"),
    [
        ('law = "transfer"', "missing", "of"),
        ('law = "transfer", of = "path.san.fibre"', "unknown-name", "of"),
        ('law = "constant", of = "bus.scsi"', "not-applicable", "of"),
    ],
)
def test_a_part_follows_what_there_is(part, code, key):
    optics = f'part = [{{ name = "optics", idle = "1W", active = "3W", {part} }},'
    with pytest.raises(DocumentError) as caught:
        load(ARRAY + POWER.replace("part = [", optics, 1) + WORK)
    assert [(one.code, one.path[-1]) for one in caught.value.problems] == [(code, key)]


def test_the_drives_figures_are_those_without_power(run, bare):
    for key in ("mean", "max", "idle"):
        assert run.summary["power_w"][key] == bare.summary["power_w"][key]
    assert run.summary["devices"] == bare.summary["devices"]
    assert run.summary["throughput"] == bare.summary["throughput"]
    assert bare.summary["power_w"]["wall_mean"] is None
    assert (bare.summary["power_basis"], run.summary["power_basis"]) == ("device", "wall")
    assert bare.table("intervals")["wall_w"].null_count() == bare.table("intervals").height
    assert (DRIVES_ALONE in bare.notes, DRIVES_ALONE in run.notes) == (True, False)


def test_states_components_and_intervals_add_up_to_the_wall(run):
    energy, power = run.summary["energy"], run.summary["power_w"]
    span = run.summary["window"]["duration_s"]
    assert sum(energy["by_state_j"].values()) == pytest.approx(energy["total_j"], rel=1e-12)
    assert sum(energy["by_component_j"].values()) == pytest.approx(energy["total_j"], rel=1e-12)
    assert power["wall_mean"] * span == pytest.approx(energy["total_j"], rel=1e-12)
    rows = run.table("intervals")
    width = (rows["end_s"] - rows["start_s"]).to_numpy()
    assert float((rows["wall_w"].to_numpy() * width).sum()) == pytest.approx(energy["total_j"], rel=1e-9)
    states = [column for column in rows.columns if column.endswith("_j")]
    summed = rows.select(pl.sum_horizontal(states)).to_series().to_numpy()
    assert summed == pytest.approx(rows["wall_w"].to_numpy() * width)
    assert power["wall_max"] >= power["wall_mean"] > power["mean"]
    for state in ("parts_idle", "parts_active", "supply_loss"):
        assert energy["by_state_j"][state] > 0


def test_parts_partition_their_time(run):
    rows = run.table("energy").filter(pl.col("state").is_in(("parts_idle", "parts_active")))
    span = run.summary["window"]["duration_s"]
    times = rows.group_by("component").agg(pl.col("time_s").sum())
    assert set(times["component"]) == {"head.controller", "head.port", "head.fan", "shelf.expander"}
    assert times["time_s"].to_list() == pytest.approx([span] * 4)


def test_the_controller_works_as_its_processors_do(run):
    utilisation = run.summary["controller"]["processors"]["utilisation"]
    span = run.summary["window"]["duration_s"]
    rows = run.table("energy").filter(pl.col("component") == "head.controller")
    assert sum(rows["energy_j"]) == pytest.approx((60 + 40 * utilisation) * span, rel=1e-6)
    assert utilisation == pytest.approx(0.06, rel=0.7)


def test_throughput_is_that_of_each_interval(run):
    rows = run.table("intervals")
    width = (rows["end_s"] - rows["start_s"]).to_numpy()
    busy = np.minimum(rows["completions"].to_numpy() / width / 200, 1)
    port = run.table("energy").filter(pl.col("component") == "head.port")
    assert sum(port["energy_j"]) == pytest.approx(float(((5 + 10 * busy) * width).sum()))


def test_efficiency_is_over_the_wall(run):
    watts = run.summary["power_w"]["wall_mean"]
    assert run.summary["efficiency"]["iops_per_w"] == pytest.approx(run.summary["throughput"]["iops"] / watts)


def test_an_idle_array_draws_what_the_calculator_says(tmp_path):
    path = tmp_path / "idle.toml"
    path.write_text(ARRAY + POWER + REST)
    summary = iowatt.run(path).summary
    expected = calculated_power(path).modes["normal"]["idle"].wall_w
    power = summary["power_w"]
    assert power["wall_mean"] == pytest.approx(expected, rel=1e-12)
    assert power["wall_max"] == pytest.approx(expected, rel=1e-12)
    assert power["wall_idle"] == pytest.approx(expected, rel=1e-12)
    assert summary["energy"]["total_j"] == pytest.approx(expected * 100, rel=1e-12)
    assert summary["energy"]["above_idle_j"] == pytest.approx(0, abs=1e-6)
    assert summary["power_w"]["mean"] == pytest.approx(4 * 22.3)


def test_work_costs_less_than_the_calculators_active_array(run, tmp_path):
    path = tmp_path / "work.toml"
    path.write_text(ARRAY + POWER + WORK)
    modes = calculated_power(path).modes["normal"]
    assert modes["idle"].wall_w < run.summary["power_w"]["wall_mean"] < modes["active"].wall_w


def test_the_same_run_gives_the_same_tables(run):
    again = iowatt.run(ARRAY + POWER + WORK)
    assert again.table("energy").equals(run.table("energy"))
    assert again.table("intervals").equals(run.table("intervals"))


def test_supplies_that_would_not_survive_are_said():
    # At rest 4 drives and an expander in two shelves; at work they draw more than their idle watts.
    small = POWER.replace('rating = "250W"', 'rating = "126W"')
    assert not [note for note in iowatt.run(ARRAY + small + REST).notes if SUPPLIES_OVERLOADED in note]
    spinning = ARRAY.replace(
        "count = 4", 'count = 4\npower = { policy = "fixed-threshold", threshold = "1s" }'
    )
    drive = '"arrays2002-disk"', '{ name = "arrays2002-disk", power = { spin_up = "60W" } }'
    work = WORK.replace("rate_iops = 60", "rate_iops = 0.05")
    notes = iowatt.run(spinning.replace(*drive) + small + work).notes
    assert any(SUPPLIES_OVERLOADED in note and figures(note)[0] > 0 for note in notes)


def test_a_warm_up_is_in_no_figure():
    run = iowatt.run(ARRAY + POWER + WORK + 'warmup = "30s"\n')
    energy = run.summary["energy"]
    span = run.summary["window"]["duration_s"]
    assert math.isclose(run.summary["power_w"]["wall_mean"] * span, energy["total_j"])
    expander = run.table("energy").filter(pl.col("component") == "shelf.expander")
    # One in each of two shelves.
    assert sum(expander["energy_j"]) == pytest.approx(2 * 8 * span)


def test_the_bundle_keeps_the_plan_and_counts_part_files_as_inputs(tmp_path):
    (tmp_path / "mine.toml").write_text('name = "mine"\ntitle = "Mine"\nkind = "io-module"\nidle = "8W"\n')
    path = tmp_path / "made.toml"
    path.write_text(ARRAY + POWER.replace('kind = "io-module", idle = "8W"', 'model = "mine.toml"') + REST)
    run = iowatt.run(path, output=tmp_path / "out")
    assert run.plan["power"]["enclosures"][1]["parts"][0]["idle_w"] == 8
    assert any(Path(i["path"]).name == "mine.toml" for i in run.summary["provenance"]["inputs"])
    assert set(run.table("energy")["state"]) >= set(ARRAY_STATES) - {"parts_active"}


def test_the_report_shows_the_wall(run, tmp_path):
    from iowatt.pages.run import document, write

    part = document(run)
    figures = {figure.key: figure for figure in part.figures()}
    wall = figures["power-at-the-wall"].table
    assert sum(wall.column("Mean")) == pytest.approx(run.summary["power_w"]["wall_mean"])
    assert wall.column("Component")[0].split()[0] == "disks"
    assert figures["energy-by-component"].table.column("Component") == [f"disks.{i}" for i in range(4)]
    over_time = figures["power-over-time"].table
    assert over_time.column("Total") == pytest.approx(run.table("intervals")["wall_w"].to_list())
    watts = numbers.with_unit(run.summary["power_w"]["wall_mean"], "W")
    lost = run.summary["energy"]["by_state_j"]["supply_loss"] / run.summary["energy"]["total_j"]
    for figure in (watts, numbers.percent(lost)):
        assert any(figure in sentence for sentence in part.verdict)
    tiles = {tile.key: tile for tile in part.headlines}
    assert tiles["power"].value == run.summary["power_w"]["wall_mean"]
    assert tiles["total"].remark
    assert figures["system-enclosures"].table.rows
    write([run], tmp_path / "report.xlsx")
    write([run], tmp_path / "report.html")
