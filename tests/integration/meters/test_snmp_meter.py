"""SNMP against snmpsim: profiles, decimals, versions, what is missing, and a device that goes and comes."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from figures import figures
from iowatt.sources.meters import source
from iowatt.sources.meters.log.instrument import Meter, MeterError
from iowatt.sources.meters.recording import recorder as recording
from loopback.snmp import Pdu
from refused import refused


@pytest.fixture(autouse=True)
def served(pdu: Pdu) -> Iterator[None]:
    pdu.set(240)
    yield


def taken(meter: Meter) -> dict[str, float]:
    try:
        meter.open()
        return dict(meter.read().quantities)
    finally:
        meter.close()


def test_the_watts_of_a_rack_pdu_follow_what_it_draws(pdu: Pdu) -> None:
    meter = source.meter(pdu.url)
    instrument = meter.open()
    assert (instrument.kind, instrument.grade) == ("snmp", "indicative")
    assert (instrument.model, instrument.serial) == ("AP8853", "5A1234E00874")
    assert figures(instrument.why) == [10]
    before = time.time()
    reading = meter.read()
    assert before <= reading.time_s <= time.time()
    assert reading.quantities == {"watts": 240.0}
    pdu.set(1370)
    assert meter.read().quantities == {"watts": 1370.0}
    meter.close()


def test_an_outlet_has_its_own_objects(pdu: Pdu) -> None:
    assert taken(source.meter(pdu.address("apc-rpdu2-outlet/3"))) == {"watts": 240.0, "amperes": 1.7}


def test_decimals_are_the_devices_own(pdu: Pdu) -> None:
    found = taken(source.meter(pdu.address("raritan", "raritan")))
    assert found == pytest.approx({"watts": 240.0, "volts": 230.0, "amperes": 1.052, "power_factor": 0.98})


def test_the_standard_ups_mib(pdu: Pdu) -> None:
    found = taken(source.meter(pdu.address("ups", "ups")))
    assert found == pytest.approx({"watts": 240.0, "volts": 231.0, "amperes": 1.1, "hertz": 50.0})


def test_a_sensor_of_the_entity_mib_says_its_own_unit_and_scale(pdu: Pdu) -> None:
    assert taken(source.meter(pdu.address("entity-sensor/7", "sensors"))) == pytest.approx({"watts": 240.0})
    assert taken(source.meter(pdu.address("entity-sensor/8", "sensors"))) == pytest.approx({"celsius": 24.5})
    with refused("missing-figure", re.compile("^snmp://127"), MeterError):
        source.meter(pdu.address("entity-sensor/9", "sensors")).open()


@pytest.mark.parametrize(("path", "community"), [("raritan", "raritan"), ("entity-sensor/7", "sensors")])
def test_what_the_device_itself_doubts_is_no_figure(pdu: Pdu, path: str, community: str) -> None:
    meter = source.meter(pdu.address(path, community))
    meter.open()
    pdu.doubt()
    try:
        with refused("missing-figure", re.compile("^snmp://127"), MeterError):
            meter.read()
    finally:
        pdu.doubt(1)
    assert meter.read().quantities["watts"] == pytest.approx(240.0)
    meter.close()


def test_any_object_by_its_oid_and_scale(pdu: Pdu) -> None:
    oid = "1.3.6.1.4.1.318.1.1.26.4.3.1.5.1"
    assert taken(source.meter(pdu.address(oid, scale=10))) == {"watts": 240.0}
    text = source.meter(pdu.address("1.3.6.1.4.1.99999.2", "nopower", quantity="celsius"))
    assert taken(text) == {"celsius": 12.5}


def test_the_profile_is_found_where_only_one_answers(pdu: Pdu) -> None:
    assert taken(source.meter(pdu.address("", "ups")))["watts"] == 240.0
    assert source.meter(pdu.address("", "ups")).open().details["mib"].startswith("UPS-MIB")


@pytest.mark.parametrize("version", ["1", "2c"])
def test_both_versions_with_a_community(pdu: Pdu, version: str) -> None:
    assert taken(source.meter(pdu.address("apc-rpdu2", version=version)))["watts"] == 240.0


def test_version_3_with_keys_from_the_environment(pdu: Pdu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_AUTH", "a-passphrase")
    monkeypatch.setenv("LAB_PRIV", "another-one")
    login = "version=3&auth=sha256&auth-key=env:LAB_AUTH&priv=aes128&priv-key=env:LAB_PRIV&context=public"
    text = f"snmp://lab@127.0.0.1:{pdu.port}/apc-rpdu2?{login}"
    assert taken(source.meter(text))["watts"] == 240.0
    monkeypatch.setenv("LAB_AUTH", "not-the-passphrase")
    with pytest.raises(MeterError):
        source.meter(text).open()


@pytest.mark.parametrize(
    ("path", "community", "code", "named"),
    [
        ("apc-rpdu2", "nopower", "missing-figure", "1.3.6.1.4.1.318"),
        ("apc-rpdu2/2", "public", "missing-figure", "1.3.6.1.4.1.318"),
        ("", "nopower", "missing-figure", "apc-rpdu2, "),
        ("1.3.6.1.4.1.99999.1", "nopower", "tool-output", "'plenty'"),
        ("1.3.6.1.4.1.99999.3", "nopower", "unknown-name", "1.3.6.1.4.1.99999.3"),
        ("apc-rpdu2", "no-such-community", "unreachable", ""),
    ],
)
def test_what_it_does_not_have_is_said(pdu: Pdu, path: str, community: str, code: str, named: str) -> None:
    with refused(code, re.compile("^snmp://127"), MeterError) as caught:
        source.meter(pdu.address(path, community)).open()
    assert named in caught.value.message


@pytest.mark.parametrize(
    ("url", "code", "named"),
    [
        ("snmp:///apc-rpdu2", "missing", ""),
        ("snmp://h/apc-pdu9", "unknown-name", "'apc-pdu9'"),
        ("snmp://h/apc-rpdu2-outlet", "missing", "apc-rpdu2-outlet"),
        ("snmp://h/apc-rpdu2?scale=2", "not-applicable", "scale"),
        ("snmp://h/apc-rpdu2?version=4", "not-accepted", "1, 2c, 3"),
        ("snmp://h/apc-rpdu2?timeout=soon", "out-of-range", "timeout='soon'"),
        ("snmp://h/entity-sensor", "bad-syntax", ""),
        ("snmp://h/1.3.6.1?quantity=horsepower", "not-accepted", "'horsepower'"),
    ],
)
def test_a_wrong_address_is_refused_before_anything_is_sent(url: str, code: str, named: str) -> None:
    with refused(code, re.compile("^snmp:")) as caught:
        source.meter(url).open()
    assert named in caught.value.message


def test_a_secret_that_the_environment_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with refused("unknown-name", "snmp://127.0.0.1:9/apc-rpdu2?community=***") as caught:
        source.meter("snmp://127.0.0.1:9/apc-rpdu2?community=env:NO_SUCH_KEY").open()
    assert "NO_SUCH_KEY" in caught.value.message


def test_a_hiccup_is_a_meter_error_and_the_next_reading_comes(pdu: Pdu) -> None:
    meter = source.meter(pdu.url)
    meter.open()
    pdu.stop()
    try:
        with pytest.raises(MeterError):
            meter.read()
        with pytest.raises(MeterError):
            meter.read()
    finally:
        pdu.start()
    pdu.set(310)
    assert meter.read().quantities == {"watts": 310.0}
    meter.close()
    meter.close()


def test_watts_can_follow_a_function(pdu: Pdu) -> None:
    draws = [500.0]
    meter = source.meter(pdu.url)
    meter.open()
    pdu.follow(lambda seconds: draws[0] if seconds >= 0 else 0.0, every_s=0.02)
    first = meter.read().quantities["watts"]
    draws[0] = 700.0
    wait(lambda: meter.read().quantities["watts"] == 700.0)
    pdu.leave()
    assert (first, meter.read().quantities["watts"]) == (500.0, 700.0)
    meter.close()


def test_a_recording_says_when_the_device_was_away(pdu: Pdu, tmp_path: Path) -> None:
    file = tmp_path / "wall.csv"
    recorder = recording.Recorder(source.meter(pdu.url), file, name="wall", interval_s=0.1)
    recorder.start()
    try:
        wait(lambda: recorder.samples >= 3)
        pdu.stop()
        wait(lambda: recorder.failing is not None)
        assert recorder.failing_code == "unreachable"
        before, failing = recorder.samples, recorder.failing
        pdu.set(310)
        pdu.start()
        wait(lambda: recorder.samples >= before + 3)
    finally:
        pdu.start()
        recorder.stop()
    log = recording.read_log(file)
    (failure,) = [problem for problem in log.problems if problem.kind == "failure"]
    assert failure.text == failing and failure.seconds > 0
    assert [problem.kind for problem in log.problems].count("gap") == 1
    assert list(log.quantities["watts"][[0, -1]]) == [240.0, 310.0]


def wait(done: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)
