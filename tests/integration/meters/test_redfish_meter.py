"""Redfish against a mock-up served by sushy-tools: each way of saying power, in order, and what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from iowatt.sources.meters import source
from iowatt.sources.meters.log.instrument import Instrument, MeterError
from iowatt.sources.meters.network import AVERAGED
from iowatt.sources.meters.redfish import CLOCK
from loopback.redfish import Bmc
from refused import refused


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
    assert float(instrument.details[CLOCK].split(" s ")[0]) == pytest.approx(0, abs=5)


def test_the_length_of_its_averages_is_kept(bmc: Bmc) -> None:
    assert taken(bmc.address("Old"))[0].details[AVERAGED] == "1200 s"
    assert taken(bmc.address("Sensors"))[0].details[AVERAGED] == "20 s"


def test_watts_change(bmc: Bmc) -> None:
    meter = source.meter(bmc.address("Modern"))
    meter.open()
    assert meter.read().quantities == {"watts": 344.0}
    bmc.set(301.5)
    assert meter.read().quantities == {"watts": 301.5}
    meter.close()


@pytest.mark.parametrize(
    ("chassis", "options", "code", "named"),
    [
        ("", {}, "ambiguous", ("Modern", "Sensors", "Supplies", "Old", "Blades", "Bare")),
        ("Nowhere", {}, "unknown-name", ("'Nowhere'",)),
        ("Bare", {}, "missing-figure", ("environment", "sensor", "power")),
        ("Supplies", {}, "ambiguous", ("PS1", "PS2")),
        ("Blades", {}, "ambiguous", ("0 (Left)", "1 (Right)")),
        ("Sensors", {"sensor": "Intake"}, "missing-figure", ("sensor",)),
        ("Old", {"via": "environment"}, "missing-figure", ("environment",)),
        ("Old", {"control": 1}, "missing-figure", ("power",)),
    ],
)
def test_what_cannot_be_decided_is_asked(
    bmc: Bmc, chassis: str, options: dict[str, str], code: str, named: tuple[str, ...]
) -> None:
    with refused(code, re.compile("^http://127"), MeterError) as caught:
        taken(bmc.address(chassis, **options))
    assert ", ".join(named) in caught.value.message


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("<html>", "JSON"),
        ("[]", "PowerWatts.Reading"),
        ("{}", "PowerWatts.Reading"),
        ('{"PowerWatts": {"Reading": null}}', "None"),
        ('{"PowerWatts": {"Reading": "much"}}', "'much'"),
        ('{"PowerWatts": {"Reading": true}}', "True"),
        ('{"PowerWatts": {"Reading": NaN}}', "nan"),
    ],
)
def test_an_answer_without_a_number_is_a_meter_error(bmc: Bmc, text: str, named: str) -> None:
    meter = source.meter(bmc.address("Modern"))
    meter.open()
    bmc.write("Chassis/Modern/EnvironmentMetrics", text)
    with refused("tool-output", re.compile("/Chassis/Modern/EnvironmentMetrics$"), MeterError) as caught:
        meter.read()
    assert named in caught.value.message
    bmc.set(200)
    assert meter.read().quantities == {"watts": 200.0}
    meter.close()


@pytest.mark.parametrize(
    ("url", "code", "named"),
    [
        ("redfish:///1U", "missing", ("redfish:1U",)),
        ("redfish://h/1U?via=guess", "not-accepted", ("via='guess'",)),
        ("redfish://h/1U?tls=maybe", "not-accepted", ("yes", "no", "insecure")),
        ("redfish://h/1U?control=-2", "out-of-range", ("control='-2'",)),
        ("redfish://h/1U?via=power&sensor=T", "conflict", ("via=sensor",)),
    ],
)
def test_a_wrong_address_is_refused(url: str, code: str, named: tuple[str, ...]) -> None:
    with refused(code) as caught:
        source.meter(url)
    assert ", ".join(named) in str(caught.value)


def test_a_certificate_that_is_none_is_named(tmp_path: object) -> None:
    with refused("wrong-format", re.compile(r"\?ca=.*none\.pem$")):
        source.meter(f"redfish://127.0.0.1:9/1U?ca={tmp_path}/none.pem").open()


def test_what_speaks_no_tls_is_a_meter_error(bmc: Bmc) -> None:
    with refused("unreachable", re.compile(r"^https://127\.0\.0\.1"), MeterError):
        source.meter(f"redfish://127.0.0.1:{bmc.port}/Modern?timeout=2").open()
