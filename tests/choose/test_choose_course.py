"""Progress of a search: one share that never falls."""

from __future__ import annotations

from pathlib import Path

import iowatt
from iowatt.evaluate.choose.course import ChooseCourse
from iowatt.evaluate.search.tasks import SearchProgress

ROOT = Path(__file__).resolve().parents[2]
QUESTION = """
schema = "iowatt.question/1"
name = "small"
usable = "30TB"
requests = 1000
families = ["flash-sata", "disks-7k"]
[[workload]]
name = "files"
profile = { name = "uniform", rate_iops = 2000 }
p95 = "12ms"
"""


def _told():
    shares = []
    return shares, ChooseCourse(lambda at: shares.append((at.what, at.done, at.total, at.fraction)))


def test_a_step_counts_from_its_own_first_simulation_and_the_share_goes_on():
    told, course = _told()
    course.phase(0.5)
    course.step("simulating", 0.5)
    for done in (0, 2, 4):
        course.points(SearchProgress(done, 4, 0, 0.0))
    course.step("confirming", 1.0)
    for done, total in ((4, 6), (5, 6), (5, 8), (8, 8)):  # more simulations turn out to be needed
        course.points(SearchProgress(done, total, 0, 0.0))
    assert [one[1:3] for one in told if one[0] == "confirming"] == [(0, 0), (0, 2), (1, 2), (1, 4), (4, 4)]
    shares = [one[3] for one in told]
    assert shares == sorted(shares)
    assert shares[-1] == 0.5


def test_a_phase_that_ends_early_is_done():
    told, course = _told()
    course.phase(0.5)
    course.step("simulating", 0.1)
    course.phase(1.0)
    course.step("comparing prices", 0.5)
    assert told[-1] == ("comparing prices", 0, 0, 0.5)


def test_the_share_of_a_search_never_falls_and_each_phase_is_named(tmp_path):
    told = []
    iowatt.choose(QUESTION, output=tmp_path / "answer", progress=told.append)
    shares = [one.fraction for one in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    phases = list(dict.fromkeys(one.what for one in told))
    assert phases[:4] == ["sizing designs", "estimating", "simulating", "confirming"]
    assert phases[-1] == "other data and load"
    assert all(one.done <= one.total for one in told)
    again = []
    iowatt.choose(QUESTION, output=tmp_path / "answer", resume=True, progress=again.append)
    assert all(one.done <= one.total for one in again)
