"""``iowatt study``: the list, what is refused, and the quick run's options."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from iowatt.studies.study import NAMES

IOWATT = Path(sys.executable).with_name("iowatt")


def iowatt(*words, cwd):
    return subprocess.run([IOWATT, *words], capture_output=True, text=True, check=False, cwd=cwd)


def test_the_list_names_the_studies(tmp_path):
    done = iowatt("study", "list", cwd=tmp_path)
    assert done.returncode == 0
    assert all(name in done.stdout for name in NAMES)
    studies = json.loads(iowatt("study", "list", "--json", cwd=tmp_path).stdout)["studies"]
    assert [study["name"] for study in studies] == list(NAMES)
    assert all(study["question"] for study in studies)


def test_an_unknown_study_is_wrong_input(tmp_path):
    done = iowatt("study", "run", "arrays2003", cwd=tmp_path)
    assert done.returncode == 2
    assert "arrays2002" in done.stderr
    assert not (tmp_path / "studies").exists()


def test_a_place_that_holds_something_else_is_refused(tmp_path):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("mine")
    done = iowatt("study", "run", "arrays2002", "--quick", "-o", "taken", cwd=tmp_path)
    assert done.returncode == 2
    assert "taken" in done.stderr
    assert (tmp_path / "taken" / "file").read_text() == "mine"
    done = iowatt("study", "run", "arrays2002", "--quick", "--jobs", "0", "-o", "new", cwd=tmp_path)
    assert done.returncode == 2
    assert "--jobs" in done.stderr
