"""Every instrument on the network passes the contract, with its real counterpart on loopback."""

from __future__ import annotations

import pytest

from iowatt.sources.meters import source
from iowatt.sources.meters.address import SCHEMES
from loopback import ipmi, modbus, nut, prometheus, redfish, scpi, snmp
from meter_contract import MeterContract


class Loopback(MeterContract):
    """``serve(folder)`` is a context manager of what has ``stop``, ``start`` and ``address``."""

    @pytest.fixture(scope="class")
    @classmethod
    def unit(cls, tmp_path_factory):
        with cls.serve(tmp_path_factory.mktemp("unit")) as unit:
            yield unit

    @pytest.fixture
    def address(self, unit):
        return self.where(unit)

    @pytest.fixture
    def break_it(self, unit):
        yield unit.stop
        unit.stop()
        unit.start()  # the next test finds it running, whatever this one left

    @pytest.fixture
    def mend_it(self, unit):
        return unit.start

    def where(self, unit):
        return unit.address()


class TestSnmp(Loopback):
    expected = ("watts", 240.0)

    @staticmethod
    def serve(folder):
        return snmp.pdu(folder, 240)

    def where(self, unit):
        return unit.url


class TestModbus(Loopback):
    expected = ("watts", 240.0)

    @staticmethod
    def serve(folder):
        return modbus.modbus_device()

    def where(self, unit):
        return unit.address(profile="sdm630")


class TestRedfish(Loopback):
    expected = ("watts", 344.0)

    @staticmethod
    def serve(folder):
        return redfish.bmc(folder, 344)

    def where(self, unit):
        return unit.address("Modern")


class TestIpmi(Loopback):
    expected = ("watts", 278.0)

    @staticmethod
    def serve(folder):
        return ipmi.controller(folder, 278)


class TestNut(Loopback):
    expected = ("watts", 321.5)

    @staticmethod
    def serve(folder):
        return nut.ups(folder, 321.5)


class TestPrometheus(Loopback):
    expected = ("watts", 212.0)

    @staticmethod
    def serve(folder):
        return prometheus.monitor(folder, 212)


class TestScpi(Loopback):
    expected = ("watts", 240.0)

    @staticmethod
    def serve(folder):
        return scpi.analyser()


@pytest.mark.parametrize("scheme", [name for name, scheme in SCHEMES.items() if scheme.live])
def test_the_example_of_a_kind_is_an_address(scheme):
    assert source.find(SCHEMES[scheme].example)[0].scheme == scheme
    source.meter(SCHEMES[scheme].example)
