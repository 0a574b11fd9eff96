"""Tables on a terminal: what decides is kept, what does not fit of a few rows follows below."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from iowatt.render import terminal
from iowatt.render.document import Document, Section
from iowatt.render.figure import Column, Figure, Table, text_columns

COLUMNS = [
    Column("System", text=True), Column("Dollars", "USD"), Column("Mean response time", "ms", rank=2),
    Column("95th percentile", "ms"), Column("Work done of all asked", "times", rank=3),
]  # fmt: skip


def printed(rows, width, name="s{}"):
    table = Table(
        list(COLUMNS), [[name.format(at), 1000 + at, 20 + at, 300 + at, 4 + at] for at in range(rows)]
    )
    figure = Figure("systems", "Systems", "", table, brief=True)
    document = Document("k", "kind", "title", sections=[Section("s", "S", [figure])])
    file = StringIO()
    terminal.show(document, console=Console(file=file, width=width, soft_wrap=True))
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_columns_of_the_highest_rank_go_first():
    table = Table(list(COLUMNS), [["s", 1, 2, 3, 4]])
    shown, rest = terminal.split(table, 60)
    assert [column.title for column in shown.columns] == ["System", "Dollars", "95th percentile"]
    assert rest is not None
    assert [column.title for column in rest.columns] == [
        "System", "Mean response time", "Work done of all asked",
    ]  # fmt: skip
    assert (shown.rows, rest.rows) == ([["s", 1, 3]], [["s", 2, 4]])
    assert terminal.split(table, 200) == (table, None)


def test_what_does_not_fit_of_a_few_rows_is_a_second_table():
    lines = printed(2, 64)
    assert all(len(line) <= 64 for line in lines)
    heads = [line for line in lines if line.startswith("System") and line != "Systems"]
    assert [head.split()[1] for head in heads] == ["Dollars", "Mean"]
    assert [line.split() for line in lines if line.startswith("s0")] == [
        ["s0", "1,000", "300"],
        ["s0", "20", "4"],
    ]
    assert not any("not shown" in line for line in lines)


@pytest.mark.parametrize(
    ("rows", "width", "left", "name"), [(7, 64, 2, "s{}"), (2, 48, 1, "s{}"), (2, 64, 2, "s")]
)
def test_what_is_left_then_is_named(rows, width, left, name):
    # Also of rows whose first column does not tell them apart.
    lines = printed(rows, width, name)
    assert lines[-1].startswith("not shown: ") and lines[-1].count(", ") == left - 1


def test_brackets_of_a_cell_are_text():
    table = Table(text_columns("What", "Note [x]"), [["[array.power]", "[/red]"]])
    figure = Figure("f", "F", "", table, brief=True)
    lines = terminal.text(Document("k", "kind", "title", sections=[Section("s", "S", [figure])])).splitlines()
    assert [line.split() for line in lines[-2:]] == [["What", "Note", "[x]"], ["[array.power]", "[/red]"]]
