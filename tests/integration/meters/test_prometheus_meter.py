"""Prometheus: Debian's, scraping an exporter of the test; samples as scraped, nothing filled in."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator

import numpy as np
import pytest

from figures import figures
from iowatt.sources.meters import prometheus, source
from iowatt.sources.meters.address import parse
from iowatt.sources.meters.log.instrument import Meter, MeterError
from loopback.prometheus import Monitor
from refused import refused


@pytest.fixture(autouse=True)
def mended(monitor: Monitor) -> Iterator[None]:
    monitor.set(212)
    meter = source.meter(monitor.address())
    until(meter, 212.0)
    meter.close()
    yield


def until(meter: Meter, value: float, quantity: str = "watts") -> float:
    """The reading, once it is the one that was set or after ten seconds."""
    end = time.monotonic() + 10
    said = float("nan")
    while time.monotonic() < end:
        with contextlib.suppress(MeterError):
            said = meter.read().quantities[quantity]
        if said == value:
            break
        time.sleep(0.05)
    return said


def test_samples_come_with_the_time_of_their_scrape(
    monitor: Monitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    meter = source.meter(monitor.address())
    instrument = meter.open()
    assert (instrument.kind, instrument.grade) == ("prometheus", "indicative")
    assert instrument.details["samples"] == prometheus.AS_SCRAPED
    assert "job=lab" in instrument.details["series"]
    assert instrument.details["prometheus"]
    assert instrument.sample_interval_s == 0.2, "as its target says"
    without = prometheus.create(parse(monitor.address()))
    monkeypatch.setattr(prometheus, "_duration", lambda _text: None)
    end, found = time.monotonic() + 20, without.open().sample_interval_s
    while found is None and time.monotonic() < end:  # too few stamps yet
        time.sleep(0.2)
        found = without.open().sample_interval_s
    assert found == pytest.approx(0.2, abs=0.1), "by its stamps"
    first = meter.read()
    assert first.quantities == {"watts": 212.0}
    assert time.time() - 15 < first.time_s < time.time()
    end = time.monotonic() + 10
    while meter.read().time_s == first.time_s:
        assert time.monotonic() < end
        time.sleep(0.1)
    assert meter.read().time_s > first.time_s
    monitor.set(230)
    assert until(meter, 230.0) == 230.0
    meter.close()


def test_a_series_that_has_gone_is_no_old_figure(monitor: Monitor) -> None:
    meter = source.meter(monitor.address(max_age=1))
    meter.open()
    monitor.set(None)
    gone = time.monotonic()
    with refused("empty", re.compile("^http://127"), MeterError) as caught:
        while time.monotonic() - gone < 10:
            meter.read()
            time.sleep(0.1)
    assert figures(caught.value.message) == [1]
    monitor.set(212)
    assert until(meter, 212.0) == 212.0
    meter.close()


def test_scale_and_quantity(monitor: Monitor) -> None:
    meter = source.meter(monitor.address("scaph_host_power_microwatts", scale="1e-6"))
    meter.open()
    assert meter.read().quantities["watts"] == pytest.approx(212.0)
    meter = source.meter(monitor.address("lab_power_watts", quantity="celsius", scale=0.1))
    assert meter.read().quantities == {"celsius": pytest.approx(21.2)}


def test_one_of_several_series_or_their_sum(monitor: Monitor) -> None:
    with refused("ambiguous", re.compile("^http://127"), MeterError) as caught:
        source.meter(monitor.address("supply_watts")).open()
    assert "supply=1" in caught.value.message and 2 in figures(caught.value.message)
    one = source.meter(monitor.address("", query='supply_watts{supply="2"}'))
    one.open()
    assert one.read().quantities == {"watts": 159.0}
    both = source.meter(monitor.address("", query="sum(supply_watts)"))
    assert both.open().details["samples"] == prometheus.EVALUATED
    assert both.read().quantities == {"watts": 212.0}


@pytest.mark.parametrize(
    ("query", "code", "named"),
    [
        ("no_such_metric", "empty", "no_such_metric"),
        ("broken_watts", "tool-output", "NaN"),
        ("sum(", "tool-failed", "400"),
        ("'text'", "wrong-type", "string"),
    ],
)
def test_what_it_does_not_have_is_said(monitor: Monitor, query: str, code: str, named: str) -> None:
    with refused(code, re.compile("^http://127"), MeterError) as caught:
        source.meter(monitor.address("", query=query)).open()
    assert named in caught.value.message


def test_what_it_has_kept_is_a_log_with_its_gap(monitor: Monitor) -> None:
    start = time.time()
    time.sleep(1.5)
    monitor.set(None)
    time.sleep(1.5)
    monitor.set(250)
    time.sleep(1.5)
    end = time.time()
    kept = prometheus.create(parse(monitor.address())).history(start, end)
    assert start <= kept.time_s[0] and kept.time_s[-1] <= end
    assert (np.diff(kept.time_s) > 0).all()
    assert float(np.diff(kept.time_s).max()) > 1.0, "nothing is filled in"
    assert set(kept.quantities["watts"]) == {212.0, 250.0}
    assert not kept.problems
    filled = prometheus.create(parse(monitor.address("", query="lab_power_watts + 0")))
    log = filled.history(start, end, step_s=0.5)
    assert len(log.time_s) >= 5
    assert [problem.kind for problem in log.problems] == ["uncertain"]


@pytest.mark.parametrize(
    ("url", "code", "named"),
    [
        ("prometheus:///x", "missing", ""),
        ("prometheus://h", "missing", "query="),
        ("prometheus://h/a?query=b", "conflict", "query="),
        ("prometheus://h/a?quantity=steam", "not-accepted", "'steam'"),
        ("prometheus://h/a?max-age=0", "out-of-range", "max-age='0'"),
    ],
)
def test_a_wrong_address_is_refused(url: str, code: str, named: str) -> None:
    with refused(code, re.compile("^prometheus:")) as caught:
        source.meter(url)
    assert named in caught.value.message


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("15s", 15.0), ("1m30s", 90.0), ("500ms", 0.5), ("0s", None), ("", None), ("15", None), (15, None)],
)
def test_durations(text: object, seconds: float | None) -> None:
    assert prometheus._duration(text) == seconds
