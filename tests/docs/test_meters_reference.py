"""The reference of network instruments names every kind's options, every profile, and the versions tried."""

from __future__ import annotations

import importlib
import re

import printed
import pytest

from iowatt.sources.meters import modbus_profiles, snmp_profiles
from iowatt.sources.meters.address import SCHEMES

KINDS = ("snmp", "modbus", "redfish", "ipmi", "nut", "prometheus", "scpi")
PAGE = (printed.ROOT / "docs" / "reference" / "meters.md").read_text("utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_every_option_of_a_kind_is_in_its_section(kind: str) -> None:
    (section,) = re.findall(rf"^## `{kind}`(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL)
    options = set(importlib.import_module(SCHEMES[kind].module).OPTIONS) - {"timeout"}
    named = set(re.findall(r"`([\w-]+)`", "\n".join(re.findall(r"^\| (`.*?) \|", section, re.MULTILINE))))
    assert options <= named


def test_every_profile_is_named_with_its_index() -> None:
    rows = dict(re.findall(r"^\| `([\w-]+)/INDEX` \|.*\| ([^|]*) \|$", PAGE, re.MULTILINE))
    for name, profile in snmp_profiles.PROFILES.items():
        assert rows[name].startswith(profile.index or "needed")
    assert set(rows) == {*snmp_profiles.PROFILES, "entity-sensor"}


def test_every_modbus_profile_is_named_with_its_phases() -> None:
    rows = dict(re.findall(r"^\| `([\w-]+)` \| [^|]* \| ([13]) \|", PAGE, re.MULTILINE))
    phases = {name: len(profile.phases) or 1 for name, profile in modbus_profiles.profiles().items()}
    assert {name: int(count) for name, count in rows.items()} == phases


def test_the_versions_are_those_of_the_requirements() -> None:
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)$", (printed.ROOT / "requirements/test.txt").read_text(), re.M))
    for name in ("snmpsim", "pymodbus", "sushy-tools", "pyghmi"):
        (said,) = re.findall(rf"{name} (\d[\d.]*\d)", PAGE)
        assert pins[name].startswith(said)
