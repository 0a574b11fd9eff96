"""`iowatt trace export` as typed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import needs
from refused import printed_code

HOT = ("hot-band", "--rate", "2000", "--span", "1GiB", "--to")


def iowatt(*words, cwd):
    command = [sys.executable, "-c", "from iowatt.cli.main import main; main()", "trace", "export", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_the_file_goes_to_stdout_and_the_rest_to_stderr(tmp_path):
    done = iowatt(*HOT, "fio", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# ") and "\n[uniform-read]\n" in done.stdout
    first = set(done.stderr.splitlines()[0].replace(",", "").replace(":", "").split())
    assert {"align", "uniform", "hot1", "hot2", "hot3", "hot4"} <= first


def test_a_file_is_written_and_not_replaced(tmp_path):
    words = (*HOT, "vdbench", "-o", "hot.parm", "--target", "/dev/sdx")
    done = iowatt(*words, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("hot.parm: 13 jobs")
    assert "lun=/dev/sdx" in (tmp_path / "hot.parm").read_text()
    again = iowatt(*words, cwd=tmp_path)
    assert again.returncode == 2
    assert printed_code(again.stderr) == "exists"
    assert "hot.parm: " in again.stderr
    assert "--force" in again.stderr
    assert iowatt(*words, "--force", cwd=tmp_path).returncode == 0


def test_json_has_the_file_the_jobs_and_what_is_not_in_it(tmp_path):
    done = iowatt(*HOT, "fio", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (found["schema"], found["to"], found["check"]) == ("iowatt.trace-export/1", "fio", None)
    assert {"name": "hot1-read", "stream": "hot1"} in found["jobs"]
    assert found["not_expressed"][0].keys() == {"key", "asked", "exported", "why"}
    assert found["text"].startswith("# SNIA")
    assert "profile-remark" in {note["code"] for note in found["notes"]}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("hot-band", "--to", "fio", "--span", "1GiB"), "missing", ": arrivals.rate: "),
        (("hot-band", "--to", "fio", "--rate", "100"), "missing", "--span 1TiB"),
        (("hot-bnad", "--to", "fio"), "unknown-name", "'hot-band'"),
        (("hot-band", "--to", "iometer"), None, "iometer"),  # Typer's own
        (("hot-band", "--to", "fio", "--rate", "x"), "bad-syntax", " --rate: "),
        ((*HOT, "vdbench", "--check", "a.dat"), "not-applicable", " --check: "),
    ],
)
def test_wrong_words_are_refused(tmp_path, words, code, said):
    done = iowatt(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert printed_code(done.stderr) == code
    assert said in done.stderr


@needs.mark("fio")
def test_check_prints_asked_beside_seen(tmp_path):
    words = (*HOT, "fio", "--rate", "3000", "--span", "64MiB", "--duration", "10s", "--check", "x.dat")
    done = iowatt(*words, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    check = json.loads(done.stdout)["check"]
    assert {"share", "reads", "mean size", "rate"} == {row["figure"] for row in check["rows"]}
    assert check["within"]
    assert list(tmp_path.iterdir()) == []


def test_check_without_fio_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    words = ("hot-band", "--to", "fio", "--rate", "100", "--span", "64MiB", "--check", "x.dat")
    done = iowatt(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert printed_code(done.stderr) == "tool-missing"
