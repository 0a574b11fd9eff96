"""The closed form of write amplification, and its inverse."""

from __future__ import annotations

import math

import pytest

from iowatt.model.library.ssd.media import amplification, spare


@pytest.mark.parametrize(
    ("rho", "published"), [(0.07, 7.82), (0.15, 4.02), (0.28, 2.48), (0.40, 1.96), (1.0, 1.26)]
)
def test_the_table_of_xiang_and_kurkoski(rho, published):
    assert amplification(rho) == pytest.approx(published, abs=0.006)


@pytest.mark.parametrize("rho", [0.01, 0.07, 0.3, 1.0, 5.0, 10.0])
def test_the_inverse(rho):
    amplified = amplification(rho)
    assert spare(amplified) == pytest.approx(rho, rel=1e-6)
    valid = 1 - 1 / amplified
    assert valid == pytest.approx(math.exp(-(1 + rho) * (1 - valid)), rel=1e-9)


def test_what_has_no_answer():
    for wrong in (0.0, -0.1):
        with pytest.raises(ValueError):
            amplification(wrong)
    for wrong in (1.0, 0.5):
        with pytest.raises(ValueError):
            spare(wrong)
