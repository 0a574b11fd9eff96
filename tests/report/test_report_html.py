"""The page: complete, self-contained, and deaf to whatever a scenario or a trace is called."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from iowatt.pages.run import document, documents, labels
from iowatt.render import html, write
from iowatt.render.document import Document, Section
from iowatt.render.figure import Column, Figure, Table, text_columns
from report.fixture import Recipe, build

VOID = {"meta", "link", "img", "br", "input", "hr", "source", "base", "area", "embed", "col", "track", "wbr"}


def render(runs):
    return write.page(documents(runs))


class Reader(HTMLParser):
    """Collects elements with their attributes and text, and checks that they nest."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        element = {"tag": tag, "attrs": dict(attrs), "text": ""}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        for element in self.open[-2:]:
            element["text"] += data

    def all(self, tag, **attrs):
        return [e for e in self.elements if e["tag"] == tag and attrs.items() <= e["attrs"].items()]


@pytest.fixture(scope="module")
def page(made):
    return render([made])


@pytest.fixture(scope="module")
def read(page):
    return Reader(page)


def data_of(read):
    return json.loads(read.all("script", id="report-data")[0]["text"])


def test_the_page_is_well_formed_and_titled(read):
    assert read.open == []
    assert read.all("h1")[0]["text"] == "tpcc-raid5"
    ids = [e["attrs"]["id"] for e in read.elements if "id" in e["attrs"]]
    assert len(ids) == len(set(ids))
    for link in read.all("a"):
        assert link["attrs"]["href"].removeprefix("#") in ids


def test_the_page_asks_the_network_for_nothing(read, page):
    for element in read.elements:
        assert element["tag"] not in {"link", "img", "iframe", "object", "embed", "form", "base"}
        for name, value in element["attrs"].items():
            assert name not in {"src", "srcset", "action", "data", "poster", "style"}
            assert not name.startswith("on")
            assert name != "href" or value.startswith("#")
    style = read.all("style")[0]["text"]
    assert "url(" not in style
    assert "@import" not in style
    outside = page.replace(html.PLOTLY.read_text(encoding="utf-8"), "")
    assert len(outside) < len(page) / 2
    assert not re.search(r"https?://|//cdn", outside)


def test_the_policy_admits_the_two_scripts_and_no_request(read):
    policy = read.all("meta", **{"http-equiv": "Content-Security-Policy"})[0]["attrs"]["content"]
    scripts = [e["text"] for e in read.all("script") if e["attrs"].get("type") != "application/json"]
    assert len(scripts) == 2
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "script-src 'sha256-" in policy


def test_the_vendored_script_is_the_one_in_its_readme():
    digest = hashlib.sha256(html.PLOTLY.read_bytes()).hexdigest()
    assert digest in (html.PLOTLY.parent / "README.md").read_text(encoding="utf-8")
    assert "MIT" in (html.PLOTLY.parent / "LICENSE.plotly").read_text(encoding="utf-8")


def test_every_figure_has_a_chart_a_table_and_a_button(read, made):
    figures = document(made).ids()
    data = data_of(read)["figures"]
    assert set(data) == set(figures)
    assert {e["attrs"]["data-figure"] for e in read.all("button", **{"class": "csv"})} == set(figures)
    charts = {key for key, figure in figures.items() if figure.spec}
    assert {e["attrs"]["data-figure"] for e in read.elements if e["attrs"].get("class") == "plot"} == charts
    for key, figure in figures.items():
        assert data[key]["columns"] == [column.heading for column in figure.table.columns]
        for embedded, row in zip(data[key]["rows"], figure.table.rows, strict=True):
            for found, cell in zip(embedded, row, strict=True):
                assert found == (pytest.approx(cell, rel=1e-7) if isinstance(cell, float) else cell)
    assert len(read.all("tr")) == sum(len(figure.table.rows) + 1 for figure in figures.values())


def test_headline_figures_notes_and_provenance_are_on_the_page(read, made):
    text = " ".join(" ".join(e["text"] for e in read.elements if e["tag"] in {"dd", "li", "td"}).split())
    assert f"{made.summary['power_w']['mean']:.0f} W".replace(" ", "") in text.replace(" ", "")
    assert made.summary["notes"] and all(
        note in text.replace("\u00a0", " ") for note in made.summary["notes"]
    )
    assert made.summary["provenance"]["command"] in text
    assert "ab" * 32 in " ".join(e["text"] for e in read.all("td"))
    assert 'name = "tpcc-raid5"' in read.all("pre")[0]["text"]
    assert "LOOK" in text
    assert "0.4 ×" in text


HOSTILE = "</script><script>alert(1)</script><img/src=x/onerror=\"alert('2')\">{{7*7}}"


def test_hostile_names_are_text():
    run = build(
        Recipe(
            name=HOSTILE,
            pool=HOSTILE,
            workloads=(HOSTILE, "b"),
            notes=(HOSTILE,),
            scenario=HOSTILE,
            intervals=4,
        )
    )
    read = Reader(render([run, run]))
    assert read.open == []
    assert len(read.all("script")) == 3
    assert read.all("img") == []
    assert not any(name.startswith("on") for e in read.elements for name in e["attrs"])
    assert read.all("h2")[1]["text"] == f"1: {HOSTILE}"
    assert read.all("pre")[0]["text"] == HOSTILE
    assert data_of(read)["figures"]["run1-workloads"]["rows"][0][0] == HOSTILE


def test_several_runs_are_compared_first(made):
    slower = build(Recipe(name="slower", slowdown=1.5))
    read = Reader(render([made, slower]))
    assert [e["text"] for e in read.all("h2")][1:] == ["tpcc-raid5", "slower"]
    cells = [e["text"] for e in read.all("td", **{"class": "n"})]
    assert any("+50\u00a0%" in text for text in cells)
    assert any("same" in text for text in cells)
    keys = set(data_of(read)["figures"])
    assert {"all-comparison", "all-comparison-distribution", "run1-percentiles", "run2-percentiles"} <= keys


def test_runs_of_one_name_are_told_apart(made, tmp_path):
    first, second = made.save(tmp_path / "a"), made.save(tmp_path / "b")
    assert labels([first, second]) == ["tpcc-raid5 (a)", "tpcc-raid5 (b)"]
    assert labels([first, first]) == ["1: tpcc-raid5 (a)", "2: tpcc-raid5 (a)"]
    assert labels([made]) == ["tpcc-raid5"]


def test_the_same_run_gives_the_same_page(made, page):
    assert render([made]) == page


def test_a_run_without_requests_has_a_page():
    read = Reader(render([build(Recipe(rate=0, busy=0))]))
    assert "run1-energy-by-state" in data_of(read)["figures"]


def test_a_section_with_the_key_of_a_figure_leaves_the_id_to_it():
    figure = Figure("wear", "Wear", "", Table([Column("Drive", text=True)], [["a"]]))
    sections = [Section("wear", "Wear", [figure]), Section("other", "Other", [replace(figure, key="more")])]
    read = Reader(write.page([Document("run1", "run", "Run", sections=sections)]))
    ids = [element["attrs"]["id"] for element in read.elements if "id" in element["attrs"]]
    assert [ids.count(f"run1-{key}") for key in ("wear", "other", "more")] == [1, 1, 1]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize(
    ("columns", "rows", "cell", "stacks"),
    [(8, 1, "a", True), (8, 7, "a", False), (8, 7, "long " * 20, True), (3, 1, "a", False)],
)
def test_a_narrow_screen_shows_few_rows_and_long_texts_as_lists(columns, rows, cell, stacks):
    table = Table(text_columns(*map(str, range(columns))), [[cell] * columns for _ in range(rows)])
    figure = Figure("f", "F", "", table)
    shown = write.page(
        [Document(key="d", kind="run", title="D", meta="", sections=[Section("s", "S", [figure])])]
    )
    assert ('class="stacks"' in shown) is stacks and ('data-title="7"' in shown) is stacks


def test_code_in_a_sentence_is_code_and_nothing_else_is_html():
    assert html.prose("`iowatt choose` allows <b>") == "<code>iowatt choose</code> allows &lt;b&gt;"
    assert html.prose("`<img src=x>` and a ` alone") == "<code>&lt;img src=x&gt;</code> and a ` alone"
