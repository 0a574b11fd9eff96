"""A trace that is a doubtful load says so in every Run made from it, and where such Runs are compared."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import iowatt
from iowatt.cli.main import app
from iowatt.lenses.findings import findings
from iowatt.sources.trace import observe

SCENARIO = """
name = "doubtful"
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 1
raid = {{ level = 0 }}
[[array.volume]]
name = "db"
pool = "disks"
[[workload]]
name = "w"
volume = "db"
trace = {{ path = "{name}" }}
replay = {{ mode = "open" }}
"""


def gap_of_1000_s():
    """2,000 requests in 400 s, 1,002 s without, and the same again: 1,002.2 s of 1,801.8 s."""
    stamps = [n * 0.2 + (1002.2 - 0.2) * (n >= 2000) for n in range(4000)]
    return "time_s,op,lba,size\n" + "".join(f"{t:.6f},R,{n * 8},4096\n" for n, t in enumerate(stamps))


def merged(queued=160, issued=40):
    """Of blkparse: each request that is issued was made of four that were queued."""
    lines = []
    for n in range(queued):
        lines.append(f"  8,0 3 {n} {n * 0.01:.9f} 697 Q R {n * 8} + 8 [x]\n")
        if n % (queued // issued) == 0:
            lines.append(f"  8,0 3 {n} {n * 0.01:.9f} 697 D R {n * 8} + 32 [x]\n")
    return "".join(lines)


TRACES = {
    "gap.csv": (gap_of_1000_s(), ["1002.2 s", "399.8 s", "55.6 %"]),
    "merged.txt": (merged(), ["160", "40", "event D"]),
    "plain.txt": (merged(160, 160), None),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The Run of each trace, by the name of its file."""
    folder, found = tmp_path_factory.mktemp("doubtful"), {}
    for name, (content, _) in TRACES.items():
        (folder / name).write_text(content)
        (folder / f"{name}.toml").write_text(SCENARIO.format(name=name))
        found[name] = iowatt.run(folder / f"{name}.toml").save(folder / f"run-{name}")
    return found


@pytest.mark.parametrize("name", TRACES)
def test_info_and_the_run_warn(runs, name):
    words = TRACES[name][1]
    file = runs[name].path.parent / name
    (info,) = json.loads(CliRunner().invoke(app, ["trace", "info", str(file), "--json"]).stdout)["traces"]
    (workload,) = runs[name].summary["workloads"]
    said = workload["trace"]["warnings"]
    if words is None:
        assert said == []
        return
    (text,) = said
    assert all(word in text for word in words)
    assert text in {warning["text"] for warning in info["warnings"]}
    (found,) = [one for one in findings(runs[name]) if text in one.text]
    assert found.decides


def test_compare_flags_it(runs):
    found = iowatt.compare(runs["plain.txt"].path, runs["merged.txt"].path)
    texts = [flag.text for flag in found.flags if flag.key == "trace"]
    assert len(texts) == 1
    assert "160" in texts[0]


def test_the_event_that_was_issued_is_no_doubt(runs, tmp_path):
    folder = runs["merged.txt"].path.parent
    run = iowatt.run(folder / "merged.txt.toml", set=['workload.w.trace.event="D"'])
    assert run.summary["workloads"][0]["trace"]["warnings"] == []
    assert run.summary["requests"]["count"] == 40


def test_a_measured_run_of_a_trace_has_it_among_its_warnings(tmp_path):
    file = tmp_path / "measured.csv"
    lines = gap_of_1000_s().splitlines()
    file.write_text("\n".join([f"{lines[0]},response_ms", *(f"{line},1" for line in lines[1:])]) + "\n")
    said = [text for text in observe.read(observe.TraceRequest(file)).warnings if "a gap of" in text]
    assert len(said) == 1
    assert "55.6 %" in said[0]
