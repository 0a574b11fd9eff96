"""The durability study, quick: what holds of published calculations whatever the trials."""

from __future__ import annotations

import pytest

from iowatt.studies.conduct import conduct
from iowatt.studies.durability.assess import by_formula
from iowatt.studies.durability.published import PRINTED
from iowatt.studies.study import find

CASES = {case.key: case for case in PRINTED.calculation}


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return conduct(find("durability"), tmp_path_factory.mktemp("study") / "quick", quick=True).result


def rows(result, key):
    figure = next(figure for figure in result.figures if figure.key == key)
    return {row[0]: row[1:] for row in figure.rows}


def test_published_figures_follow_from_their_formulas_to_the_printed_digits(result):
    assert f"{by_formula(CASES['backblaze-17-3']):.11f}" == "0.99999999999"
    assert f"{by_formula(CASES['backblaze-4-2']):.15f}" == "0.999999850032187"
    assert round(by_formula(CASES["elerath-mttdl"]) / 8760) == 36162
    own = [one for one in result.verdicts if one.key == "own-formula"]
    assert len(own) == len(CASES)
    assert all(one.agrees for one in own)


def test_windows_miss_failures_whose_repairs_overlap(result):
    same = {one.case: one for one in result.verdicts if one.key == "same-inputs"}
    for case in CASES.values():
        assert same[case.who].agrees == (case.formula == "mttdl")
    moved = rows(result, "moved")
    # Four failures within a repair's time lie in one window in one of four cases.
    assert moved["overlapping repairs"][0] / moved["as published"][0] == pytest.approx(4, rel=0.05)
    # Repairs in turn, exponential: 3! times as likely to meet as all at once.
    assert moved["one repair at a time"][0] / moved["overlapping repairs"][0] == pytest.approx(6, rel=0.05)
    # Four failures: the fourth power of the rate; the fourth moment of the batch's factor.
    assert moved["1.4 % a year"][0] / moved["overlapping repairs"][0] == pytest.approx(
        (0.014 / 0.0041) ** 4, rel=0.05
    )
    fourth = (0.1 * 5**4 + 0.9) / 1.4**4
    assert moved["a shared batch"][0] / moved["overlapping repairs"][0] == pytest.approx(fourth, rel=0.15)


def test_scrubs_decide_what_ageing_drives_lose(result):
    aged = rows(result, "aged")
    # Without latent errors a pair of failures must meet: 8 x 7 x repair x the integral of the squared hazard.
    case = PRINTED.weibull
    years = (case.hours / case.scale_h) ** (2 * case.shape - 1) * case.shape**2 / (2 * case.shape - 1)
    meet = 1000 * 8 * 7 * case.repair_h / case.scale_h * years
    assert aged["no latent errors"][0] == pytest.approx(meet, rel=0.15)
    assert aged["no latent errors"][0] < 0.01 * aged["scrubbed weekly"][0]
    assert aged["scrubbed weekly"][0] < 0.5 * aged["never scrubbed"][0]
    assert next(one for one in result.verdicts if one.key == "weibull").agrees
