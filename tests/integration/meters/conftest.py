"""The instruments' servers, one of each for a module of tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from loopback import ipmi, nut, prometheus, redfish, scpi, snmp


@pytest.fixture(scope="module")
def pdu(tmp_path_factory: pytest.TempPathFactory) -> Iterator[snmp.Pdu]:
    """SNMP devices by snmpsim."""
    with snmp.pdu(tmp_path_factory.mktemp("snmp")) as unit:
        yield unit


@pytest.fixture(scope="module")
def bmc(tmp_path_factory: pytest.TempPathFactory) -> Iterator[redfish.Bmc]:
    """A Redfish mock-up by sushy-tools."""
    with redfish.bmc(tmp_path_factory.mktemp("redfish")) as service:
        yield service


@pytest.fixture(scope="module")
def controller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ipmi.Controller]:
    """A management controller by pyghmi."""
    with ipmi.controller(tmp_path_factory.mktemp("ipmi")) as unit:
        yield unit


@pytest.fixture(scope="module")
def ups(tmp_path_factory: pytest.TempPathFactory) -> Iterator[nut.Ups]:
    """A UPS by Network UPS Tools."""
    with nut.ups(tmp_path_factory.mktemp("nut")) as unit:
        yield unit


@pytest.fixture(scope="module")
def monitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[prometheus.Monitor]:
    """Prometheus."""
    with prometheus.monitor(tmp_path_factory.mktemp("prometheus")) as unit:
        yield unit


@pytest.fixture
def analyser() -> Iterator[scpi.Analyser]:
    """A power analyser."""
    with scpi.analyser() as instrument:
        yield instrument
