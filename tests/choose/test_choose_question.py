"""A question says what is wrong with it, by code and place."""

from __future__ import annotations

import re

import pytest
from choose_questions import TRACE, question, request

from iowatt.base.problems import DocumentError
from refused import refused

WRONG = {
    "no load": (question("p95 = '5ms'"), "missing", r"workload\.load$"),
    "two loads": (
        question(f"{TRACE}\nprofile = {{ name = 'skew', rate_iops = 10 }}\np95 = '5ms'"),
        "conflict",
        r"workload\.load$",
    ),
    "clones of its own": (
        question("trace = { path = 'small.csv', clones = 3 }\np95 = '5ms'"),
        "conflict",
        r"workload\.load\.trace\.clones$",
    ),
    "a length of its own": (
        question("profile = { name = 'skew', rate_iops = 10, requests = 5 }\np95 = '5ms'"),
        "conflict",
        r"workload\.load\.profile\.requests$",
    ),
    "a profile is not scaled": (
        question("profile = { name = 'skew', rate_iops = 10 }\nfootprint = 'stretch'\np95 = '5ms'"),
        "not-applicable",
        r"workload\.load\.footprint$",
    ),
    "no level": (question(TRACE), "missing", r"workload\.load\.p95$"),
    "no load at all": (
        question(f"{TRACE}\ntimes = 0\np95 = '5ms'"),
        "out-of-range",
        r"workload\.load\.times$",
    ),
    "too large": (question(f"{TRACE}\ncapacity = '2GiB'\np95 = '5ms'"), "out-of-range", r"usable$"),
    "two prices": (
        question(more="energy = { usd_per_kwh = 0.2, tariff = 'x' }"),
        "conflict",
        r"energy\.tariff$",
    ),
    "unknown family": (question(more="families = ['flash-qcl']"), "unknown-name", r"families\.0$"),
    "unknown family left out": (question(more="without = ['tape']"), "unknown-name", r"without\.0$"),
    "nothing of one's own": (question(more="own = [{ name = 'today' }]"), "missing", r"own\.today$"),
    "a name that is taken": (
        question(more="own = [{ name = 'flash-qlc', run = 'x' }]"),
        "duplicate",
        r"own\.flash-qlc\.name$",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_with_a_question(tmp_path, case):
    text, code, place = WRONG[case]
    with refused(code, re.compile(place)):
        request(tmp_path, text)


def test_all_that_is_wrong_is_said_at_once(tmp_path):
    with refused("several") as caught:
        request(tmp_path, question("footprint = 'clones'", more="without = ['tape']"))
    error = caught.value
    assert isinstance(error, DocumentError)
    assert [one.code for one in error.problems] == ["unknown-name", "missing", "missing"]


def test_what_is_bought_is_that_of_the_last_year(tmp_path):
    """100 GB that grow by 10 % for two years are 121 GB; the load is left as it is, or follows the data."""
    fixed = request(
        tmp_path, question(usable="100GB", more="years = 2\ngrowth = 0.1\nload_growth = 0")
    ).question
    assert fixed.bought_bytes == pytest.approx(121e9)
    assert fixed.load_grown == 1
    assert request(tmp_path, question(more="years = 2\ngrowth = 0.1")).question.load_grown == pytest.approx(
        1.21
    )
    assert request(tmp_path, question(more="years = 2\ngrowth = -0.5")).question.grown == 1
