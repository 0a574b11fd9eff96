"""What `iowatt emerald run` refuses before anything runs, with exit code 2 and the way out."""

from __future__ import annotations

import conducted
import pytest
from typer.testing import CliRunner

from iowatt.base.errors import Argument, InputError
from iowatt.cli.main import app
from refused import check


def error_of(*words):
    done = CliRunner().invoke(app, ["emerald", "run", *map(str, words)])
    assert isinstance(done.exception, InputError), done.output
    return done.exception


@pytest.fixture
def path(tmp_path):
    return conducted.plan(tmp_path)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def test_a_plan_that_is_not_there(tmp_path, out):
    error = error_of(tmp_path / "none.json", "-o", out)
    assert error.place == str(tmp_path / "none.json") and "plan`" in error.hint


def test_a_way_to_go_on_without_going_on(path, out):
    assert error_of(path, "-o", out, "--restart-active").place == "restart_active"
    check(error_of(path, "-o", out, "--resume", "--force"), "conflict", Argument("resume"))


def test_a_target_named_differently_the_second_time(path, out, tmp_path):
    error = error_of(path, "-o", out, "--erase", tmp_path / "other.bin")
    check(error, "conflict", Argument("erase"))
    assert not (tmp_path / "target.bin").exists()


def test_nothing_to_erase_in_a_simulation(tmp_path, out):
    path = conducted.plan(tmp_path, source="simulation", target={"scenario": "array.toml"})
    error = error_of(path, "-o", out, "--erase", "array.toml")
    check(error, "not-applicable", Argument("erase"))


def test_a_folder_that_holds_something_else(path, tmp_path):
    other = tmp_path / "thesis"
    other.mkdir()
    (other / "thesis.tex").write_text("years of work")
    check(error_of(path, "-o", other), "unsafe-target", str(other))
    assert not (tmp_path / "target.bin").exists(), "the target was made all the same"


def test_an_instrument_that_is_none(tmp_path, out):
    path = conducted.plan(tmp_path, instruments=[{"name": "pdu", "source": "smnp://pdu1/1"}])
    assert "snmp:" in error_of(path, "-o", out).hint
    assert not (tmp_path / "target.bin").exists()
