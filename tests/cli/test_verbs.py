"""The table of verbs: it says what the modules say, and a verb that is not called is not imported."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from iowatt.cli import verbs
from iowatt.cli.main import app

_LOADED = """
import json, sys
from iowatt.cli.main import main
sys.argv = ["iowatt", *{words!r}]
try:
    main()
except SystemExit as left:
    assert left.code == 0
print(json.dumps(sorted(sys.modules)))
"""


def loaded(*words):
    """The modules that a command has imported."""
    done = subprocess.run(
        [sys.executable, "-c", _LOADED.format(words=words)], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    ("words", "verb", "unwanted"),
    [
        (
            ("--help",),
            None,
            {"pydantic", "numpy", "polars", "iowatt.model.scenario.keys.scenario"},
        ),
        (
            ("explain", "array.pool.count"),
            "explain",
            {"numpy", "polars", "rich", "iowatt.model.library.find"},
        ),
        (("schema", "scenario"), "schema", {"numpy", "polars", "rich", "iowatt.model.profile.profile"}),
    ],
)
def test_only_what_is_called_is_imported(words, verb, unwanted):
    modules = loaded(*words)
    assert unwanted & modules == set()
    others = {f"iowatt.cli.{one.module}" for one in verbs.VERBS.values()} - {f"iowatt.cli.{verb}"}
    assert not others & modules


def test_check_of_disks_imports_no_arrays(tmp_path):
    """Nor profiles, nor DiskSim's files, where the scenario has none."""
    (tmp_path / "trace.csv").write_text("time_us,op,offset,size\n0,R,0,4096\n")
    scenario = tmp_path / "s.toml"
    scenario.write_text(
        'name = "s"\n[[workload]]\nname = "w"\ntrace = { path = "trace.csv" }\n'
        '[[array.pool]]\nname = "p"\ndevice = "toshiba-mg04sca500e"\ncount = 2\nraid = { level = 1 }\n'
    )
    modules = loaded("check", str(scenario))
    assert not {"numpy", "polars", "rich", "iowatt.model.profile.profile"} & modules
    assert not [name for name in modules if name.startswith("iowatt.model.library.disksim")]


@pytest.mark.parametrize("name", verbs.VERBS)
def test_the_table_has_the_help_of_each_verb(name):
    command = verbs.load(name)
    assert command.name == name
    assert " ".join(command.help.split("\n\n")[0].split()) == verbs.VERBS[name].help


def test_the_version():
    assert CliRunner().invoke(app, ["--version"]).stdout == f"iowatt {version('iowatt')}\n"
