"""``iowatt devices import`` as typed, DiskSim's files in a scenario, and ``validate``'s refusals."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from iowatt.base.errors import Argument
from iowatt.base.problems import DocumentError
from iowatt.cli import main
from iowatt.model.library import find_drive
from iowatt.model.library.disksim import import_drive
from iowatt.model.scenario import compile_plan, load
from noted import noted
from refused import check

DATA = Path(__file__).parents[1] / "data" / "disksim"
CHEETAH = str(DATA / "cheetah9LP.diskspecs")


def invoke(*words):
    return CliRunner().invoke(main.app, ["devices", *words])


def test_to_standard_output():
    result = invoke("import", CHEETAH, "--name", "my-cheetah")
    assert result.exit_code == 0
    assert "cheetah9LP.diskspecs" in result.stdout.splitlines()[0]
    assert 'name = "my-cheetah"' in result.stdout
    warnings = [
        line.partition(": ")[2] for line in result.stderr.splitlines() if line.startswith("warning: ")
    ]
    assert warnings[0].startswith("cheetah9LP.diskspecs:16: ")
    assert set(warnings) == set(import_drive(Path(CHEETAH)).ignored)
    assert [text for text in warnings if text not in result.stdout] == []
    assert str(DATA) not in result.stdout


def test_to_a_file(tmp_path):
    target = tmp_path / "fifteen.toml"
    source = str(DATA / "Seagate-Cheetah15k5.diskspecs")
    assert invoke("import", source, "--name", "fifteen", "-o", str(target)).exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fifteen.layout.json.gz", "fifteen.toml"]
    assert find_drive("fifteen.toml", tmp_path).sectors == 286_749_487
    again = invoke("import", source, "--name", "fifteen", "-o", str(target))
    check(again.exception, "exists")
    refused = invoke("import", source)
    check(refused.exception, "missing", source)


SCENARIO = """
name = "direct"
[[array.pool]]
name = "disks"
count = 1

[array.pool.device]
name = "raid5_32.parv"
drive = "disk0"
power = { active = "12W", positioning = "12W", idle = "8W" }

[observe]
duration = "1s"
"""


def test_a_disksim_file_in_a_scenario():
    plan = compile_plan(load(SCENARIO, base_dir=DATA), DATA)
    device = plan["simulation"]["pools"][0]["device"]
    assert (device["kind"], device["power"]["levels"]["idle_w"]) == ("hdd", 8.0)
    ignored = import_drive(DATA / "raid5_32.parv", "disk0").ignored
    told = noted(plan["notes"])["drive"]
    assert ignored and [text for text in ignored if text not in told] == []


@pytest.mark.parametrize(
    ("old", "new", "code", "named"),
    [
        ('drive = "disk0"', 'drive = "disk77"', "unknown-name", "'disk77'"),
        ("raid5_32.parv", "raid6.parv", "not-found", "raid6.parv"),
        ("raid5_32.parv", "quantum-atlas-10k", "not-applicable", "'quantum-atlas-10k'"),
    ],
)
def test_a_disksim_file_that_is_wrong(old, new, code, named):
    # Its code is that of the library's error.
    with pytest.raises(DocumentError) as error:
        compile_plan(load(SCENARIO.replace(old, new), base_dir=DATA), DATA)
    (problem,) = error.value.problems
    assert (problem.code, named in problem.message) == (code, True)
    assert problem.path[:2] == ("array", "pool") and problem.path[-1] == "device"


def test_an_irregular_layout_at_another_speed():
    text = SCENARIO.replace("raid5_32.parv", "Seagate-Cheetah15k5.diskspecs")
    text = text.replace('drive = "disk0"', "rpm = 9000")
    with pytest.raises(DocumentError) as error:
        compile_plan(load(text, base_dir=DATA), DATA)
    (problem,) = error.value.problems
    assert (problem.code, problem.path[-2:]) == ("out-of-range", ("device", "rpm"))


def test_a_slow_bus_is_said():
    assert any("5.2 MB/s" in note for note in find_drive("quantum-atlas-10k").notes)
    assert not any("5.2 MB/s" in note for note in find_drive("arrays2002-disk").notes)


def test_what_validate_refuses(tmp_path):
    page = str(tmp_path / "x.txt")
    for words, code, place in (
        (("--drive", "wd-red-4tb"), "unknown-name", Argument("drive", "wd-red-4tb")),
        (("--trace", "x.trace"), "missing", Argument("drive")),
        (("--drive", "hp-c2247a", "-o", page), "not-accepted", page),
    ):
        check(invoke("validate", *words).exception, code, place)
