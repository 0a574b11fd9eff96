"""Traces that record a queue: their arrivals replayed, their services one by one, through the verb."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from srt_writer import record, written
from typer.testing import CliRunner

from figures import figures
from iowatt.cli import main
from iowatt.evaluate import validation
from iowatt.evaluate.validation import replay
from iowatt.evaluate.validation.cases import ValidationCase, read_arrivals, read_services
from iowatt.model.library import find_drive
from iowatt.pages.validation import document, kinds
from iowatt.trace.measure import info
from refused import check, refused

# The second waits for the first; the third, of the same disk, is served before the second. One is of disk 1.
RECORDS = [
    record(0, (0, 100, 20_100), 90_400, 8192, read=True),
    record(0, (5_000, 45_000, 65_000), 180_800, 8192, read=False),
    record(1, (6_000, 50, 15_050), 904, 1024, read=True),
    record(0, (7_000, 13_200, 38_200), 90_416, 4096, read=True),
]


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "week.srt"
    path.write_bytes(written(RECORDS))
    return path


def test_services_and_arrivals(trace):
    services = read_services(trace, None, "0")
    # Starts at 100, 20,200 and 50,000 us; 20.0, 25.0 and 20.0 ms of service.
    assert services.offset.tolist() == [90_400 * 256, 90_416 * 256, 180_800 * 256]
    assert services.response_ns.tolist() == [20_000_000, 25_000_000, 20_000_000]
    assert services.think_ns.tolist() == [100_000, 4_800_000, 0]
    arrived = read_arrivals(trace, None, "0")
    assert arrived.time_ns.tolist() == [0, 5_000_000, 7_000_000]
    assert arrived.response_ns.tolist() == [20_100_000, 65_000_000, 38_200_000]
    assert arrived.write.tolist() == [False, True, False]


def test_every_device_of_a_trace_is_a_case(trace):
    expected = [ValidationCase("hp-335h", trace, None, None, disk, "open") for disk in "01"]
    assert validation.cases("hp-335h", None, trace) == expected
    assert [case.arrivals for case in validation.cases("hp-335h", None, trace, "hp-srt")] == ["open", "open"]


def test_the_queue_makes_requests_wait(trace):
    (found, other) = map(validation.validate, validation.cases("hp-335h", None, trace))
    assert (found.every.requests, found.reads.requests, found.writes.requests) == (3, 2, 1)
    assert found.every.measured_mean_ms == pytest.approx((20.1 + 65.0 + 38.2) / 3)
    assert found.service.every.measured_mean_ms == pytest.approx(65 / 3)
    # The write arrived before the last read and lies behind it: it waits for both services.
    arrived = read_arrivals(trace, None, "0")
    first, write, last = found.simulated_ms
    assert write > last + arrived.time_ns[2] / 1e6 - arrived.time_ns[1] / 1e6
    first_come, _ = replay.respond_open(find_drive("hp-335h"), arrived, "fcfs")
    assert first_come[1] < first_come[2] + 2.0 and first_come[0] == first
    assert (other.every.requests, other.key) == (1, "hp-335h-disk-1")
    assert "335H" in other.title and figures(other.title) == [335, 1]


@pytest.mark.parametrize("packed", [False, True])
def test_the_verb_on_a_trace_of_ones_own(trace, tmp_path, packed):
    if packed:
        trace = tmp_path / "week.srt.gz"
        trace.write_bytes(gzip.compress(written(RECORDS)))
    report = tmp_path / "report.html"
    words = ["devices", "validate", "--drive", "hp-335h", "--trace", str(trace), "--format", "hp-srt"]
    result = CliRunner().invoke(main.app, [*words, "--json", "-o", str(report)])
    assert result.exit_code == 0, result.output
    zero, one = json.loads(result.stdout)["drives"]
    assert (zero["device"], zero["trace_device"], zero["arrivals"]) == ("hp-335h", "0", "open")
    assert (zero["scheduler"], zero["disksim"], one["requests"], one["write"]) == ("c-look", None, 1, None)
    assert zero["service"]["measured_mean_ms"] == pytest.approx(65 / 3)
    assert set(zero["service"]) <= set(zero)
    markup = report.read_text()
    assert "distribution-hp-335h-disk-0" in markup and "services-hp-335h-disk-1" in markup
    shown = CliRunner().invoke(main.app, words).stdout
    assert "hp-335h-disk-1" in shown
    assert shown.count("service") >= 4


def test_the_page_has_both_figures(trace):
    found = [validation.validate(case) for case in validation.cases("hp-335h", None, trace)]
    keys = {figure.key for figure in document(found).figures()}
    assert {f"{of}-hp-335h-disk-{n}" for of in ("distribution", "services") for n in (0, 1)} <= keys
    assert [part for _, part in kinds(found[1])] == [
        found[1].every, found[1].reads, found[1].service.every, found[1].service.reads,
    ]  # fmt: skip


def test_what_is_wrong_is_said(trace, tmp_path):
    bad = tmp_path / "cut.srt"
    bad.write_bytes(written(RECORDS)[:-1])
    words = ["devices", "validate", "--drive", "hp-335h", "--trace", str(bad), "--format", "hp-srt"]
    at = len(written(RECORDS)) - 56
    result = CliRunner().invoke(main.app, words)
    check(result.exception, "damaged", f"{bad}:{len(RECORDS)}")
    assert f"byte {at}" in result.exception.message
    with refused("ambiguous", f"{trace}:3"):
        read_services(trace, None, None)


def test_info_counts_it(trace):
    found = info({"path": str(trace)})
    assert (found.format, found.requests.reads, found.requests.writes) == ("hp-srt", 3, 1)
    assert found.response_ms.mean == pytest.approx(np.mean([20.1, 65.0, 15.05, 38.2]), rel=1e-3)
