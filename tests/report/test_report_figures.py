"""Every figure: a plain spec with units on its axes, and a table that says the same."""

from __future__ import annotations

import json
from itertools import pairwise

import polars as pl
import pytest

from iowatt.pages.run import comparison, document, drives, energy, latency, over_time, parts
from iowatt.pages.run.headlines import headlines
from iowatt.render import palette
from iowatt.render.figure import Column, Table
from report.fixture import Recipe, build

ALL_KEYS = {
    "percentiles",
    "response-distribution",
    "response-tail",
    "response-over-time",
    "energy-by-state",
    "power-over-time",
    "energy-by-cause",
    "energy-by-component",
    "throughput-over-time",
    "bandwidth-over-time",
    "queue-over-time",
    "utilisation",
    "queue-by-drive",
    "every-drive",
}


def of(run):
    return {figure.key: figure for figure in document(run).figures() if not figure.key.startswith("system-")}


def colours(value):
    if isinstance(value, str):
        return {value} if value.startswith("#") else set()
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return set().union(*map(colours, parts))


def test_a_run_with_one_workload_has_these_figures(made):
    assert set(of(made)) == ALL_KEYS


def test_specs_are_plain_and_their_axes_have_units(made):
    for figure in of(made).values():
        assert figure.table.rows, figure.key
        if figure.spec is None:
            continue
        json.dumps(figure.spec, allow_nan=False)
        assert set(figure.spec) == {"data", "layout"}
        assert all(trace["type"] in {"scatter", "bar"} for trace in figure.spec["data"])
        assert figure.spec["data"]
        titles = [figure.spec["layout"][name]["title"]["text"] for name in ("xaxis", "yaxis")]
        named = [title for title in titles if title]
        assert all("(" in title or title == "Requests" for title in named), (figure.key, titles)
        assert len(named) == (1 if figure.key in {"energy-by-state", "energy-by-cause"} else 2)


def test_every_colour_has_a_dark_twin(made):
    for figure in of(made).values():
        assert colours(figure.spec or {}) <= set(palette.DARK_TWINS), figure.key
    states = [palette.state_colour(state) for state in (*palette.STATE_COLOURS, "idle_b", "idle_c", "sleep")]
    assert set(states) | set(palette.RUNS) <= set(palette.DARK_TWINS)
    levels = [palette.state_colour(name) for name in ("idle_a", "idle_b", "idle_c", "standby_y")]
    assert not set(levels) & {*palette.STATE_COLOURS.values(), *palette.ARRAY_COLOURS.values()}
    assert len(set(levels[:3])) == 3
    assert len(set(palette.STATE_COLOURS.values())) == len(palette.STATE_COLOURS)


@pytest.mark.parametrize("key", sorted(key for key in ALL_KEYS if key.endswith("-over-time")))
def test_lines_over_time_hold_the_table(made, key):
    figure = of(made)[key]
    edges = [*figure.table.column("From"), figure.table.column("To")[-1]]
    for trace in figure.spec["data"]:
        if trace["name"] == "When idle":
            continue
        # one hour is shown in minutes; the last value is held to the end of its interval
        assert [60 * x for x in trace["x"]] == pytest.approx(edges)
        column = figure.table.column(trace["name"])
        assert trace["y"] == [*column, column[-1]]


def test_power_adds_up(made):
    table = over_time.power(made).table
    states = [column.title for column in table.columns if column.title not in {"From", "To", "Total"}]
    for row in zip(*(table.column(title) for title in [*states, "Total"]), strict=True):
        assert sum(row[:-1]) == pytest.approx(row[-1])
    widths = [b - a for a, b in zip(table.column("From"), table.column("To"), strict=True)]
    joules = sum(watts * width for watts, width in zip(table.column("Total"), widths, strict=True))
    assert joules == pytest.approx(made.summary["energy"]["total_j"])


def test_energy_by_state_and_by_drive_are_the_ledger(made):
    # 8 disks for an hour, busy 20 % of it: 6 % active at 14 W, 14 % positioning at 16.5 W, 80 % idle at 12 W
    by_state = energy.by_state(made)
    assert by_state.table.column("State") == [
        palette.state_name(s) for s in ("active", "positioning", "idle")
    ]
    assert by_state.table.column("Share of time") == pytest.approx([6.0, 14.0, 80.0])
    assert by_state.table.column("Mean power in the state") == pytest.approx([14.0, 16.5, 12.0])
    assert by_state.table.columns[1].heading == "Energy (kJ)"
    kilojoules = [8 * 3.6 * share * watts for share, watts in ((0.06, 14.0), (0.14, 16.5), (0.8, 12.0))]
    assert by_state.table.column("Energy") == pytest.approx(kilojoules)
    assert by_state.spec["data"][0]["x"] == by_state.table.column("Energy")
    by_drive = energy.by_component(made)
    assert sum(by_drive.table.column("Total")) == pytest.approx(sum(kilojoules))
    assert [trace["name"] for trace in by_drive.spec["data"]] == [
        palette.state_name(state) for state in ("idle", "active", "positioning")
    ]
    for trace in by_drive.spec["data"]:
        assert trace["y"] == by_drive.table.column(trace["name"])
        assert trace["marker"]["color"] in palette.STATE_COLOURS.values()


def test_points_of_a_distribution_are_exact_and_the_ends_are_kept():
    # 10 000 requests of 1 ms .. 10 s, one each 1 ms: the share finished within x ms is x / 100 %
    ns = [1_000_000 * (i + 1) for i in range(10_000)]
    points = latency.points(pl.DataFrame({"high_ns": ns, "count": [1] * len(ns)}))
    assert points[0] == (1.0, 0.01, 99.99)
    assert points[-1] == (10_000.0, 100.0, 0.0)
    assert len(points) < 400
    for milliseconds, within, longer in points:
        assert within == pytest.approx(milliseconds / 100)
        assert within + longer == pytest.approx(100)
    # nothing that could be seen was left out: the bin (1 ms, 0.01 %) before a kept one was close
    for (x0, y0, z0), (x1, y1, z1) in pairwise(points):
        assert x1 - 1 < 1.12 * x0
        assert y1 - 0.01 - y0 < 0.4 + 1e-9
        assert z1 + 0.01 > 0.9 * z0


def test_distribution_and_tail_draw_the_table(made):
    for build_one, title in ((latency.distribution, "Finished within"), (latency.tail, "Took longer")):
        figure = build_one(made)
        for trace in figure.spec["data"]:
            mine = [row for row in figure.table.rows if row[0] == trace["name"]]
            at = [column.title for column in figure.table.columns].index(title)
            assert trace["x"] == [row[1] for row in mine]
            assert trace["y"] == [row[at] or None for row in mine]
        assert {trace["name"] for trace in figure.spec["data"]} == {"Reads", "Writes"}
        assert figure.remarks


def test_percentiles_are_the_summary(made):
    table = latency.percentiles(made).table
    times = made.summary["response_time_ms"]
    assert [(column.title, column.unit) for column in table.columns[1:]] == [
        ("All", "ms"), ("Reads", "ms"), ("Writes", "ms"),
    ]  # fmt: skip
    by_name = {row[0]: row[1:] for row in table.rows}
    assert by_name["p99.99"] == [times[key]["p9999"] for key in ("all", "read", "write")]
    assert [cells[0] for name, cells in by_name.items() if "95 %" in name] == [*times["all"]["mean_ci95"]]
    assert by_name["Maximum"][0] == times["all"]["max"]


def test_drives_are_numbered_within_one_pool_and_named_across_pools(made):
    figure = drives.queues(made)
    assert "disks" in figure.spec["layout"]["xaxis"]["title"]["text"]
    assert figure.spec["data"][0]["x"] == list("01234567")
    assert figure.spec["data"][1]["y"] == figure.table.column("Seen on arrival")
    assert drives.drive_axis(["a.0", "b.0"])[1] == ["a.0", "b.0"]
    assert drives.drive_axis(["a.0"])[1] == ["a.0"]


def test_four_hundred_drives_stay_readable():
    run = build(Recipe(disks=400, intervals=4))
    for figure in (energy.by_component(run), drives.utilisation(run)):
        assert len(figure.table.rows) == 400
        assert figure.spec["layout"]["bargap"] == 0
        assert figure.spec["layout"]["xaxis"]["nticks"] <= 40


def test_intervals_are_joined_by_their_meaning():
    table = pl.DataFrame(
        {
            "start_s": [0.0, 1.0, 2.0, 3.0],
            "end_s": [1.0, 2.0, 3.0, 6.0],
            "completions": [1, 3, 0, 2],
            "response_mean_ms": [2.0, 4.0, None, 7.0],
            "response_p95_ms": [5.0, 7.0, None, 8.0],
            "power_w": [10.0, 20.0, 40.0, 20.0],
            "idle_j": [10.0, 20.0, 40.0, 60.0],
        }
    )
    series = over_time.series_of(table, most=2)
    assert series.spans() == [[0.0, 2.0], [2.0, 6.0]]
    assert series.values("completions") == [4.0, 2.0]
    assert series.values("response_mean_ms") == [(1 * 2 + 3 * 4) / 4, 7.0]
    assert series.values("response_p95_ms") == [7.0, 8.0]
    assert series.values("power_w") == [15.0, (40 * 1 + 20 * 3) / 4]
    assert series.rate("idle_j") == [15.0, 25.0]
    assert [int(word) for word in series.remarks[0].split() if word.isdecimal()] == [2, 1]
    assert over_time.series_of(table).remarks == []
    assert over_time.series_of(table.head(0)) is None


def test_a_long_run_says_that_its_intervals_were_joined():
    run = build(Recipe(intervals=1300, rate=0.2))
    figure = over_time.throughput(run)
    assert len(figure.table.rows) == 434  # ceil(1300 / 3)
    assert "3" in figure.remarks[0].split() and "1,300" in figure.remarks[0]
    seconds = [b - a for a, b in zip(figure.table.column("From"), figure.table.column("To"), strict=True)]
    arrived = sum(rate * width for rate, width in zip(figure.table.column("Arrivals"), seconds, strict=True))
    assert arrived == pytest.approx(run.summary["requests"]["count"])


def test_a_growing_queue_is_drawn_on_a_log_axis():
    run = build(Recipe(overload=True))
    assert over_time.queue(run).spec["layout"]["yaxis"]["type"] == "log"
    assert "log" in over_time.queue(run).spec["layout"]["yaxis"]["title"]["text"]
    assert "log" in over_time.response_time(run).spec["layout"]["yaxis"]["title"]["text"]
    assert over_time.response_time(run).spec["layout"]["yaxis"]["type"] == "log"


def test_workloads_and_volumes_side_by_side():
    run = build(Recipe(workloads=("oltp", "batch")))
    table = parts.workloads(run).table
    assert table.column("Workload") == ["oltp", "batch"]
    assert sum(table.column("Requests")) == run.summary["requests"]["count"]
    assert parts.volumes(run).table.column("Volume") == ["vol-oltp", "vol-batch"]
    assert {trace["name"] for trace in latency.by_workload(run).spec["data"]} == {"oltp", "batch"}


def test_no_requests_leave_energy_and_drives():
    found = of(build(Recipe(rate=0, busy=0)))
    assert {"energy-by-state", "power-over-time", "energy-by-component"} <= set(found)
    assert not {"percentiles", "response-distribution", "response-over-time", "queue-over-time"} & set(found)
    # 8 disks idle at 12 W for an hour
    assert found["energy-by-state"].table.column("Energy") == pytest.approx([8 * 12 * 3.6])


def test_names_are_shown_by_charts_as_they_are():
    name = "<b>a</b>&%{x}"
    run = build(Recipe(workloads=(name, "b"), pool=name))
    assert latency.by_workload(run).spec["data"][0]["name"] == "&lt;b&gt;a&lt;/b&gt;&amp;%{x}"
    for figure in of(run).values():
        for trace in (figure.spec or {"data": []})["data"]:
            texts = [trace.get("hovertemplate", ""), trace.get("name", ""), *map(str, trace["x"])]
            assert not any("<b>" in text for text in texts)
    assert parts.workloads(run).table.column("Workload")[0] == name


def test_runs_are_compared_with_the_first():
    runs = [build(Recipe(intervals=10)), build(Recipe(intervals=10, slowdown=1.5))]
    table = comparison.side_by_side(runs, ["a", "b"]).table
    assert [column.title for column in table.columns[1:]] == ["a", "b"]
    for number, run in enumerate(runs, 1):
        first = headlines(run.summary)
        cells = [row[number] for row in table.rows]
        # Eight drives of 33.6 GB, one of them for parity; after the headlines.
        assert cells[: len(first)] == [headline.value for headline in first]
        assert cells[len(first)] == pytest.approx(7 * 33.6 / 1000)
    rows = {
        headline.key: row for headline, row in zip(headlines(runs[0].summary), table.texts(), strict=False)
    }
    assert "+50" in rows["mean"][2] and "+" not in rows["mean"][1]
    assert "same" in rows["power"][2]
    drawn = comparison.distributions(runs, ["a", "b"])
    assert [trace["name"] for trace in drawn.spec["data"]] == ["a", "b"]
    for trace in drawn.spec["data"]:
        mine = [row for row in drawn.table.rows if row[0] == trace["name"]]
        assert trace["x"] == [row[1] for row in mine]
        assert trace["y"] == [row[2] for row in mine]


def test_a_table_has_as_many_cells_as_columns_and_no_nan():
    assert Table([Column("a")], [[float("nan")], [1.5]]).rows == [[None], [1.5]]
    with pytest.raises(ValueError):
        Table([Column("a")], [[1.0, 2.0]])
