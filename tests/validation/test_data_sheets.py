"""Every SSD that can be simulated against its own data sheet: the bar is a tenth."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from iowatt.base.errors import Argument
from iowatt.cli import main
from iowatt.evaluate.validation import sheet
from iowatt.pages.data_sheets import document, label
from refused import check

NAMES = sheet.simulatable()


@pytest.mark.parametrize("name", NAMES)
def test_a_drive_does_what_its_data_sheet_says(name):
    found = sheet.check(name)
    compared = [figure for figure in found.figures if figure.error is not None]
    assert {f"performance.{rate}" for rate in ("sequential_read", "random_write_iops")} <= {
        figure.figure for figure in compared
    }
    wrong = [(figure.figure, figure.error) for figure in compared if abs(figure.error) > sheet.BAR]
    assert wrong == []


def test_watts_and_latencies_are_among_them():
    found = {figure.figure: figure for figure in sheet.check("intel-dc-s4500-3-84tb").figures}
    assert {"power.idle", "power.active", "performance.read_latency", "performance.write_latency"} <= set(
        found
    )
    # What the model does not have is said, and compared with nothing.
    assert found["performance.sequential_read_latency"].error is None
    # What was assumed for a drive is no figure of its sheet.
    assert "power.idle" not in {figure.figure for figure in sheet.check("solidigm-d5-p5336-61-44tb").figures}


@pytest.mark.parametrize("name", ["intel-dc-s3700-800gb", "intel-d7-p5600-6-4tb"])
def test_saturation_and_queueing(name):
    found = sheet.check(name, queueing=True)
    rates = [load.iops for load in found.reads]
    assert rates == sorted(rates, key=lambda rate: round(rate / rates[-1], 2))
    published = next(f.published for f in found.figures if f.figure == "performance.random_read_iops")
    assert rates[-1] == pytest.approx(published, rel=0.02)
    assert rates[0] < 0.2 * published
    for load in found.reads:
        # Little's law: so many at a time are as many as are under way.
        assert load.iops * load.mean_s == pytest.approx(load.outstanding, rel=0.02)
        assert load.p99_s >= load.mean_s * 0.99
    full, empty = (found.beside_writes[state] for state in sheet.FILLS)
    assert full["mean"] > empty["mean"]
    assert full["p99"] > empty["p99"]


def test_the_verb():
    result = CliRunner().invoke(main.app, ["devices", "validate", "--drive", "intel-dc-s3700-800gb"])
    assert result.exit_code == 0
    words = ["devices", "validate", "--drive", "intel-dc-s3700-800gb", "--json"]
    (drive,) = json.loads(CliRunner().invoke(main.app, words).stdout)["devices"]
    assert all(label(figure["figure"]) in result.stdout for figure in drive["figures"])
    assert all(state in result.stdout for state in drive["beside_writes"])
    words = ["devices", "validate", "--drive", "intel-e-5410s-120gb", "--json"]
    found = json.loads(CliRunner().invoke(main.app, words).stdout)
    assert found["schema"] == "iowatt.data-sheets/1"
    assert found["bar"] == sheet.BAR
    (device,) = found["devices"]
    assert device["simulated_by"] == "data sheet"
    assert {figure["figure"] for figure in device["figures"]} >= {"power.idle", "power.active"}


@pytest.mark.parametrize(
    ("words", "code", "place"),
    [
        (["--ssd", "--drive", "arrays2002-disk"], "not-accepted", Argument("ssd", "arrays2002-disk")),
        (["--ssd", "--drive", "intel-320-300gb"], "missing-figure", "intel-320-300gb"),
        (["--ssd", "--drive", "intel-x25-e-32gb"], "missing-figure", "intel-x25-e-32gb.toml (library)"),
        (["--drive", "intel-dc-s3700-800gb", "--model", "x"], "not-applicable", Argument("model")),
        (["--ssd", "--trace", "x"], "not-applicable", Argument("trace")),
        (["--ssd", "-o", "x.txt"], "not-accepted", "x.txt"),
    ],
)
def test_what_it_refuses(words, code, place):
    result = CliRunner().invoke(main.app, ["devices", "validate", *words])
    check(result.exception, code, place)
    assert result.stdout == ""


def test_the_page_has_every_figure_that_is_compared():
    made = sheet.compare_data_sheets(["intel-e-5410s-120gb"])
    shown = {one.key: one for one in document(made).figures()}
    assert set(shown) == {"errors", "figures-intel-e-5410s-120gb", "reads"}
    errors = shown["errors"].table.column("Error")
    assert errors == [100 * figure.error for figure in made.compared]
    assert len(errors) >= 4
