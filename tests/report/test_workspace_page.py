"""The index of an exported workspace: overloaded Runs are told apart, and not drawn to scale."""

from __future__ import annotations

from iowatt.pages.workspace import RunPrice, site_document
from iowatt.run.workspace import Workspace, WorkspaceEntry


def entry(path, name, p95_ms, watts):
    return WorkspaceEntry(
        path=path, kind="run", name=name, source="simulation", response_p95_ms=p95_ms, power_mean_w=watts,
        at="2026-11-30T10:00:00Z",
    )  # fmt: skip


def drawn(prices):
    runs = [entry("a", "same", 10.0, 40.0), entry("b", "same", 20.0, 80.0), entry("c", "own", 9e5, 60.0)]
    return site_document(Workspace(directory="lab", entries=runs, notes=[]), {}, prices)


def test_overloaded_runs_stand_above_the_scale_with_their_own_figure():
    made = drawn({path: RunPrice(1000.0, 50.0, late=path == "c") for path in "abc"})
    kept, late = made.chart.spec["data"]
    assert kept["text"] == ["a", "b"] and kept["y"] == [10.0, 20.0]
    assert late["name"].endswith(": 1") and late["text"] == ["own"]
    assert 20 < late["y"][0] <= 40 and late["customdata"] == [9e5]
    assert len(made.verdict) == 2
    (table,) = (figure.table for figure in made.sections[0].figures)
    per_tb = [one.title for one in table.columns].index("Per usable TB")
    assert [row[per_tb] for row in table.rows] == [50.0, 50.0, None]


def test_runs_that_all_keep_up_or_none_does_are_drawn_to_scale():
    (kept,) = drawn({}).chart.spec["data"]
    assert kept["y"] == [10.0, 20.0, 9e5]
    made = drawn({path: RunPrice(None, None, late=True) for path in "abc"})
    (late,) = made.chart.spec["data"]
    assert late["y"] == [10.0, 20.0, 9e5] and late["name"] == "Overloaded"
