"""`iowatt trace counters` as typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from iowatt.base.errors import InputError
from iowatt.cli.main import app
from iowatt.model.profile.find import load

DATA = Path(__file__).parents[1] / "data" / "counters"
LOG = str(DATA / "iostat-12.6-xtd.txt")


def run(*words: str) -> str:
    done = CliRunner().invoke(app, ["trace", "counters", *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def refused(*words: str) -> InputError:
    done = CliRunner().invoke(app, ["trace", "counters", *words])
    assert isinstance(done.exception, InputError)
    assert done.exception.exit_code == 2
    return done.exception


def test_a_summary_needs_nothing_else() -> None:
    assert any(line.startswith("vda ") and "62.9 %" in line for line in run(LOG).splitlines())
    found = json.loads(run(LOG, "--json"))
    assert (found["format"], found["intervals"], found["seconds"]) == ("iostat", 60, 60.0)
    assert [note["code"] for note in found["notes"]] == ["reading"]  # the first report is left out
    (device,) = found["devices"]
    assert device["write_merged_share"] == pytest.approx(0.417, abs=5e-4)
    assert device["dispersion"] > device["dispersion_limit"]


def test_the_summary_as_json() -> None:
    found = json.loads(run(LOG, "--json"))
    assert found["schema"] == "iowatt.trace-counters/1"
    (device,) = found["devices"]
    assert device["iops"] == pytest.approx(769.55, abs=0.01)
    assert sum(part["read_iops"] + part["write_iops"] for part in device["over_time"]) / 60 == pytest.approx(
        769.55
    )
    assert found["profile"] is None


def test_reads_and_writes_together_are_shown_where_no_more_is_known() -> None:
    log = str(DATA / "iostat-12.6-xst.txt")
    (device,) = json.loads(run(log, "--json"))["devices"]
    assert device["iops"] == pytest.approx((3863 + 3157 + 1543.56) / 3)
    assert device["read_share"] is None
    assert device["lacking"] in " ".join(run(log).split())
    (device,) = json.loads(run(log, "--json", "--read-share", "70"))["devices"]
    assert (device["read_share"], device["read_share_from"]) == (pytest.approx(0.7), "given")


def test_a_profile_with_its_assumptions(tmp_path: Path) -> None:
    target = tmp_path / "mine.toml"
    result = json.loads(run(LOG, "-o", str(target), "--access", "skew:7", "--span", "1TiB", "--json"))
    assert len(result["profile"]["assumptions"]) >= 5
    assert result["profile"]["seconds"] == 60.0
    profile = load(str(target)).profile
    assert (profile.name, profile.span, len(profile.phase)) == ("mine", 1 << 40, 60)
    assert refused(LOG, "-o", str(target), "--access", "uniform").place == str(target)
    result = json.loads(run(LOG, "-o", str(target), "--access", "uniform", "--force", "--json"))
    assert result["profile"]["devices"] == ["vda"]
    access = " ".join(
        text for text in result["profile"]["assumptions"] if ".access" in text.partition(":")[0]
    )
    assert "uniform" in access


def test_where_requests_go_must_be_said(tmp_path: Path) -> None:
    error = refused(LOG, "-o", str(tmp_path / "x.toml"))
    assert (error.code, error.place) == ("missing", "access")
    assert all(word in error.message for word in ("uniform", "sequential", "zipf:EXPONENT"))
    assert not list(tmp_path.iterdir())


def test_which_device_must_be_said_and_near_names_are_suggested(tmp_path: Path) -> None:
    log, target = str(DATA / "iostat-10-xtk.txt"), str(tmp_path / "x.toml")
    error = refused(log, "-o", target, "--access", "uniform")
    assert (error.code, error.place) == ("ambiguous", "device")
    assert "(dm-0, sda)" in error.message
    error = refused(log, "-d", "sdb")
    assert (error.code, error.place) == ("unknown-name", "device")
    assert "'sda'" in (error.hint or "")
    run(log, "-o", target, "--access", "uniform", "-d", "sda")
    assert {stream.name for stream in load(target).profile.stream} == {"read", "write", "write-sequential"}


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (["--format", "sr"], "format"),
        (["--arrivals", "burst"], "arrivals"),
        (["--first", "no"], "first"),
        (["--interval", "10"], "interval"),
        (["--counter-names", "Disk Reads/sec"], "counter_names"),
        (["-o", "x.txt"], "x.txt"),
    ],
)
def test_wrong_options_are_named(words: list[str], place: str) -> None:
    assert refused(LOG, *words).place == place


def test_a_name_that_no_profile_may_have_writes_nothing(tmp_path: Path) -> None:
    error = refused(LOG, "-o", str(tmp_path / "x.toml"), "--access", "uniform", "--name", "Not A Name")
    assert "name" in str(error)
    assert not list(tmp_path.iterdir())


def test_parameters_beyond_the_profile_are_refused(tmp_path: Path) -> None:
    error = refused(LOG, "-o", str(tmp_path / "x.toml"), "--access", "skew:0.5")
    assert "access" in str(error)
    assert not list(tmp_path.iterdir())


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    error = refused(str(tmp_path / "none.txt"))
    assert "none.txt" in str(error.place)
