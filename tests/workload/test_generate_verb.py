"""`iowatt trace generate | profiles`: what they write and print."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from iowatt.base.errors import InputError
from iowatt.cli.main import app
from iowatt.model.profile.result import ShownProfile
from iowatt.trace.generate import generate as generate_trace
from iowatt.trace.generate import prepare
from iowatt.trace.measure import info
from refused import faults

runner = CliRunner()


def invoke(*arguments: object) -> Result:
    return runner.invoke(app, ["trace", *map(str, arguments)])


def generate(target: Path, *arguments: object) -> Result:
    return invoke("generate", "hot-band", "--rate", 500, "--span", "1TiB", "-o", target, *arguments)


@pytest.mark.parametrize("name", ["t.parquet", "t.csv", "t.csv.gz", "t.csv.zst"])
def test_it_writes_what_convert_writes(tmp_path, name):
    target = tmp_path / name
    result = generate(target, "--requests", 2000)
    assert result.exit_code == 0, result.output
    assert "2,000 requests" in result.stdout
    found = info({"path": str(target)})
    assert found.requests.count == 2000
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_same_seed_gives_the_same_trace(tmp_path):
    a, b, c = (tmp_path / f"{name}.csv" for name in "abc")
    for target, seed in ((a, 1), (b, 1), (c, 2)):
        assert generate(target, "-n", 500, "--seed", seed).exit_code == 0
    assert a.read_bytes() == b.read_bytes() != c.read_bytes()


def test_a_duration_ends_it(tmp_path):
    target = tmp_path / "t.csv"
    assert generate(target, "--duration", "4s").exit_code == 0
    stamps = [int(line.split(",")[0]) for line in target.read_text().splitlines()[1:]]
    assert 3.9e9 < max(stamps) < 4e9
    assert 1700 < len(stamps) < 2300


def test_keys_can_be_set(tmp_path):
    target = tmp_path / "t.csv"
    result = invoke(
        "generate", "uniform", "--rate", 100, "--span", "1GiB", "-n", 500, "-o", target,
        "--set", "stream.uniform.read_share=0", "--set", "stream.uniform.size=64k",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    found = info({"path": str(target)})
    assert found.requests.reads == 0
    assert found.bytes.written == 500 * 65536


def test_json_has_the_marks(tmp_path):
    result = generate(tmp_path / "t.csv", "-n", 10, "--json")
    found = json.loads(result.stdout)
    assert (found["schema"], found["requests"], found["seed"]) == ("iowatt.trace-generate/1", 10, 1)
    assert "profile-remark" in {note["code"] for note in found["notes"]}


def test_notes_are_printed_on_request(tmp_path):
    assert "UNVERIFIED" not in generate(tmp_path / "t.csv", "-n", 10).stdout
    assert "UNVERIFIED" in generate(tmp_path / "t.csv", "-n", 10, "--force", "--notes").stdout


def test_nothing_is_overwritten_unasked(tmp_path):
    target = tmp_path / "t.csv"
    target.write_text("mine")
    result = generate(target, "-n", 10)
    assert isinstance(result.exception, InputError)
    assert target.read_text() == "mine"
    assert generate(target, "-n", 10, "--force").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "fault", "figures"),
    [
        (("--duration", "4"), "bad-syntax @ duration", ["'4'"]),
        (("--duration", "0s"), "out-of-range @ duration", ["0"]),
        (("-n", 5, "--set", "stream.hot1.share=30"), "conflict @ stream", ["102"]),
    ],
)
def test_wrong_options_are_refused(tmp_path, arguments, fault, figures):
    result = generate(tmp_path / "t.csv", *arguments)
    assert faults(result.exception) == fault
    assert [figure for figure in figures if figure not in str(result.exception)] == []
    assert not list(tmp_path.iterdir())


def test_profiles_are_listed_and_shown():
    listed = invoke("profiles")
    assert listed.exit_code == 0
    (line,) = (line for line in listed.stdout.splitlines() if line.startswith("hot-band "))
    assert line.split()[-2:] == ["[unverified,", "needs]"]
    shown = json.loads(invoke("profiles", "arrays2002-tpcc", "--json").stdout)
    rate = ShownProfile.model_validate(shown).figures["arrivals.rate"]
    assert rate is not None and rate.quality == "published"
    assert rate.source in invoke("profiles", "arrays2002-tpcc").stdout
    as_json = json.loads(invoke("profiles", "hot-band", "--json").stdout)
    assert as_json["figures"]["sizes"]["quality"] == "recalled"
    everything = json.loads(invoke("profiles", "--json").stdout)
    assert (everything["schema"], len(everything["profiles"]) > 20) == ("iowatt.profiles/1", True)
    (hot_band,) = (entry for entry in everything["profiles"] if entry["name"] == "hot-band")
    assert hot_band["unverified"] and hot_band["missing"]


def test_recorded_stamps_come_from_any_format(tmp_path):
    stamps = tmp_path / "stamps.csv"
    stamps.write_text("time_us,op,offset,size\n" + "".join(f"{i * i * 100},R,0,512\n" for i in range(50)))
    for source in ("stamps.csv", "stamps.parquet"):
        if source.endswith("parquet"):
            assert invoke("convert", stamps, tmp_path / source).exit_code == 0
        profile = tmp_path / "mine.toml"
        profile.write_text(
            'name = "mine"\ntitle = "Mine"\nspan = "1GiB"\n'
            f'arrivals = {{ law = "recorded", trace = {{ path = "{source}" }}, speed = 2 }}\n'
            '[[stream]]\nname = "a"\nshare = 100\nread_share = 0\nsize = "4k"\n'
            'access = { pattern = "uniform" }\n'
        )
        target = tmp_path / f"from-{source}.csv"
        result = invoke("generate", profile, "-o", target)
        assert result.exit_code == 0, result.output
        rows = [line.split(",") for line in target.read_text().splitlines()[1:]]
        assert [int(row[0]) for row in rows] == [i * i * 50_000 for i in range(50)]
        assert {row[2] for row in rows} == {"write"}


def test_a_bad_profile_ends_the_program_with_2_place_and_fix(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        'schema = "iowatt.profile/1"\nname = "mine"\ntitle = "Mine"\n'
        'arrivals = { law = "posson", rate = 1 }\n'
        '[[stream]]\nname = "a"\nshare = 90\nread_share = 50\nsize = 0\naccess = { pattern = "uniform" }\n'
    )
    program = [sys.executable, "-c", "from iowatt.cli.main import main; main()"]
    command = [*program, "trace", "generate", str(file), "-n", "5", "-o", str(tmp_path / "t.csv")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    for said in ("mine.toml:4: arrivals.law", "'poisson'", "mine.toml:9: stream.a.size"):
        assert said in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.toml"]


def test_memory_does_not_grow_with_the_length(tmp_path):
    """The peak of a process that writes 40 times as much is no more than a few batches higher."""
    peaks = []
    for number in (100_000, 4_000_000):
        code = (
            "import resource; from pathlib import Path\n"
            "from iowatt.trace.generate import generate, prepare\n"
            f"made = prepare('hot-band', requests={number}, rate_iops=500.0, span=2**40)\n"
            f"generate(made, Path({str(tmp_path / f'{number}.csv.zst')!r}))\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout) / 1024)
    assert peaks[1] - peaks[0] < 60, peaks  # 4 M requests are 150 MiB as columns


@pytest.mark.parametrize("end", [{"requests": 300_000}, {"duration_s": 600.0}])
def test_progress_rises_to_the_end(tmp_path, end):
    told = []
    prepared = prepare("hot-band", rate_iops=500.0, span=2**40, **end)
    generate_trace(
        prepared, tmp_path / "t.csv", progress=lambda fraction, requests: told.append((fraction, requests))
    )
    fractions = [fraction for fraction, _ in told]
    assert len(told) >= 5
    assert (
        None not in fractions
        and fractions == sorted(fractions)
        and fractions[-1] == pytest.approx(1, abs=0.05)
    )
    assert told[-1][1] == pytest.approx(300_000, rel=0.05)
