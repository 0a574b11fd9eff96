"""The latency budget in reports: the section of a Run with a path, its page, its sheets, its text."""

from __future__ import annotations

import pytest

from iowatt.lenses.budget import ServiceLevel, analyse
from iowatt.lenses.budget.result import HopName
from iowatt.lenses.findings import findings
from iowatt.pages import run as report
from iowatt.pages.budget import document, figures
from iowatt.pages.budget import hops as drawn
from iowatt.pages.run import document as run_document
from iowatt.render import terminal, write
from lenses.budget_runs import DRIVE, PROCESSORS, SLOTS, WAY
from lenses.budget_runs import made as run_at
from report.workbook import Book


def within(ms: float, of: str = "mean") -> ServiceLevel:
    return ServiceLevel(within_ms=ms, of=of)


RATES = (500.0, 3000.0, 6000.0, 7000.0)
SHOWN = (1, 2, PROCESSORS, DRIVE, 3)
"""Slots of the path whose hops have a share of the bars of their own."""


@pytest.fixture(scope="module")
def one():
    return run_at(4000, 6000)[0]


@pytest.fixture(scope="module")
def several():
    return [run_at(rate, 3000)[0] for rate in RATES]


def test_only_runs_with_a_path_have_the_section(one, made):
    def sections(run):
        return [section.key for section in run_document(run).sections]

    assert "budget" in sections(one)
    assert "budget" not in sections(made)


def test_a_terminal_prints_the_same_of_a_run_without_its_charts(one, made):
    for run in (one, made):
        told, whole = report.brief(run), run_document(run)
        assert told.chart is None
        assert list(terminal.parts(told, notes=True)) == list(terminal.parts(whole, notes=True))


def test_the_bars_and_their_table_say_the_same(one):
    (figure,) = figures.bars(analyse([one]))
    rows = [dict(zip([c.title for c in figure.table.columns], row, strict=True)) for row in figure.table.rows]
    names = [each.name for each in analyse([one]).classes]
    for number, name in enumerate(names):
        mine = [row for row in rows if row["Requests"] == name]
        assert sum(row["Share"] for row in mine) == pytest.approx(100)
        length = sum(trace["x"][number] for trace in figure.spec["data"])
        assert length == pytest.approx(sum(row["Both"] for row in mine))
    assert figure.spec["data"][0]["y"] == names


def test_the_stack_is_in_the_order_of_the_way(one):
    traces = figures.bars(analyse([one]))[0].spec["data"]
    names = list(dict.fromkeys(trace["name"] for trace in traces))
    way = [HopName(hop=SLOTS[slot][0], place="", way=SLOTS[slot][2]).label for slot in WAY if slot in SHOWN]
    assert [name for name in names if name in way] == way
    assert len(way) == len(SHOWN)
    assert [trace for trace in traces if "pattern" in trace["marker"]]
    colours = {trace["name"]: trace["marker"]["color"] for trace in traces}
    assert colours[way[1]] == colours[way[-1]]


def test_bands_are_whole_bars(one):
    for figure in figures.bands(analyse([one])):
        for at in range(len(figure.spec["data"][0]["x"])):
            assert sum(trace["y"][at] for trace in figure.spec["data"]) == pytest.approx(100)
        assert figure.table.columns[-1].title.startswith("slowest 0.1 %")


def test_small_hops_are_drawn_together_and_nothing_is_lost():
    hops = [HopName(hop=name, place="fabric", way="") for name in "abc"]
    traces, chosen = drawn.marks(
        hops, [([0.0, 0.001, 0.0], [1.0, 0.0, 0.002])], along="x", places=["w"], unit="ms"
    )
    assert (list(chosen.alone), list(chosen.others)) == ([0], [1, 2])
    assert sum(trace["x"][0] for trace in traces) == pytest.approx(1.003)
    assert "2 hops" in chosen.remarks[0] and "0.5" in chosen.remarks[0]


def test_loads_are_stacked_to_the_response_time(several):
    found = analyse(several, level=within(0.6), overloaded=[False, False, False, True])
    figure = figures.over_load(found)[0]
    stacked = [trace for trace in figure.spec["data"] if "stackgroup" in trace]
    loads = found.classes[0].loads
    for at, load in enumerate(loads[:3]):
        assert sum(trace["y"][at] for trace in stacked) == pytest.approx(load.response_ms["mean"])
    assert all(len(trace["x"]) == 3 for trace in stacked)
    assert figure.table.column("Verdict") == ["steady"] * 3 + ["overloaded"]
    names = [trace["name"] for trace in figure.spec["data"]]
    assert len(names) > len(stacked)
    level = next(trace for trace in figure.spec["data"] if trace.get("line", {}).get("dash") == "dash")
    factor = level["y"][0] / 0.6
    assert level["y"] == pytest.approx([0.6 * factor] * 2)
    assert figures.over_load(analyse(several[:1])) == []


def test_the_page_has_every_figure_with_a_table(several, tmp_path):
    found = analyse(several, level=within(0.6, "p95"))
    written = tmp_path / "budget.html"
    write.write(document(found), written)
    text_of = written.read_text(encoding="utf-8")
    for key in ("budget-load-0", "budget-hops-0", "budget-against-2"):
        assert f'id="budget-{key}"' in text_of
    assert text_of.count("<figure") == text_of.count("</table>")


def test_a_workbook_has_the_budget_only_where_there_is_one(one, made, tmp_path):
    book = Book(report.write([one, made], tmp_path / "both.xlsx"))
    alone = Book(report.write([made], tmp_path / "one.xlsx"))
    added = [name for name in book.names if name not in alone.names]
    hops, bands = (book.rows(name) for name in added)
    assert hops[0]["C"] == "Hop"
    assert len(hops) == 1 + 3 * 9
    assert len(bands) == 1 + 3 * 8 * 9


def test_the_report_says_where_time_goes_and_what_is_busy(one):
    (section,) = [section for section in run_document(one).sections if section.key == "budget"]
    assert any(f"{SLOTS[PROCESSORS][0]} 6" in sentence for sentence in section.sentences)
    assert "busy-path" not in {note.code for note in findings(one)}
    summary = dict(one.summary)
    path = summary["paths"][0]
    summary["paths"] = [{**path, "hops": [{**path["hops"][0], "utilisation": 0.95}]}]
    busy = replace_summary(one, summary)
    (note,) = [note for note in findings(busy) if note.code == "busy-path"]
    assert all(part in note.text for part in ("san", "hba", "95"))


def replace_summary(run, summary):
    from iowatt.run.bundle import Run

    tables = {name: run.table(name) for name in ("intervals", "latency", "energy", "devices", "hops")}
    return Run(summary=summary, plan=run.plan, scenario_text=run.scenario_text, tables=tables)


def shown(budget, **how):
    return [part for part in terminal.parts(document(budget), **how) if isinstance(part, str)]


def test_the_terminal_tells_level_rate_and_hop(one, several):
    for runs, within_ms, first in (
        ([one], 1.0, True),
        ([one], 0.2, True),
        (several, 0.6, True),
        (several, 90.0, False),
    ):
        budget = analyse(runs, level=within(within_ms))
        verdict = document(budget).verdict[0]
        assert shown(budget)[1] == verdict
        assert (f"{within_ms:g}" in verdict) or within_ms < 1
        assert (SLOTS[PROCESSORS][0] in verdict) is first


def test_interrupts_that_are_held_back_are_a_caveat_on_the_terminal_and_the_page():
    moderation = {"processors": 1, "moderation_s": 200e-6, "moderation_count": 8}
    budget = analyse([run_at(2000, 1000, processing=moderation)[0]], level=within(0.6))
    caveats = [note.text for note in budget.notes if note.code == "interrupt-moderation"]
    assert caveats
    assert all("200 us" in text for text in caveats)
    page = write.page([document(budget)])
    printed = "\n".join(shown(budget, notes=True))
    for text in caveats:
        assert text in printed
        assert text in page
    assert caveats[0] not in "\n".join(shown(budget))
