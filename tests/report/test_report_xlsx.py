"""The workbook, read back from its XML: sheets, units, numbers, charts, and no formula."""

from __future__ import annotations

import pytest

from iowatt.pages.run import write
from iowatt.pages.run.headlines import headlines
from iowatt.pages.run.workbook import heading
from iowatt.render import sheets
from refused import refused
from report.fixture import Recipe, build
from report.workbook import Book

FIRST = ["Summary", "Charts", "Percentiles", "Intervals", "Devices", "Energy"]


@pytest.fixture(scope="module")
def book(made, tmp_path_factory):
    return Book(write([made], tmp_path_factory.mktemp("xlsx") / "report.xlsx"))


def test_sheets_in_order(book):
    assert book.names[:6] == FIRST
    assert (book.names[7:], len(book.names)) == (["Provenance"], 8)


def test_summary_has_the_figures_with_their_units(book, made):
    rows = {row["A"]: row for row in book.rows("Summary") if "A" in row}
    for shown in headlines(made.summary):
        assert rows[shown.title].get("B", "") == shown.unit
        assert rows[shown.title].get("C") == (
            shown.value if shown.value is None else pytest.approx(shown.value)
        )
    by_key = {shown.key: shown for shown in headlines(made.summary)}
    assert by_key["power"].value == made.summary["power_w"]["mean"]
    assert by_key["mean"].value == made.summary["response_time_ms"]["all"]["mean"]
    assert any(made.summary["notes"][0][1:] in text for text in rows)


def test_every_row_of_every_table_is_there_in_full(book, made):
    for title, name in (("Intervals", "intervals"), ("Devices", "devices"), ("Energy", "energy")):
        assert len(book.rows(title)) == 1 + made.table(name).height
    histogram = book.rows(book.names[6])
    assert histogram[0]["C"] == "Operation"
    assert histogram[0]["D"].split() == ["Low", "(ns)"]
    assert sum(row["F"] for row in histogram[1:]) == made.summary["requests"]["completed"]
    joules = book.rows("Energy")
    assert joules[0]["F"].split() == ["Energy", "(J)"]
    assert sum(row["F"] for row in joules[1:]) == pytest.approx(made.summary["energy"]["total_j"])


def test_headers_are_frozen_and_numbers_formatted(book):
    for name in book.names:
        assert name == "Charts" or 'state="frozen"' in book.xml(name), name
    assert "#,##0" in book.parts["xl/styles.xml"]


def test_two_native_charts(book):
    charts = [name for name in book.parts if name.startswith("xl/charts/chart")]
    assert len(charts) == 2
    assert "Intervals!" in "".join(book.parts[name] for name in charts)


def test_text_is_never_a_formula_or_a_link(tmp_path):
    run = build(Recipe(name="=1+1", notes=("http://example.org/", "@cmd"), intervals=4))
    book = Book(write([run], tmp_path / "report.xlsx"))
    assert not any("<f>" in book.xml(name) or "<hyperlink" in book.xml(name) for name in book.names)
    assert "=1+1" in book.texts


def test_several_runs_share_sheets_with_a_column_that_names_them(made, tmp_path):
    slower = build(Recipe(name="slower", slowdown=1.5, intervals=10))
    book = Book(write([made, slower], tmp_path / "report.xlsx"))
    assert [book.rows("Summary")[0][column] for column in "CD"] == ["tpcc-raid5", "slower"]
    rows = book.rows("Intervals")
    assert rows[0]["A"] == "Run"
    assert [row["A"] for row in rows[1:]].count("slower") == 10
    assert len(rows) == 1 + 60 + 10


def test_more_rows_than_a_sheet_holds_is_an_error_that_leaves_nothing(made, tmp_path, monkeypatch):
    monkeypatch.setattr(sheets, "MOST_ROWS", 30)
    with refused("too-large", None) as caught:
        write([made], tmp_path / "report.xlsx")
    assert all(part in caught.value.message for part in ("Intervals", "60", "29"))
    assert list(tmp_path.iterdir()) == []


def test_a_run_without_requests_has_a_workbook(tmp_path):
    book = Book(write([build(Recipe(rate=0, busy=0))], tmp_path / "report.xlsx"))
    assert book.names[:6] == FIRST


@pytest.mark.parametrize(
    ("name", "title", "unit"),
    [
        ("energy_idle_j", "Energy-idle", "J"),
        ("response_p95_ms", "Response-p95", "ms"),
        ("start_s", "Start", "s"),
        ("bytes_read", "Read", "bytes"),
        ("accesses", "Accesses", ""),
        ("seek_distance_mean_cylinders", "Seek-distance-mean", "cylinders"),
    ],
)
def test_column_names_become_headers_with_units(name, title, unit):
    assert (heading(name).title, heading(name).unit) == (title.replace("-", " "), unit)
