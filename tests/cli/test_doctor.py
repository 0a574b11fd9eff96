"""`iowatt doctor`: the parts it looks for, its exit code, and that a broken part is not fatal."""

from __future__ import annotations

import json
import sys

import pytest
import typer
from typer.testing import CliRunner

from iowatt.cli import doctor, environment
from iowatt.render import pdf

app = typer.Typer()
app.callback()(lambda: None)  # keeps `doctor` a verb of its own although it is the only one
doctor.register(app)
runner = CliRunner()


def test_the_machine_that_runs_the_tests_can_do_the_main_job() -> None:
    result = runner.invoke(app, ["doctor", "--json"])
    document = json.loads(result.stdout)
    assert result.exit_code == 0
    assert document["schema"] == "iowatt.doctor/1"
    assert document["ready"] is True
    python = next(part for part in document["parts"] if part["name"] == "Python")
    assert python["detail"] == sys.version.split()[0]
    assert document["machine"]["cores"] >= 1
    assert document["machine"]["memory_bytes"] > 2**26


def test_text_names_every_part_and_the_purposes() -> None:
    shown = runner.invoke(app, ["doctor"]).stdout
    for part in environment.survey()["parts"]:
        assert part["name"] in shown
        assert part["purpose"] in shown
    assert "the main job can run" in shown


def test_a_missing_essential_part_is_exit_1_and_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_PACKAGES", ("numpy", "no-such-package-of-ours"))
    result = runner.invoke(app, ["doctor"])
    assert result.exit_code == 1
    assert "pip install no-such-package-of-ours" in result.stdout
    assert "not ready" in result.stdout


def test_a_missing_browser_or_compiler_is_told_but_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    document = json.loads(runner.invoke(app, ["doctor", "--json"]).stdout)
    missing = {part["name"] for part in document["parts"] if not part["found"]}
    assert {"Chromium", "Rust", "C compiler"} <= missing
    assert document["ready"] is True


def test_a_part_that_kills_its_process_is_reported() -> None:
    found, said = environment._try_python("import os, signal; os.kill(os.getpid(), signal.SIGILL)")
    assert not found
    assert "signal 4" in said


def test_a_part_that_does_not_import_is_reported_with_its_reason() -> None:
    found, said = environment._try_python("import no_such_module_of_ours")
    assert not found
    assert "no_such_module_of_ours" in said


def test_it_looks_for_the_browsers_that_reports_are_printed_with() -> None:
    assert environment.BROWSERS == pdf.BROWSERS
