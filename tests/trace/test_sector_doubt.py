"""Sizes in sectors that are read as bytes are warned of wherever the trace is read, with what to say."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import iowatt
from iowatt.cli.main import app
from iowatt.lenses.findings import findings
from iowatt.trace.columns import sector_doubt
from iowatt.trace.convert import convert
from iowatt.trace.measure import info
from iowatt.trace.result import NOT_WHOLE_SECTORS

SCENARIO = """name = "small"
[[workload]]
name = "oltp"
trace = {{ path = "{path}"{more} }}
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 4
raid = {{ level = 5, stripe_unit = "16KiB" }}
"""
IN_SECTORS = 'columns = { sectors = "size", lba = "offset" }'


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, unit in (("sectors", 1), ("bytes", 512)):
        rows = [
            f"{i * 9777},{'RRW'[i % 3]},{i * 7919 % 9999 * 8 * unit},{(8, 16, 64)[i % 3] * unit}"
            for i in range(60)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["time_us,op,offset,size", *rows]) + "\n")


def said(texts):
    return [text for text in texts if "512" in text]


def counted(formats, partial_sectors):
    """What a reader says of three requests."""
    return {"format": formats, "reads": 2, "writes": 1, "partial_sectors": partial_sectors}


def run(path, more=""):
    return iowatt.run(SCENARIO.format(path=path, more=more))


def coded(notes):
    return [note.text for note in notes if note.code == NOT_WHOLE_SECTORS]


def of_info(trace):
    return coded(info(trace).warnings)


def of_run(run):
    return said(run.summary["workloads"][0]["trace"]["warnings"])


def test_info_conversion_and_run_say_it_with_the_column(tmp_path):
    found = of_info({"path": "sectors.csv"})
    written = convert({"path": "sectors.csv"}, tmp_path / "out.parquet")
    assert coded(written.warnings) == found
    assert of_info({"path": "out.parquet"}) == found  # Parquet, too
    made = run("sectors.csv")
    (text,) = of_run(made)
    assert [one.decides for one in findings(made) if text in one.text] == [True]
    for one in (*found, text):
        assert all(part in one for part in ("columns", "sectors", '"size"'))
    assert len(found) == 1


def test_the_command_line_names_its_own_option():
    shown = CliRunner().invoke(app, ["trace", "info", "sectors.csv"]).stdout
    assert " ".join(shown.split()).count("--columns sectors=size") == 1
    shown = CliRunner().invoke(app, ["trace", "convert", "sectors.csv", "out.csv"]).stdout
    assert "--columns sectors=size" in " ".join(shown.split())
    document = CliRunner().invoke(app, ["trace", "convert", "sectors.csv", "2.csv", "--json"]).stdout
    assert [note["code"] for note in json.loads(document)["warnings"]] == [NOT_WHOLE_SECTORS]


def test_what_is_read_rightly_is_not_doubted(tmp_path):
    told = {"sectors": "size", "lba": "offset"}
    for trace in ({"path": "bytes.csv"}, {"path": "sectors.csv", "columns": told}):
        assert of_info(trace) == []
    assert coded(convert({"path": "bytes.csv"}, tmp_path / "out.csv").warnings) == []
    as_told, as_bytes = run("sectors.csv", f", {IN_SECTORS}"), run("bytes.csv")
    assert of_run(as_told) == of_run(as_bytes) == []
    assert as_told.summary["requests"] == as_bytes.summary["requests"]  # the remedy is one


@pytest.mark.parametrize(
    ("trace", "formats", "named"),
    [
        ({"columns": {"size": "len"}}, "csv", '"len"'),
        ({"columns": {"size": 3}}, "csv", " 3 "),
        ({"pattern": "..."}, "regex", "group"),
        ({}, "msr, csv", '"size"'),
    ],
)
def test_the_remedy_names_what_was_given(trace, formats, named):
    (text,) = sector_doubt(trace, counted(formats, 2))
    assert named in text and "sectors" in text


def test_sizes_of_many_sectors_are_doubted_too(tmp_path):
    rows = [f"{i * 977},R,{i * 8},{(1024, 520, 1000, 3001)[i % 4]}" for i in range(60)]
    (tmp_path / "large.csv").write_text("\n".join(["time_us,op,offset,size", *rows]) + "\n")
    assert len(of_info({"path": "large.csv"})) == 1


def test_formats_that_define_their_unit_are_not_doubted():
    assert sector_doubt({}, counted("strace", 3)) == sector_doubt({}, counted("msr, spc", 3)) == []


def test_a_few_small_requests_are_no_doubt():
    assert sector_doubt({}, counted("csv", 1)) == []
