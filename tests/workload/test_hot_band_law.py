"""The hot band over 10 M requests, as users get it: the library's profile and the trace that it makes."""

from __future__ import annotations

import numpy as np
import pytest

from iowatt.model.profile.find import load
from iowatt.trace.generate import prepare
from iowatt.trace.open import requests

# Shares of reads in the first 0.1, 1, 10, 20 and 50 % of a band (vdbench 5.04.06, run).
TABLE = {
    50 * 10**6: (0.119, 0.265, 0.446, 0.545, 0.742),
    10**9: (0.324, 0.451, 0.613, 0.678, 0.814),
    10**10: (0.447, 0.581, 0.700, 0.749, 0.854),
    10**11: (0.578, 0.675, 0.765, 0.802, 0.877),
    10**12: (0.673, 0.738, 0.804, 0.892, 0.991),
    8 * 10**12: (0.733, 0.780, 0.813, 1.000, 1.000),
}
BAND = """schema = "iowatt.profile/1"
name = "band"
title = "One band"
arrivals = { law = "constant", rate = 1000 }
[[stream]]
name = "band"
share = 100
read_share = 100
size = "1KiB"
access = { pattern = "hot-band" }
"""


def test_streams_have_their_shares_within_a_tenth_of_a_point():
    prepared = prepare("hot-band", rate_iops=1000.0, span=2**40, requests=10_000_000)
    counts, reads = np.zeros(13, dtype=np.int64), 0
    for batch in requests(prepared.trace):
        counts += np.bincount(batch["stream"], minlength=13)
        reads += int(np.sum(batch["op"] == 0))
    assert counts.sum() == 10_000_000
    shares = [stream.share for stream in load("hot-band").profile.stream]
    assert counts / 100_000 == pytest.approx(shares, abs=0.1)
    assert reads / 100_000 == pytest.approx(65.8, abs=0.1)


@pytest.mark.parametrize("length", TABLE)
def test_reads_lie_in_a_band_as_vdbench_puts_them(tmp_path, length):
    (tmp_path / "band.toml").write_text(BAND)
    prepared = prepare(str(tmp_path / "band.toml"), span=length, requests=1_000_000)
    offsets = np.concatenate([batch["offset"] for batch in requests(prepared.trace)])
    for fraction, share in zip((0.001, 0.01, 0.1, 0.2, 0.5), TABLE[length], strict=True):
        assert np.mean(offsets < fraction * length) == pytest.approx(share, abs=0.005)
    assert offsets.max() < 1.3132e12 + 0.0001e12
