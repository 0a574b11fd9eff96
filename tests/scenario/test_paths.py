"""Files named in ``--set``: from the current directory first, kept relative to the scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

from iowatt.base.errors import Argument
from iowatt.model.scenario import load
from iowatt.model.scenario.paths import as_named
from refused import refused

TEXT = """\
name = "x"
[[workload]]
name = "w"
trace = { path = "given.csv" }
[[array.pool]]
name = "p"
device = "arrays2002-disk"
count = 1
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The current directory, beside the scenario's; both have a trace ``both.csv``."""
    here = tmp_path / "here"
    (tmp_path / "examples" / "traces").mkdir(parents=True)
    here.mkdir()
    monkeypatch.chdir(here)
    for file in ("examples/given.csv", "examples/theirs.csv", "examples/both.csv", "here/both.csv"):
        (tmp_path / file).touch()
    (tmp_path / "examples" / "x.toml").write_text(TEXT)
    return here


def trace(override):
    (workload,) = load("../examples/x.toml", [override]).workload
    return workload.trace.path


@pytest.mark.parametrize(
    "override",
    [
        "workload.w.trace.path={}",
        "workload.0.trace={{path = '{}'}}",
        "workload=[{{name='w', trace={{path='{}'}}}}]",
    ],
)
def test_a_trace_of_the_current_directory_wins(here, override):
    assert trace(override.format("both.csv")) == "../here/both.csv"
    assert trace(override.format("theirs.csv")) == "theirs.csv"


def test_other_overrides_leave_the_paths_of_the_scenario(here):
    (here / "given.csv").touch()
    assert trace("workload.w.trace.skip_bad=3") == "given.csv"
    assert trace(f"workload.w.trace.path={here / 'both.csv'}") == str(here / "both.csv")
    assert trace("workload.w.trace.path=-") == "-"


def test_a_device_file_of_the_current_directory(here):
    own = 'name = "mine"\ntitle = "Mine"\nbased_on = "arrays2002-disk"\n'
    (here / "mine.toml").write_text(own)
    for override in ("array.pool.p.device=mine.toml", "array.pool.p.device.name=mine.toml"):
        (pool,) = load("../examples/x.toml", [override]).array.pool
        assert pool.device.name == "../here/mine.toml"


def test_a_missing_trace_is_named_as_it_was_given(here):
    (here / "mytrace.csv").touch()
    change = "workload.w.trace.path=mytrase.csv"
    with refused("not-found", Argument("set", f"{change}: workload.w.trace.path")) as error:
        load("../examples/x.toml", [change])
    assert "mytrase.csv" in error.value.message
    assert "'mytrace.csv'" in (error.value.hint or "")


def test_a_directory_is_no_suggestion(here):
    (here / "mytraces").mkdir()
    change = "workload.w.trace.path=mytrace"
    with refused("not-found", Argument("set", f"{change}: workload.w.trace.path")) as error:
        load("../examples/x.toml", [change])
    assert error.value.hint is not None
    assert "mytraces" not in error.value.hint
    assert "`set=`" in error.value.hint  # says which directories are searched


def test_names_from_here(here, tmp_path):
    examples = Path("../examples")
    assert as_named(examples, "given.csv") == "../examples/given.csv"
    assert as_named(examples, "../here/both.csv") == "both.csv"
    assert as_named(here / examples, "given.csv") == str(tmp_path / "examples" / "given.csv")
    assert as_named(examples, "-") == "-"
    # ".." behind a symbolic link is another place: such a name stays as it is.
    (here / "link").symlink_to(tmp_path / "examples" / "traces")
    assert as_named(here / "link", "../both.csv") == str(here / "link" / "../both.csv")
    assert (here / "link" / "../both.csv").samefile(tmp_path / "examples" / "both.csv")
