"""Instruments of this machine, PTDaemon and every kind of log pass the contract."""

from __future__ import annotations

import contextlib
import re
import shutil
from typing import ClassVar

import pytest
from fake_ptdaemon import FakePtdaemon
from hypothesis import given, settings
from hypothesis import strategies as st

from iowatt.sources.meters import ptdaemon, source
from iowatt.sources.meters.address import parse
from iowatt.sources.meters.log.instrument import Instrument, MeterError
from iowatt.sources.meters.recording import recorder as recording
from meter_contract import LogContract, MeterContract
from refused import refused


class Tree:
    """Files of sysfs in a folder of the test; gone and back at will."""

    @pytest.fixture
    def root(self, tmp_path):
        root = tmp_path / "sys"
        for name, text in self.files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(f"{text}\n")
        return root

    @pytest.fixture
    def break_it(self, root):
        return lambda: root.rename(root.with_name("away"))

    @pytest.fixture
    def mend_it(self, root):
        return lambda: shutil.move(root.with_name("away"), root)


class TestHwmonTemperature(Tree, MeterContract):
    files: ClassVar = {
        "hwmon0/name": "acpitz",
        "hwmon1/name": "nvme",
        "hwmon1/temp1_input": 38850,
        "hwmon1/temp1_label": "Composite",
    }
    expected = ("celsius", 38.85)

    @pytest.fixture
    def address(self, root):
        return f"hwmon:nvme/temp1?root={root}"


class TestHwmonPower(Tree, MeterContract):
    files: ClassVar = {"hwmon2/name": "power_meter", "hwmon2/power1_average": 344_000_000}
    expected = ("watts", 344.0)

    @pytest.fixture
    def address(self, root):
        return f"hwmon:hwmon2/power1?root={root}"


class TestRapl(Tree, MeterContract):
    files: ClassVar = {
        "intel-rapl:0/name": "package-0",
        "intel-rapl:0/energy_uj": 262_143_328_000,
        "intel-rapl:0/max_energy_range_uj": 262_143_328_850,
        "intel-rapl:0:0/name": "dram",
        "intel-rapl:0:0/energy_uj": 5,
        "intel-rapl:0:0/max_energy_range_uj": 262_143_328_850,
    }
    expected = ("watts", 0.0)  # a counter that stands still

    @pytest.fixture
    def address(self, root):
        return f"rapl:package-0?root={root}"


class TestRecording(LogContract):
    scheme = "recording"
    reason = ", ".join(("timeout", "5 s"))  # quoted for its comma
    good = (
        f"{recording.SCHEMA}\n{','.join(recording.COLUMNS)}\n"
        '# instrument {"name": "pdu1", "kind": "snmp", "grade": "indicative", "why": "as the test says",'
        ' "model": "APC", "serial": null, "calibrated": "2026-01-31", "sample_interval_s": 1.0,'
        ' "uncertainty_percent": 0.5, "details": {"a": "b"}}\n'
        + "".join(f"{1790000000 + k}.125,{340 + k % 7}.5,230.1,1.5,,,,,,,\n" for k in range(20))
        + f'1790000021.5,,,,,,,,,failure,"{reason}"\n1790000031.5,,,,,,,,,back,after 10 s\n'
        + "".join(f"{1790000032 + k}.125,{340 + k % 7}.5,230.1,1.5,,,,,,,\n" for k in range(20))
    ).encode()

    def test_a_failure_is_a_problem_with_its_length(self, tmp_path):
        (log,) = self.read(tmp_path, self.good)
        assert isinstance(log.instrument, Instrument)
        (failure,) = [problem for problem in log.problems if problem.kind == "failure"]
        assert (failure.at, failure.seconds, failure.text) == (1790000021.5, 10.0, self.reason)
        (gap,) = [problem for problem in log.problems if problem.kind == "gap"]
        assert (gap.at, gap.seconds) == (1790000019.125, 13.0)
        assert len(log.time_s) == 40


class TestCsv(LogContract):
    scheme = "csv"
    options = "time=when&watts=P total&watts-unit=kW"
    good = b"made by hand\nwhen;P total;U\n" + b"".join(
        b"2026-11-21T10:00:%02d+01:00;0,%03d;230,1\n" % (k, 340 + k % 7) for k in range(40)
    )


class TestWattsUp(LogContract):
    scheme = "watts-up"
    options = "utc-offset=-05:00"
    good = b"Time,Watts,Volts,Amps,WattHrs,PF,Hz\n" + b"".join(
        b"2014-06-03 16:05:%02d,%d.3,119.%d,2.96,1.5,97,60.0\n" % (k, 340 + k % 5, k % 9) for k in range(40)
    )


class TestYokogawa(LogContract):
    scheme = "yokogawa"
    options = "utc-offset=Z"
    good = (
        b"Model,WT332E\nSerial No.,C2PH13047V\n"
        b"Store No.,Date,Time,Millisecond,U-E1,I-E1,P-E1,U-E2,I-E2,P-E2,P-SIGMA,LAMBDA-SIGMA\n"
        + b"".join(
            b"%d,2026/11/21,16:00:%02d,%d,230.1,1.52,%d.5,230.2,1.5,340.25,%d.75,0.98\n"
            % (k, k, 100 + k, 340 + k % 5, 680 + k % 5)
            for k in range(40)
        )
    )


class TestPtdaemonLog(LogContract):
    scheme = "ptdaemon-log"
    options = "utc-offset=-08:00"
    good = (
        b"Time,01-22-2021 15:04:01.145,NOTICE,Analyzer identity response of 32 bytes: "
        b"YOKOGAWA,WT333E,C2PH1,F1.03\n"
        + b"".join(
            b"Time,01-22-2021 15:05:%02d.313,Watts,%d.93,Volts,-1.000000,Amps,-1.000000,PF,-1.0,Mark,notset"
            b",Ch1,Watts,91.06,Volts,120.95,Amps,0.8321,PF,0.93,Ch2,Watts,%d.87,Volts,120.83,Amps,0.8,PF,0.9\n"
            % (k, 180 + k % 5, 88 + k % 5)
            for k in range(40)
        )
        + b"Time,01-22-2021 15:05:40.001,ERROR,Bad volts reading nan from WT333E\nBuffer was 1.000E+00;1\n"
    )


class TestPtdaemon(MeterContract):
    """Against a server that speaks the protocol as described; the real one was not available."""

    expected = ("watts", 344.25)

    @pytest.fixture
    def daemon(self):
        daemon = FakePtdaemon()
        yield daemon
        daemon.stop()

    @pytest.fixture
    def address(self, daemon):
        return f"ptdaemon://127.0.0.1:{daemon.port}?interval=50"

    @pytest.fixture
    def break_it(self, daemon):
        return daemon.stop

    @pytest.fixture
    def mend_it(self, daemon):
        return daemon.start

    def test_it_starts_and_stops_a_measurement_and_gives_ranges_back(self, daemon, address):
        meter = source.meter(f"{address}&volts-range=300&amperes-range=2&mark=HB")
        instrument = meter.open()
        assert (instrument.model, instrument.grade) == ("WT310", "emerald")
        assert (instrument.sample_interval_s, instrument.uncertainty_percent) == (0.05, 0.31)
        assert instrument.details["version"] == "1.11.1"
        assert meter.read().quantities == {"watts": 344.25, "volts": 230.1, "amperes": 1.52}  # no PF: -1
        meter.close()
        assert daemon.said[:6] == ["Hello", "Identify", "RR", "SR,V,300", "SR,A,2", "Go,50,0,HB"]
        assert daemon.said[-3:] == ["Stop", "SR,A,0.5", "SR,V,Auto"]
        assert not daemon.running

    def test_another_server_is_no_ptdaemon(self, daemon, address):
        daemon.replies["Hello"] = "220 mail ready"
        with refused("tool-output", re.compile("^ptdaemon://"), MeterError) as caught:
            source.meter(address).open()
        assert repr(daemon.replies["Hello"]) in caught.value.message

    def test_a_dummy_is_indicative(self, daemon, address):
        daemon.replies["Identify"] = "Dummy,1000,mode=power"
        meter = source.meter(address)
        assert meter.open().grade == "indicative"
        meter.close()

    @pytest.mark.parametrize("reply", ["Watts,-1.000000,Volts,-1", "Watts,nan", "Error: no", "", "Watts"])
    def test_no_value_is_a_meter_error(self, daemon, address, reply):
        meter = source.meter(address)
        meter.open()
        daemon.replies["Watts"] = reply
        with pytest.raises(MeterError):
            meter.read()
        meter.close()

    def test_a_daemon_of_a_thermometer_is_asked_for_degrees(self, daemon, address):
        daemon.replies["Identify"] = "PCsensor USB9097+DS18B20,5000,1,version=1.9.1,mode=temperature,0"
        daemon.replies["Temperature"] = "Temperature,29.687500,Humidity,0.000000"
        meter = source.meter(address)
        meter.open()
        assert meter.read().quantities == {"celsius": 29.6875}
        daemon.replies["Temperature"] = "Temperature,-2.000000,Humidity,-2.000000"
        with refused("tool-output", re.compile(rf":{daemon.port}"), MeterError):
            meter.read()
        meter.close()

    def test_a_measurement_that_runs_already_is_left_alone(self, daemon, address):
        daemon.running = True
        with refused("tool-failed", re.compile(rf":{daemon.port}"), MeterError):
            source.meter(address).open()
        meter = source.meter(f"{address}&measuring=started")
        meter.open()
        meter.close()
        assert daemon.running

    @settings(max_examples=100, deadline=None)
    @given(reply=st.text(max_size=60))
    def test_hostile_replies_are_read_or_refused(self, reply):
        meter = ptdaemon.create(parse("ptdaemon://127.0.0.1"))
        with contextlib.suppress(MeterError):
            assert meter._reading(f"Watts,{reply}").quantities
