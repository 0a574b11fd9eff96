"""The journal survives what interrupts it."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from iowatt.evaluate.search.tasks import journal
from iowatt.evaluate.search.tasks.journal import SearchJournal
from refused import refused

ONE, TWO = (
    {"key": "a", "row": {"x": 0.1 + 0.2}},
    {"key": "b", "error": {"code": "infeasible", "place": None, "message": "ü\n", "hint": None}},
)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "points.jsonl"


def written(file, *records):
    kept = SearchJournal(file)
    for record in records:
        assert kept.append(record) == record
    kept.close()


def test_records_come_back_as_they_were(file):
    written(file, ONE)
    written(file, TWO)
    assert journal.read_journal(file) == {"a": ONE, "b": TWO}
    assert len(file.read_text("utf-8").splitlines()) == 2


def test_no_journal_holds_nothing(file):
    assert journal.read_journal(file) == {}


@pytest.mark.parametrize("cut", range(1, 40, 6))
def test_a_line_cut_short_is_dropped_and_overwritten(file, cut):
    written(file, ONE, TWO)
    whole = file.read_bytes()
    second = len(json.dumps(ONE)) + 1
    file.write_bytes(whole[: second + cut])
    assert journal.read_journal(file) == {"a": ONE}
    written(file, TWO)
    assert file.read_bytes() == whole


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "[" * 100_000,
        "[]",
        '{"key": "a"}',
        '{"key": 1, "row": {}}',
        '{"key": "a", "row": [1]}',
        '{"key": "a", "row": {"x": [1]}}',
        '{"key": "a", "error": null}',
        '{"key": "a", "error": {"message": "m"}}',
        '{"key": "a", "error": {"code": null, "place": null, "message": "m", "hint": null}}',
        '{"key": "a", "error": {"message": "m", "where": null, "hint": null}}',
        '{"key": "a", "figures": 1}',
    ],
)
def test_a_line_that_is_no_record_is_named(file, line):
    file.write_text(f'{{"key": "a", "row": {{}}}}\n{line}\n')
    with refused("wrong-format", f"{file}:2"):
        SearchJournal(file)


def test_two_writers_are_refused(file):
    pytest.importorskip("fcntl")
    first = SearchJournal(file)
    with refused("in-use", file.parent):
        SearchJournal(file)
    first.close()
    SearchJournal(file).close()


def test_a_number_that_is_none_is_no_record(file):
    kept = SearchJournal(file)
    with pytest.raises(ValueError):
        kept.append({"key": "a", "row": {"x": float("nan")}})
    kept.close()
    assert journal.read_journal(file) == {}


def test_records_of_many_points_share_the_names_of_their_columns(file):
    row = {f"response_time_ms.a_rather_long_name.{number}": number + 0.5 for number in range(100)}
    file.write_text("".join(json.dumps({"key": str(at), "row": row}) + "\n" for at in range(500)))
    tracemalloc.start()
    try:
        found = journal.read_journal(file)
        taken = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert found["7"]["row"] == row
    # 100 figures of 24 bytes with a pointer each are 3.2 kB; names of 36 characters would be 8.5 kB more.
    assert taken / 500 < 5_000
