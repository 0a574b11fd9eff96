"""One run on several threads: the same files for any number, and what ``simulation`` says of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import iowatt
from iowatt.base.errors import InputError
from iowatt.base.processors import cores

OLTP = Path(__file__).parents[2] / "examples" / "oltp-raid5.toml"


def simulated(folder, threads, *overrides):
    iowatt.run(OLTP, set=[*overrides], output=folder, threads=threads)
    return json.loads((folder / "run.json").read_text())


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Folders and summaries of the same run on one thread and on two."""
    folders = [tmp_path_factory.mktemp("threads") / str(threads) for threads in (1, 2)]
    return folders, [simulated(folder, threads) for threads, folder in enumerate(folders, 1)]


def test_files_are_the_same_for_any_number_of_threads(both):
    one, two = (sorted(folder.iterdir()) for folder in both[0])
    assert [file.name for file in one] == [file.name for file in two]
    for file, other in zip(one, two, strict=True):
        if file.name != "run.json":
            assert file.read_bytes() == other.read_bytes(), file.name


def test_the_summaries_differ_in_cost_and_provenance_alone(both):
    one, two = both[1]
    assert {key for key in one if one[key] != two[key]} <= {"simulation", "provenance"}
    assert (one["simulation"]["threads"], one["simulation"]["serial"]) == (1, "one-thread")
    several = (2, None) if cores() > 1 else (1, "one-thread")
    assert (two["simulation"]["threads"], two["simulation"]["serial"]) == several


def test_what_cannot_be_cut_says_why(tmp_path):
    closed = 'workload.oltp.replay={mode="closed",outstanding=8}'
    assert simulated(tmp_path / "closed", 2, closed)["simulation"]["serial"] == "closed-loops"


def test_progress_is_told_and_ends_a_run_on_several_threads():
    told = []

    def stop(_fraction, requests):
        told.append(requests)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        iowatt.run(OLTP, set=["workload.oltp.trace.end=1h"], threads=2, progress=stop)
    assert len(told) == 1


def test_no_threads_are_refused():
    with pytest.raises(InputError, match="at least one thread"):
        iowatt.run(OLTP, threads=0)
