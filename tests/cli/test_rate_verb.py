"""``iowatt rate`` and ``iowatt.rate``: what they print, write and refuse."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import iowatt
from iowatt.base.errors import Argument
from iowatt.cli.main import app
from iowatt.render import numbers
from refused import refused

SCENARIO = """\
name = "station"

[[workload]]
name = "zeros"
profile = { name = "uniform", requests = 3000, span = "1GB", set = ["stream.uniform.read_share=0"] }
zero_share = 1.0

[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 1

[array.controller]
processing = { write = "1ms" }
zero_detect = true
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "station.toml").write_text(SCENARIO)
    return tmp_path


def invoke(*words: str) -> Result:
    result = CliRunner().invoke(
        app, ["rate", "station.toml", "--first-rate", "800", *words], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    return result


def test_it_prints_the_rate_and_every_rate_that_was_run() -> None:
    words = ("--within", "4ms", "--requests", "3000", "--replications", "3")
    found = json.loads(invoke(*words, "--json").stdout)
    out = invoke(*words).stdout
    assert all(numbers.significant(found[key], 4) in out for key in ("rate_iops", "crossing_iops"))
    table = out[out.index("Achieved") :].splitlines()[1:]
    rows = [line.split()[-1] for line in table[: len(found["points"])]]
    assert rows == [point["verdict"] or point["kind"] for point in found["points"]]
    assert max(map(len, table[: len(rows)])) <= 80


def test_json_and_the_python_api_give_the_same() -> None:
    found = json.loads(invoke("--within", "4ms", "--requests", "3000", "--json").stdout)
    assert found["schema"] == "iowatt.rate/1" and found["scenario"] == "station" and found["settled"]
    assert found["rate_iops"] < found["crossing_iops"] < found["beyond_iops"]
    assert found["response_ms"] <= 4 and found["interval_by"] == "batch means"
    assert found["at_rate"]["throughput.iops"] == pytest.approx(found["rate_iops"], rel=0.05)
    assert found["at_rate"]["power_w.mean"] > 0
    same = iowatt.rate("station.toml", "4ms", start=800, requests=3000)
    differs = ("command", "source")
    assert _without(same.as_dict(), *differs) == _without(found, *differs)
    assert iowatt.rate("station.toml", 0.004, start=800, requests=3000).rate_iops == found["rate_iops"]


def _without(found: dict[str, Any], *keys: str) -> dict[str, Any]:
    plain = json.loads(json.dumps(found))
    return {key: value for key, value in plain.items() if key not in keys}


def test_a_page_is_written_whole_and_not_over_another(place: Path) -> None:
    invoke("--within", "4ms", "--requests", "2000", "-o", "rate.html")
    assert "<html" in (place / "rate.html").read_text("utf-8")
    with refused("exists", "rate.html"):
        invoke("--within", "4ms", "-o", "rate.html")
    (place / "rate.html").write_text("mine")
    invoke("--within", "4ms", "--requests", "2000", "-o", "rate.html", "--force")
    assert (place / "rate.html").read_text("utf-8") != "mine"
    with refused("not-accepted", "rate.txt"):
        invoke("--within", "4ms", "-o", "rate.txt")
    assert sorted(file.name for file in place.iterdir()) == ["rate.html", "station.toml"]


@pytest.mark.parametrize(
    ("words", "code", "where"),
    [
        (("--within", "0.5ms"), "infeasible", "within"),
        (("--within", "soon"), "bad-syntax", "within"),
        (("--within", "0s"), "out-of-range", "within"),
        (("--within", "4ms", "--of", "p42"), "not-accepted", "of"),
        (("--within", "4ms", "--tolerance", "7"), "out-of-range", "tolerance"),
        (("--within", "4ms", "--workload", "oltp"), "unknown-name", "workload"),
    ],
)
def test_what_cannot_be_found_is_refused(words: tuple[str, ...], code: str, where: str, place: Path) -> None:
    with refused(code, Argument(where)) as error:
        invoke(*words, "-o", "rate.html")
    assert error.value.exit_code == 2
    if code == "infeasible":  # the limit, and the shortest response time that was seen: 1 ms of service
        limit, shortest = (float(value) for value in re.findall(r"([\d.]+) ms", str(error.value)))
        assert limit == 0.5 and shortest == pytest.approx(1, abs=0.05)
    assert not (place / "rate.html").exists()


def test_a_wrong_scenario_is_refused_with_its_line(place: Path) -> None:
    (place / "station.toml").write_text(SCENARIO.replace('span = "1GB"', 'span = "900TB"'))
    with refused("out-of-range", re.compile(r"station\.toml:5: workload\.zeros\.profile\.span$")):
        invoke("--within", "4ms")
    device = "array.pool.disks.device"
    with refused("unknown-name", Argument("set", f"{device}=nothing: {device}")):
        invoke(
            "--within",
            "4ms",
            "--set",
            f"{device}=nothing",
            "--set",
            "workload.zeros.profile.span=1GB",
        )
