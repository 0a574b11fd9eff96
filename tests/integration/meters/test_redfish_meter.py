"""Redfish against a mock-up served by sushy-tools: each way of saying power, in order, and what is wrong."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from iowatt.base.errors import InputError
from iowatt.sources.meters import source
from iowatt.sources.meters.log import Instrument
from iowatt.sources.meters.meter import MeterError
from loopback.redfish import Bmc


@pytest.fixture(autouse=True)
def mended(bmc: Bmc) -> Iterator[None]:
    bmc.set(344)
    yield


def taken(address: str) -> tuple[Instrument, float]:
    meter = source.meter(address)
    try:
        return meter.open(), meter.read().quantities["watts"]
    finally:
        meter.close()


@pytest.mark.parametrize(
    ("chassis", "options", "where", "watts"),
    [
        ("Modern", {}, "/Chassis/Modern/EnvironmentMetrics PowerWatts.Reading", 344.0),
        ("Modern", {"via": "sensor"}, "/Chassis/Sensors/Sensors/TotalPower Reading", 344.0),
        ("Modern", {"via": "power"}, "/Chassis/Old/Power PowerControl[0].PowerConsumedWatts", 344.0),
        ("Sensors", {}, "/Chassis/Sensors/Sensors/TotalPower Reading", 344.0),
        ("Sensors", {"sensor": "PS1InputPower"}, "/Chassis/Sensors/Sensors/PS1InputPower Reading", 172.0),
        ("Old", {}, "/Chassis/Old/Power PowerControl[0].PowerConsumedWatts", 344.0),
        ("Blades", {"control": 1}, "/Chassis/Blades/Power PowerControl[1].PowerConsumedWatts", 688.0),
    ],
)
def test_watts_are_found_where_the_controller_says_them(
    bmc: Bmc, chassis: str, options: dict[str, str], where: str, watts: float
) -> None:
    instrument, found = taken(bmc.address(chassis, **options))
    assert found == watts
    assert instrument.details["source"] == f"/redfish/v1{where}"
    assert instrument.grade == "indicative"


def test_it_says_what_it_is_and_how_far_its_clock_is(bmc: Bmc) -> None:
    instrument, _ = taken(bmc.address("Modern"))
    assert (instrument.model, instrument.serial) == ("Contoso 3500RX", "437XR1138R2")
    assert instrument.details["redfish"] == "1.15.0"
    assert instrument.details["controller's clock"].endswith("from this host's")
    assert float(instrument.details["controller's clock"].split(" s")[0]) == pytest.approx(0, abs=5)


def test_the_length_of_its_averages_is_kept(bmc: Bmc) -> None:
    assert taken(bmc.address("Old"))[0].details["averaged over"] == "1200 s"
    assert taken(bmc.address("Sensors"))[0].details["averaged over"] == "20 s"


def test_watts_change(bmc: Bmc) -> None:
    meter = source.meter(bmc.address("Modern"))
    meter.open()
    assert meter.read().quantities == {"watts": 344.0}
    bmc.set(301.5)
    assert meter.read().quantities == {"watts": 301.5}
    meter.close()


@pytest.mark.parametrize(
    ("chassis", "options", "words"),
    [
        ("", {}, "names no chassis; there are: Modern, Sensors, Supplies, Old, Blades, Bare"),
        ("Nowhere", {}, "no chassis 'Nowhere'; there are: Modern"),
        ("Bare", {}, "says no watts by environment, sensor, power"),
        ("Supplies", {}, "none of them says that it is the whole chassis: PS1, PS2"),
        ("Blades", {}, r"several members of PowerControl: 0 \(Left\), 1 \(Right\)"),
        ("Sensors", {"sensor": "Intake"}, "says no watts by sensor"),
        ("Old", {"via": "environment"}, "says no watts by environment"),
        ("Old", {"control": 1}, "says no watts by power"),
    ],
)
def test_what_cannot_be_decided_is_asked(bmc: Bmc, chassis: str, options: dict[str, str], words: str) -> None:
    with pytest.raises(MeterError, match=words):
        taken(bmc.address(chassis, **options))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<html>", "the answer is no JSON"),
        ("[]", "not there any more"),
        ("{}", "not there any more"),
        ('{"PowerWatts": {"Reading": null}}', "is None, no number"),
        ('{"PowerWatts": {"Reading": "much"}}', "is 'much', no number"),
        ('{"PowerWatts": {"Reading": true}}', "is True, no number"),
        ('{"PowerWatts": {"Reading": NaN}}', "is nan, no number"),
    ],
)
def test_an_answer_without_a_number_is_a_meter_error(bmc: Bmc, text: str, words: str) -> None:
    meter = source.meter(bmc.address("Modern"))
    meter.open()
    bmc.write("Chassis/Modern/EnvironmentMetrics", text)
    with pytest.raises(MeterError, match=words):
        meter.read()
    bmc.set(200)
    assert meter.read().quantities == {"watts": 200.0}
    meter.close()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("redfish:///1U", "names no host"),
        ("redfish://h/1U?via=guess", "is not one of"),
        ("redfish://h/1U?tls=maybe", "is not one of yes, no, insecure"),
        ("redfish://h/1U?control=-2", "not a number from 0"),
        ("redfish://h/1U?via=power&sensor=T", "goes with via=sensor"),
    ],
)
def test_a_wrong_address_is_refused(url: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        source.meter(url)


def test_a_certificate_that_is_none_is_named(tmp_path: object) -> None:
    with pytest.raises(InputError, match="holds no certificate"):
        source.meter(f"redfish://127.0.0.1:9/1U?ca={tmp_path}/none.pem").open()


def test_what_speaks_no_tls_is_a_meter_error(bmc: Bmc) -> None:
    with pytest.raises(MeterError, match=r"https://127\.0\.0\.1"):
        source.meter(f"redfish://127.0.0.1:{bmc.port}/Modern?timeout=2").open()
