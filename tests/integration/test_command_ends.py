"""Every way out of the command: its exit code, what it says, and what it leaves on the disk."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import small_arrays

from iowatt.cli.main import NOTHING_LEFT
from iowatt.cli.streams import STANDARD_OUTPUT
from iowatt.run.bundle import Run
from refused import printed_code

MAIN = "from iowatt.cli.main import main; main()"
#: Sends this process a signal when a module is looked for.
AT_IMPORT = """
import os, sys
sys.argv[0] = "iowatt"
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), {number})
sys.meta_path.insert(0, Finder())
"""
RUN = ("run", "scenario.toml", "-o", "out")


@pytest.fixture
def place(tmp_path):
    small_arrays.one_pool(tmp_path, None, trace="short.csv")
    rows = (f"{i * 20_000},R,{i * 7919 % 100_000 * 4096},4096\n" for i in range(300))
    (tmp_path / "short.csv").write_text(small_arrays.HEADER + "\n" + "".join(rows))
    return tmp_path


def command(place, *words, before="", env=(), **how):
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | how
    return subprocess.run(
        [sys.executable, "-c", before + MAIN, *words],
        cwd=place,
        env=os.environ | dict(env),
        errors="surrogateescape",
        check=False,
        timeout=120,
        **how,
    )


def left(place):
    """What is there beside the scenario, its trace and the index of Runs."""
    given = ("scenario.toml", "short.csv", "iowatt.sqlite")
    return sorted(path.name for path in place.iterdir() if path.name not in given)


@pytest.mark.parametrize("kind", ["Exception", "BaseException"])  # a panic of Rust is no Exception
def test_a_fault_of_ours_exits_3_and_leaves_nothing(place, kind):
    before = f"""
import iowatt.evaluate.evaluation
class Odd({kind}): ...
def failing(*_, **__): raise Odd("seven")
iowatt.evaluate.evaluation.simulate = failing
"""
    env = {"IOWATT_DEBUG": "1"} if kind == "Exception" else {}
    done = command(place, *RUN, before=before, env=env)
    assert done.returncode == 3
    assert {"Odd:", "seven"} <= set(done.stderr.split())
    assert ("Traceback" in done.stderr) == bool(env)
    assert left(place) == []


def test_wrong_words_and_wrong_input_exit_2(place):
    for words in (("run", "--no-such-option"), ("no-such-verb",), ("run", "absent.toml")):
        assert command(place, *words).returncode == 2
    assert left(place) == []


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("iowatt.api._run", signal.SIGINT),  # before `main` is there
        ("typer", signal.SIGHUP),
        ("numpy", signal.SIGINT),
        ("numpy._core._multiarray_umath", signal.SIGTERM),
        ("iowatt.core._native", signal.SIGINT),
        ("polars", signal.SIGHUP),
    ],
)
def test_a_signal_during_an_import_waits_for_its_end(place, name, number):
    done = command(place, *RUN, before=AT_IMPORT.format(name=name, number=int(number)))
    assert done.returncode == 128 + number
    (line,) = done.stderr.splitlines()
    assert line.startswith("iowatt: ") and line.endswith(NOTHING_LEFT)
    assert left(place) == []


def test_a_signal_at_the_first_use_of_numpy_by_the_extension_is_no_panic(place):
    before = """
import os, sys
import numpy.lib
sys.argv[0] = "iowatt"
right = numpy.lib.NumpyVersion
def interrupted(version):
    os.kill(os.getpid(), 2)
    return right(version)
numpy.lib.NumpyVersion = interrupted
"""
    done = command(place, *RUN, before=before)
    assert done.returncode == 130
    (line,) = done.stderr.splitlines()
    assert line.endswith(NOTHING_LEFT)
    assert left(place) == []


def test_a_late_signal_says_that_the_bundle_is_complete(place):
    before = """
import os
from iowatt.run import index
index.register = lambda *_: os.kill(os.getpid(), 2)
"""
    done = command(place, *RUN, before=before)
    assert done.returncode == 130
    assert done.stderr.splitlines()[-1].split() == ["complete:", "out"]
    assert Run.open(place / "out").summary["requests"]["count"] == 300


def test_a_signal_after_the_end_changes_nothing(place):
    before = "import atexit, os; atexit.register(os.kill, os.getpid(), 15)\n"
    assert command(place, *RUN, before=before).returncode == 0


def test_output_that_cannot_be_written_exits_2(place):
    with Path("/dev/full").open("wb") as full:
        done = command(place, *RUN, stdout=full)
    assert done.returncode == 2
    assert printed_code(done.stderr) == "unwritable" and STANDARD_OUTPUT in done.stderr
    assert done.stderr.splitlines()[-1].split() == ["complete:", "out"]
    assert Run.open(place / "out").summary["requests"]["count"] == 300

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    for words in (
        ("run", "scenario.toml", "-o", "other"),
        ("report", "out", "-o", "page.html"),
        ("report", "out", "-o", "book.xlsx"),
        ("trace", "convert", "short.csv", "short.parquet"),
        ("sweep", "scenario.toml", "--over", "array.pool.disks.count=4", "-o", "sw"),
    ):
        done = command(place, *words, preexec_fn=small)
        assert done.returncode == 2, (words, done.stderr)
        assert printed_code(done.stderr) == "unwritable"
        assert "Traceback" not in done.stderr
        assert set(left(place)) <= {"out", "sw"}
    assert not list((place / "sw").glob(".iowatt-*"))


def test_a_full_file_system_exits_2(place):
    small = place / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a file system of one's own cannot be mounted here")
    try:
        assert command(place, *RUN).returncode == 0
        done = command(place, "report", "out", "-o", "small/page.html")
        assert done.returncode == 2
        assert printed_code(done.stderr) == "unwritable"
        assert "small/page.html: " in done.stderr and os.strerror(errno.ENOSPC) in done.stderr
        assert list(small.iterdir()) == []
    finally:
        subprocess.run(["umount", small], check=True)


def test_a_reader_that_is_gone_is_no_failure_of_the_run(place):
    reading, writing = os.pipe()
    os.close(reading)
    done = command(place, *RUN, stdout=writing)
    os.close(writing)
    assert done.returncode == 128 + signal.SIGPIPE
    assert done.stderr == ""
    assert Run.open(place / "out").summary["requests"]["count"] == 300


def test_closed_streams_and_a_small_encoding_are_no_failure(place):
    done = command(place, "run", "scenario.toml", "-o", "a", preexec_fn=lambda: os.close(2), stderr=None)
    assert done.returncode == 0
    done = command(place, "run", "scenario.toml", "-o", "b", preexec_fn=lambda: os.close(1), stdout=None)
    assert (done.returncode, done.stderr) == (0, "")
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    done = command(place, "run", "scenario.toml", "-o", "\N{SNOWMAN}", env=ascii_only)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u2603" in done.stdout
    done = command(place, "report", "\N{SNOWMAN}", "-o", "\N{SNOWMAN}.html", env=ascii_only)
    assert (done.returncode, done.stderr) == (0, "")
    assert left(place) == ["a", "b", "\N{SNOWMAN}", "\N{SNOWMAN}.html"]


def test_a_name_that_is_no_text_is_refused_before_any_work(place):
    for word in (b"out\xff", b"\xff.toml"):
        words = ("run", "scenario.toml", "-o", word) if word.startswith(b"out") else ("run", word)
        done = command(place, *words)
        assert done.returncode == 2
        assert "\\xff" in done.stderr and "Traceback" not in done.stderr
    no_locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = command(place, "run", "scenario.toml", "-o", "\N{SNOWMAN}".encode(), env=no_locale)
    assert done.returncode == 2 and "LC_ALL" in done.stderr
    assert left(place) == []
