"""`iowatt compare`: text, JSON, the page; groups; what it refuses, and with which exit code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from typer.testing import CliRunner

import compared_runs as made
from iowatt.base.errors import InputError
from iowatt.cli.main import app
from iowatt.pages.compare.words import bin_name
from refused import check

IOWATT = Path(sys.executable).with_name("iowatt")
runner = CliRunner()


def draws(seed, scale):
    return scale * np.random.default_rng(seed).exponential(1.0, 5000)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    writes = np.arange(5000) % 3 == 0
    for seed in (1, 2):
        made.build(draws(seed, 1.0), writes=writes, seed=seed).save(folder / "off" / f"s{seed}")
        half = draws(seed + 10, 0.5)
        made.build(half, writes=writes, seed=seed + 10, raid="10").save(folder / "on" / f"s{seed}")
    made.build(draws(3, 1.0), writes=writes, replay=made.closed(4)).save(folder / "closed")
    return folder


def invoke(*words):
    return runner.invoke(app, ["compare", *map(str, words)], env={"COLUMNS": "200"})


def test_text_has_every_figure_with_its_verdict(runs):
    shown = invoke(runs / "off" / "s1", runs / "on" / "s1", "--spike", "2ms").stdout.replace("\u00a0", " ")
    lines = shown.splitlines()
    found = json.loads(invoke(runs / "off" / "s1", runs / "on" / "s1", "--spike", "2ms", "--json").stdout)
    assert lines[0].startswith(f"{found['before']['label']} → {found['after']['label']}: ")
    assert found["before"]["label"].split() == ["oltp", "(off/s1)"]
    for row in found["differences"]:
        (line,) = (line for line in lines if line.startswith(f"{row['title']} ") and len(line) <= 80)
        assert line.rstrip().endswith(row["verdict"].replace("no verdict", "not testable"))
    (mean,) = (row for row in found["differences"] if row["metric"] == "mean")
    assert mean["verdict"] == "better" and mean["interval"][1] < 0
    (line,) = (line for line in lines if line.startswith(mean["title"]))
    assert "−50 %" in line
    (changed,) = found["changed"]["list"]
    assert all(str(value) in shown for value in changed.values())
    assert (
        bin_name(0.25, 0.5).replace("\u00a0", " ") in shown
        and f"{found['over_threshold']['before']['requests']:,}" in shown
    )


def test_json_of_writes_alone(runs):
    found = json.loads(
        invoke(runs / "off" / "s1", runs / "on" / "s1", "--op", "write", "--every", "2s", "--json").stdout
    )
    assert found["schema"] == "iowatt.compare/1" and found["asked"]["op"] == "write"
    assert found["before"]["requests"] == 1667 and found["over_time"]["width_s"] == 2.0


def test_groups_by_options_and_by_folder_are_the_same(runs):
    one = invoke(runs / "off", runs / "on", "--json").stdout
    words = ["--before", runs / "off" / "s2", "--after", runs / "on" / "s2"]
    other = invoke(runs / "off" / "s1", runs / "on" / "s1", *words, "--json").stdout
    options = [*words, "--before", runs / "off" / "s1", "--after", runs / "on" / "s1"]
    third = json.loads(invoke(*options, "--json").stdout)
    assert json.loads(one) == json.loads(other)
    assert (third["before"]["requests"], len(third["after"]["runs"])) == (10_000, 2)


def test_more_than_two_and_two_with_a_service_level_are_systems(runs, tmp_path):
    index = runs / "off" / "iowatt.sqlite"
    index.touch()  # as of a shell's runs/*, where iowatt keeps the index of a folder of Runs
    three = (runs / "off" / "s1", runs / "off" / "s2", index, runs / "on")
    found = json.loads(invoke(*three, "--json").stdout)
    assert found["schema"] == "iowatt.compare-systems/1" and found["comparisons"] == 2
    assert [one["label"] for one in found["systems"]] == ["s1", "s2", "on"]
    shown = invoke(*three, "-o", tmp_path / "page.html").stdout
    assert all(one["label"] in shown for one in found["systems"])
    assert 'id="compare-trade"' in (tmp_path / "page.html").read_text("utf-8")
    pair = (runs / "off" / "s1", runs / "on" / "s1", "--json")
    assert json.loads(invoke(*pair).stdout)["schema"] == "iowatt.compare/1"
    kept = json.loads(invoke(*pair, "--within", "2ms").stdout)
    # p95 of exponential response times of mean 1 and 0.5 ms is 3 and 1.5 ms.
    assert [bool(one["not_ranked"]) for one in kept["systems"]] == [True, False]


def test_a_closed_loop_is_said_and_corrected_beside(runs):
    shown = invoke(runs / "off" / "s1", runs / "closed").stdout
    found = json.loads(invoke(runs / "off" / "s1", runs / "closed", "--json").stdout)
    (flag,) = (flag for flag in found["flags"] if flag["key"] == "loop")
    assert flag["text"][1:] in shown
    assert f"{found['omission']['after']['modelled']['added']:,}" in shown
    shown = invoke(runs / "off" / "s1", runs / "closed", "--expected-interval", "500us", "--json").stdout
    assert json.loads(shown)["omission"]["after"]["expected_interval_ms"] == [0.5]


def test_the_page_is_written_once(runs, tmp_path):
    words = (runs / "off", runs / "on", "-o", tmp_path / "page.html")
    assert invoke(*words).exit_code == 0
    assert 'id="compare-intervals"' in (tmp_path / "page.html").read_text("utf-8")
    refused = invoke(*words)
    check(refused.exception, "exists", str(tmp_path / "page.html"))
    assert invoke(*words, "--force").exit_code == 0
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


def test_the_workbook_has_every_difference(runs, tmp_path):
    target = tmp_path / "book.xlsx"
    assert invoke(runs / "off", runs / "on", "-o", target).exit_code == 0
    texts = ZipFile(target).read("xl/sharedStrings.xml").decode()
    found = json.loads(invoke(runs / "off", runs / "on", "--json").stdout)
    assert all(f">{row['title']}<" in texts for row in found["differences"])


@pytest.mark.parametrize(
    ("words", "code", "place"),
    [
        ((), "missing", "before"),
        (("off/s1",), "missing", "after"),
        (("off/s1", "nowhere"), "not-found", "nowhere"),
        (("off/s1", "on/s1", "--op", "erase"), "not-accepted", "op"),
        (("off/s1", "on/s1", "--spike", "0ms"), "out-of-range", "spike"),
        (("off/s1", "on/s1", "--spike", "1 parsec"), "bad-syntax", "spike"),
        (("off/s1", "on/s1", "--point", "array"), "unknown-name", "off/s1: point"),
        (("off/s1", "on/s1", "--workload", "web"), "unknown-name", "off/s1: workload"),
        (("off", "on", "--before", "off/s1"), "duplicate", "off/s1"),
        (("off/s1", "on/s1", "-o", "page.txt"), "not-accepted", "page.txt"),
        (("off/s1", "on/s1", "off/s2", "--after", "on/s2"), "conflict", "after"),
        (("off/s1", "on/s1", "off/s1"), "duplicate", "off/s1"),
        (("off/s1", "on/s1", "--within", "1ms", "--of", "p42"), "not-accepted", "of"),
    ],
)
def test_what_it_refuses(runs, words, code, place):
    result = invoke(
        *(runs / word if "/" in word or word in ("off", "on", "nowhere") else word for word in words)
    )
    check(result.exception, code, re.compile(f"{re.escape(place)}$"))


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("off/s1", "nowhere"), "nowhere"),
        (("off/s1", "on/s1", "--spike", "0ms"), "spike"),
        (("off/s1", "on/s1", "--spike", "1 parsec"), "spike"),
    ],
)
def test_what_cannot_be_read_is_named(runs, words, place):
    result = invoke(*(runs / word if "/" in word or word == "nowhere" else word for word in words))
    assert isinstance(result.exception, InputError) and place in result.exception.place


def test_a_refusal_exits_with_2(runs):
    done = subprocess.run(
        [IOWATT, "compare", runs / "off", runs / "nowhere"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr
