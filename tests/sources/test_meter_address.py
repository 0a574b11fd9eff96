"""Addresses of instruments: parts, secrets, names, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.base.errors import InputError
from iowatt.sources.meters import source
from iowatt.sources.meters.address import SCHEMES, parse, public_word
from refused import refused


def test_the_parts_of_an_address():
    found = parse("redfish://lab%40site:s3:c%3Aret@bmc1:8443/Chassis/1?name=left&insecure=yes")
    assert (found.scheme, found.user, found.password) == ("redfish", "lab@site", "s3:c:ret")
    assert (found.host, found.port, found.path) == ("bmc1", 8443, "Chassis/1")
    assert found.options == {"name": "left", "insecure": "yes"} and found.name == "left"


def test_a_password_is_never_written_down():
    assert parse("snmp://pdu1/1?community=lab&name=x").public == "snmp://pdu1/1?community=***&name=x"
    assert "hidden" not in parse("redfish://me:hidden@bmc1/").public
    with refused("unknown-name", "redfsh://me:***@bmc1/") as caught:
        source.find("redfsh://me:hidden@bmc1/")
    assert "hidden" not in str(caught.value) and "redfish:" in caught.value.hint
    with refused("bad-syntax", "pdu1/1?community=***"):
        source.find("pdu1/1?community=hidden")


def test_files_and_formats_are_written_as_they_are():
    found = parse("csv:/data/my log.csv?time-format=%d.%m.%Y %H:%M:%S&utc-offset=+01:00")
    assert (found.host, found.path, found.name) == ("", "/data/my log.csv", "my-log")
    assert found.options == {"time-format": "%d.%m.%Y %H:%M:%S", "utc-offset": "+01:00"}


def test_ipv6_and_names_made_of_places():
    found = parse("nut://[::1]:3493/ups@lab")
    assert (found.host, found.port) == ("::1", 3493)
    assert parse("snmp://pdu1/3").name == "pdu1-3"
    assert found.public == "nut://[::1]:3493/ups@lab"


@pytest.mark.parametrize(
    ("text", "code", "place", "named"),
    [
        ("power.csv", "bad-syntax", "power.csv", "csv:"),
        ("", "bad-syntax", "", "csv:"),
        ("snmp://pdu1:99999/1", "bad-syntax", "snmp:", "'pdu1:99999'"),
        ("snmp://pdu1:0/1", "bad-syntax", "snmp:", "'pdu1:0'"),
        ("csv:a.csv?watts", "bad-syntax", "csv:", "'watts'"),
        ("csv:a.csv?watts=a&watts=b", "duplicate", "csv:", "'watts'"),
    ],
)
def test_what_is_no_address_is_refused(text, code, place, named):
    with refused(code, place) as caught:
        parse(text)
    assert named in caught.value.message


def test_a_log_is_not_recorded_and_an_instrument_is_no_log():
    with refused("wrong-kind", "csv:power.csv"):
        source.meter("csv:power.csv")
    with refused("wrong-kind", "ptdaemon://localhost/"):
        source.logs("ptdaemon://localhost")
    with refused("missing", "csv:"):
        source.logs("csv:")


@given(st.text(max_size=80))
def test_any_text_is_an_address_or_refused(text):
    for given_ in (text, f"csv:{text}", f"snmp://{text}"):
        try:
            found = parse(given_)
        except InputError:
            continue
        assert found.scheme and found.name and isinstance(found.public, str)


def test_every_example_is_an_address_of_its_kind():
    for name, scheme in SCHEMES.items():
        assert parse(scheme.example).scheme == name


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("snmp://pdu1/1?community=lab9", "snmp://pdu1/1?community=***"),
        ("wall=snmp://pdu1/1?community=lab9", "wall=snmp://pdu1/1?community=***"),
        ("--meter=wall=redfish://me:lab9@bmc/1U", "--meter=wall=redfish://me:***@bmc/1U"),
        (
            "--meter=snmp://pdu1/1?auth-key=lab9&priv-key=lab9",
            "--meter=snmp://pdu1/1?auth-key=***&priv-key=***",
        ),
        ("snmp://pdu1/1?comm%75nity=lab9", "snmp://pdu1/1?community=***"),
        ("snmp://a:lab9@pdu1:x/1?community=lab9", "snmp://***@pdu1:x/1?community=***"),
        ("snmp://pdu1/1?community=lab9&community=lab9", "snmp://pdu1/1?community=***&community=***"),
    ],
)
def test_a_command_line_is_kept_without_secrets(word, written):
    assert public_word(word) == written
    assert "lab9" not in public_word(word)


@pytest.mark.parametrize(
    "word",
    ["replay", "t.csv", "--set", "array.pool.raid.level=0", "csv:a%20b.csv?time=#1", "-o", "a=b=c", ""],
)
def test_any_other_word_stays_as_it_is(word):
    assert public_word(word) == word


def test_a_name_may_stand_before_an_address():
    named = parse("left=csv:power.csv?watts=P")
    assert named == parse("csv:power.csv?watts=P&name=left")
    assert named.name == "left"
    with refused("duplicate", "csv:"):
        parse("left=csv:power.csv?name=right")
