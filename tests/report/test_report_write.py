"""Writing a report: the kind by suffix, nothing overwritten unasked, nothing half-written; the verb."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

import needs
from iowatt.base.errors import InputError, IowattError
from iowatt.cli import report as verb
from iowatt.pages import run as report
from iowatt.render import pdf
from iowatt.render import write as writer
from refused import check, refused
from report.fixture import Recipe, build

app = typer.Typer()
app.callback()(lambda: None)  # keeps `report` a verb of its own although it is the only one
verb.register(app)
runner = CliRunner()


def invoke(*args):
    return runner.invoke(app, ["report", *map(str, args)])


@pytest.fixture
def bundle(made, tmp_path):
    return made.save(tmp_path / "run").path


def test_an_unknown_suffix_names_the_three(made, tmp_path):
    for name in ("report.docx", "report"):
        with refused("not-accepted", str(tmp_path / name)) as caught:
            report.write([made], tmp_path / name)
        assert all(kind in caught.value.message for kind in (".html", ".xlsx", ".pdf"))
    assert list(tmp_path.iterdir()) == []


def test_an_existing_report_is_replaced_only_by_force(made, tmp_path):
    target = tmp_path / "report.html"
    target.write_text("mine")
    with refused("exists", str(target)):
        report.write([made], target)
    assert target.read_text() == "mine"
    assert report.write([made], target, force=True) == target
    assert target.read_text(encoding="utf-8").partition(">")[0].split() == ["<!doctype", "html"]


def test_a_missing_directory_a_directory_and_no_run_are_errors(made, tmp_path):
    with refused("not-found", str(tmp_path / "none")):
        report.write([made], tmp_path / "none" / "report.html")
    (tmp_path / "dir.html").mkdir()
    with refused("wrong-kind", str(tmp_path / "dir.html")):
        report.write([made], tmp_path / "dir.html", force=True)
    with refused("missing", None):
        report.write([], tmp_path / "report.html")


def test_a_failure_leaves_nothing_behind_and_the_old_report_whole(made, tmp_path, monkeypatch):
    target = tmp_path / "report.html"
    target.write_text("old")

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(writer, "page", fail)
    with pytest.raises(KeyboardInterrupt):
        report.write([made], target, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert target.read_text() == "old"


def test_the_report_of_one_run_goes_into_its_bundle(bundle):
    result = invoke(bundle)
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{bundle / 'report.html'}\n"
    assert (bundle / "report.html").stat().st_size > 1_500_000
    again = invoke(bundle)
    check(again.exception, "exists", str(bundle / "report.html"))
    assert "`force=True`" in again.exception.hint
    assert invoke(bundle, "--force").exit_code == 0


def test_a_truncated_table_of_heat_is_an_error_of_the_input(bundle):
    (bundle / "heat.parquet").write_bytes(b"PAR1")
    result = invoke(bundle)
    assert isinstance(result.exception, InputError)
    assert result.exception.place == str(bundle / "heat.parquet")
    assert not (bundle / "report.html").exists()


def test_json_names_what_was_written(bundle, tmp_path):
    result = invoke(bundle, "-o", tmp_path / "out.xlsx", "--json")
    assert json.loads(result.stdout) == {
        "schema": "iowatt.report/1",
        "path": str(tmp_path / "out.xlsx"),
        "kind": "xlsx",
        "runs": [str(bundle)],
    }


def test_several_runs_need_a_name(bundle, tmp_path):
    check(invoke(bundle, bundle).exception, "missing", "output")
    assert invoke(bundle, bundle, "-o", tmp_path / "both.html").exit_code == 0


def test_no_such_run_is_an_error(tmp_path):
    error = invoke(tmp_path / "none").exception
    assert isinstance(error, InputError)
    assert error.place == str(tmp_path / "none")


def test_open_hands_the_report_to_the_desktop(bundle, monkeypatch):
    opened = []
    monkeypatch.setattr(typer, "launch", opened.append)
    assert invoke(bundle, "--open").exit_code == 0
    assert opened == [str(bundle / "report.html")]


def test_without_a_browser_a_pdf_is_an_error_that_says_what_to_install(made, tmp_path, monkeypatch):
    monkeypatch.setattr(pdf.shutil, "which", lambda name: None)
    with refused("tool-missing", None) as caught:
        report.write([made], tmp_path / "report.pdf")
    assert "chromium" in caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_browser_that_prints_nothing_is_a_fault_with_its_words(made, tmp_path, monkeypatch):
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho no display >&2\n")
    broken.chmod(0o755)
    monkeypatch.setattr(pdf, "BROWSERS", (str(broken),))
    with refused("tool-failed", None, IowattError) as caught:
        report.write([made], tmp_path / "report.pdf")
    assert "display" in caught.value.message  # what it printed
    assert [path.name for path in tmp_path.iterdir()] == ["broken"]


@pytest.mark.browser
@needs.mark("chromium")
def test_the_page_is_printed(tmp_path):
    written = report.write([build(Recipe(intervals=10))], tmp_path / "report.pdf")
    content = written.read_bytes()
    assert content.startswith(b"%PDF-")
    assert content.rstrip().endswith(b"%%EOF")
    assert content.count(b"/Type /Page\n") >= 5
    assert len(content) > 100_000
