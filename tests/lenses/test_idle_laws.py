"""Laws fitted to samples of known ones: parameters found again, and the right law best."""

from __future__ import annotations

import math

import numpy as np
import pytest

from iowatt.lenses.idle import laws
from iowatt.lenses.idle.histogram import LengthHistogram
from iowatt.lenses.idle.laws import Sample

COUNT = 100_000


def sample(lengths_s):
    histogram = LengthHistogram()
    histogram.add(np.maximum(np.round(np.asarray(lengths_s) * 1e9), 1).astype(np.int64))
    return Sample.of(histogram)


def fitted(lengths_s):
    return {fit.law: fit for fit in laws.fits(sample(lengths_s))}


@pytest.fixture
def draw():
    return np.random.default_rng(20261121)


def test_exponential_is_found_again(draw):
    found = fitted(draw.exponential(0.3, COUNT))
    # Standard error: mean / sqrt(n) = 0.3 %.
    assert found["exponential"].parameters["mean_s"] == pytest.approx(0.3, rel=0.015)
    assert found["exponential"].ks_distance < 1.63 / math.sqrt(COUNT)  # 1 % level
    assert found["weibull"].parameters["shape"] == pytest.approx(1, rel=0.015)


def test_hyper_exponential_is_found_again_and_best(draw):
    short = draw.random(COUNT) < 0.7
    lengths = np.where(short, draw.exponential(0.01, COUNT), draw.exponential(2.0, COUNT))
    found = fitted(lengths)
    assert next(iter(found)) == "hyper-exponential"
    given = found["hyper-exponential"].parameters
    assert given["probability"] == pytest.approx([0.7, 0.3], rel=0.02)
    assert given["mean_s"] == pytest.approx([0.01, 2.0], rel=0.03)
    assert found["hyper-exponential"].ks_distance < 1.63 / math.sqrt(COUNT)


def test_weibull_is_found_again_and_best(draw):
    found = fitted(0.5 * draw.weibull(0.6, COUNT))
    assert next(iter(found)) == "weibull"
    given = found["weibull"].parameters
    assert (given["shape"], given["scale_s"]) == (pytest.approx(0.6, rel=0.01), pytest.approx(0.5, rel=0.03))
    assert found["weibull"].mean_s == pytest.approx(0.5 * math.gamma(1 + 1 / 0.6), rel=0.04)


def test_log_normal_is_found_again_and_best(draw):
    found = fitted(np.exp(draw.normal(-2.0, 1.5, COUNT)))
    assert next(iter(found)) == "log-normal"
    given = found["log-normal"].parameters
    assert given["median_s"] == pytest.approx(math.exp(-2), rel=0.025)
    assert given["sigma"] == pytest.approx(1.5, rel=0.01)
    assert found["log-normal"].mean_s == pytest.approx(math.exp(-2 + 1.5**2 / 2), rel=0.05)


def test_pareto_is_found_again_and_best(draw):
    lengths = 0.05 * (1 + draw.pareto(1.4, COUNT))
    found = fitted(lengths)
    assert next(iter(found)) in (
        "pareto",
        "bounded-pareto",
    )  # the same law, but for the tail that is not there
    given = found["pareto"].parameters
    assert given["alpha"] == pytest.approx(1.4, rel=0.015)
    assert given["least_s"] == pytest.approx(lengths.min(), abs=1e-9)
    assert found["pareto"].mean_s == pytest.approx(1.4 * 0.05 / 0.4, rel=0.05)


@pytest.mark.parametrize("alpha", [1.2, 0.3, -0.4])
def test_bounded_pareto_is_found_again_and_best(draw, alpha):
    least, most = 0.01, 100.0
    width = math.log(most / least)
    y = -np.log1p(draw.random(COUNT) * math.expm1(-alpha * width)) / alpha
    lengths = least * np.exp(y)
    found = fitted(lengths)
    assert next(iter(found)) == "bounded-pareto"
    assert found["bounded-pareto"].parameters["alpha"] == pytest.approx(alpha, abs=0.02)
    law = laws.bounded_pareto(sample(lengths))
    grid = np.geomspace(lengths.min(), lengths.max(), 100_001)
    moment = grid * np.exp(law.log_density(grid))
    assert law.mean_s == pytest.approx(np.sum((moment[1:] + moment[:-1]) / 2 * np.diff(grid)), rel=1e-4)
    assert found["bounded-pareto"].ks_distance < 1.63 / math.sqrt(COUNT)


def test_a_law_that_is_even_over_decades_has_no_slope(draw):
    found = fitted(np.exp(draw.uniform(math.log(0.01), math.log(100), COUNT)))
    assert found["bounded-pareto"].parameters["alpha"] == pytest.approx(0, abs=0.02)


def test_likelihood_and_criterion_are_as_defined(draw):
    lengths = draw.exponential(0.3, 5_000)
    found = fitted(lengths)["exponential"]
    mean = lengths.mean()
    assert found.log_likelihood == pytest.approx(np.sum(-lengths / mean - math.log(mean)), rel=1e-6)
    assert found.aic == pytest.approx(2 - 2 * found.log_likelihood)


def test_distance_is_near_that_of_the_lengths_themselves(draw):
    lengths = np.sort(draw.weibull(0.7, 2_000))
    found = fitted(lengths)["exponential"]
    model = -np.expm1(-lengths / lengths.mean())
    steps = np.arange(2_001) / 2_000
    exact = max(np.max(np.abs(model - steps[1:])), np.max(np.abs(model - steps[:-1])))
    assert found.ks_distance == pytest.approx(exact, abs=2e-3)


def test_maximum_likelihood_is_a_maximum(draw):
    lengths = sample(0.5 * draw.weibull(0.6, 20_000))
    for fit in (
        laws.exponential,
        laws.hyper_exponential,
        laws.weibull,
        laws.log_normal,
        laws.pareto,
        laws.bounded_pareto,
    ):
        law = fit(lengths)
        best = float(lengths.n @ law.log_density(lengths.x_s))
        assert np.isfinite(best)
        # Every law's distribution function rises from 0 to 1 and is the integral of its density.
        grid = np.geomspace(lengths.least_s, lengths.most_s, 20_001)
        density = np.exp(law.log_density(grid))
        area = np.sum((density[1:] + density[:-1]) / 2 * np.diff(grid))
        ends = law.cdf(grid[[0, -1]])
        assert area == pytest.approx(ends[1] - ends[0], abs=1e-3), law.name


def test_too_few_or_equal_lengths_have_no_law():
    assert laws.fits(sample([1.0] * 1000)) == []
    assert laws.fits(sample(np.arange(1, 10))) == []


def test_curves_are_given_where_asked(draw):
    found = laws.fits(sample(draw.exponential(1.0, 1_000)), [0.5, 1.0])
    (exponential,) = (fit for fit in found if fit.law == "exponential")
    mean = exponential.parameters["mean_s"]
    assert exponential.curve == pytest.approx([1 - math.exp(-0.5 / mean), 1 - math.exp(-1 / mean)])
