"""`iowatt doctor`: the components it looks for, its exit code, and that a broken one is not fatal."""

from __future__ import annotations

import json
import sys

import pytest
import typer
from typer.testing import CliRunner

from iowatt.cli import doctor
from iowatt.pages.doctor import document
from iowatt.sources import environment
from iowatt.sources.environment import Doctor

app = typer.Typer()
app.callback()(lambda: None)  # keeps `doctor` a verb of its own although it is the only one
doctor.register(app)
runner = CliRunner()


@pytest.fixture(scope="module")
def found() -> Doctor:
    return environment.survey()


def test_the_machine_that_runs_the_tests_can_do_the_main_job() -> None:
    result = runner.invoke(app, ["doctor", "--json"])
    found = Doctor.model_validate(json.loads(result.stdout))
    assert result.exit_code == 0
    assert json.loads(result.stdout)["schema"] == "iowatt.doctor/1"
    assert found.ready is True
    python = next(part for part in found.parts if part.name == "Python")
    assert python.detail == sys.version.split()[0]
    assert found.machine.cores >= 1
    assert (found.machine.memory_bytes or 0) > 2**26


def test_the_document_has_every_component_by_its_purpose(found: Doctor) -> None:
    shown = document(found)
    rows = [
        (figure.title.lower(), name, detail)
        for figure in shown.figures()
        for name, detail in figure.table.rows
    ]
    assert [(purpose, name) for purpose, name, _ in rows] == [
        (part.purpose.lower(), part.name)
        for purpose in dict.fromkeys(part.purpose for part in found.parts)
        for part in found.parts
        if part.purpose == purpose
    ]
    for (_, name, detail), part in zip(
        sorted(rows), sorted(found.parts, key=lambda one: (one.purpose.lower(), one.name)), strict=True
    ):
        assert name == part.name
        assert (part.detail if part.found else part.fix) in detail


def test_a_missing_essential_part_is_exit_1_and_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_LIBRARIES", ("numpy", "no-such-package-of-ours"))
    result = runner.invoke(app, ["doctor"])
    assert result.exit_code == 1
    found = environment.survey()
    (part,) = (part for part in found.parts if part.name == "no-such-package-of-ours")
    assert part.fix.split() == ["pip", "install", part.name] and part.fix in result.stdout
    broken = document(found)
    assert "no-such-package-of-ours" in broken.verdict[0]
    (deciding,) = (caveat for caveat in broken.caveats if caveat.decides)
    assert "no-such-package-of-ours" in deciding.text


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
