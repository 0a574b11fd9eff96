"""What is wrong with a record, and where."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_tariffs import ALWAYS, record

from iowatt.base.errors import InputError
from iowatt.tariffs.find import find_tariff, read_tariff
from iowatt.tariffs.structure import Tariff
from iowatt.tariffs.urdb import parse
from refused import refused


def with_one(schedule: list[list[Any]], month: int, hour: int, value: object) -> list[list[Any]]:
    rows = [list(row) for row in schedule]
    rows[month][hour] = value
    return rows


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"startdate": "2026-01-01", "enddate": "2025-01-01"}, "enddate", "conflict"),
    (
        {"energyweekdayschedule": with_one(ALWAYS, 3, 7, 1)},
        "energyweekdayschedule[3][7]",
        "unknown-name",
    ),
    (
        {"energyweekdayschedule": with_one(ALWAYS, 3, 7, -1)},
        "energyweekdayschedule[3][7]",
        "unknown-name",
    ),
    ({"energyweekdayschedule": with_one(ALWAYS, 3, 7, 0.5)}, "energyweekdayschedule[3][7]", "unknown-name"),
    (
        {"energyweekdayschedule": with_one(ALWAYS, 3, 7, "0")},
        "energyweekdayschedule[3][7]",
        "wrong-type",
    ),
    (
        {"energyweekdayschedule": with_one(ALWAYS, 3, 7, True)},
        "energyweekdayschedule[3][7]",
        "wrong-type",
    ),
    ({"energyweekendschedule": ALWAYS[:11]}, "energyweekendschedule", "wrong-type"),
    ({"energyweekendschedule": [*ALWAYS[:11], [0] * 23]}, "energyweekendschedule[11]", "wrong-type"),
    ({"energyweekendschedule": [*ALWAYS[:11], 0]}, "energyweekendschedule[11]", "wrong-type"),
    ({"energyweekendschedule": 5}, "energyweekendschedule", "wrong-type"),
    ({"energyratestructure": [[{"rate": 1}], [{"rate": 2}]]}, "energyweekdayschedule", "missing"),
    ({"energyratestructure": [[]]}, "energyratestructure[0]", "empty"),
    ({"energyratestructure": [5]}, "energyratestructure[0]", "wrong-type"),
    ({"energyratestructure": [["rate"]]}, "energyratestructure[0][0]", "wrong-type"),
    ({"energyratestructure": [[{"rate": "0.1"}]]}, "energyratestructure[0][0].rate", "wrong-type"),
    (
        {"energyratestructure": [[{"rate": float("nan")}]]},
        "energyratestructure[0][0].rate",
        "out-of-range",
    ),
    (
        {"energyratestructure": [[{"rate": float("inf")}]]},
        "energyratestructure[0][0].rate",
        "out-of-range",
    ),
    ({"energyratestructure": [[{"rate": 10**400}]]}, "energyratestructure[0][0].rate", "out-of-range"),
    ({"energyratestructure": [[{"rate": 1e12}]]}, "energyratestructure[0][0].rate", "out-of-range"),
    ({"energyratestructure": [[{"rate": -0.1}]]}, "energyratestructure[0][0].rate", "out-of-range"),
    (
        {"energyratestructure": [[{"rate": 0.1, "adj": -0.2}]]},
        "energyratestructure[0][0].adj",
        "out-of-range",
    ),
    (
        {"energyratestructure": [[{"rate": 0.1, "sell": -0.2}]]},
        "energyratestructure[0][0].sell",
        "out-of-range",
    ),
    (
        {"energyratestructure": [[{"max": 9, "rate": 1}, {"max": 9, "rate": 1}, {"rate": 1}]]},
        "energyratestructure[0][1].max",
        "out-of-order",
    ),
    (
        {"energyratestructure": [[{"max": 9, "rate": 1}, {"max": 5, "rate": 1}]]},
        "energyratestructure[0][1].max",
        "out-of-order",
    ),
    ({"energyratestructure": [[{"rate": 1}, {"rate": 1}]]}, "energyratestructure[0][0].max", "missing"),
    (
        {"energyratestructure": [[{"max": 0, "rate": 1}, {"rate": 1}]]},
        "energyratestructure[0][0].max",
        "out-of-range",
    ),
    (
        {"energyratestructure": [[{"rate": 1, "unit": "MWh"}]]},
        "energyratestructure[0][0].unit",
        "not-accepted",
    ),
    ({"demandweekdayschedule": with_one(ALWAYS, 0, 0, 1)}, "demandweekdayschedule", "not-applicable"),
    ({"flatdemandmonths": [1] * 12}, "flatdemandmonths", "not-applicable"),
    (
        {"flatdemandstructure": [[{"rate": 1}]], "flatdemandmonths": [0] * 11},
        "flatdemandmonths",
        "wrong-type",
    ),
    (
        {"flatdemandstructure": [[{"rate": 1}]], "flatdemandmonths": [0] * 11 + [1]},
        "flatdemandmonths[11]",
        "unknown-name",
    ),
    ({"flatdemandstructure": [[{"rate": 1}], [{"rate": 1}]]}, "flatdemandmonths", "missing"),
    (
        {"flatdemandstructure": [[{"rate": 1}]], "flatdemandunit": "W"},
        "flatdemandunit",
        "not-accepted",
    ),
    ({"demandwindow": 45}, "demandwindow", "not-accepted"),
    ({"demandwindow": 0.5}, "demandwindow", "not-accepted"),
    ({"demandratchetpercentage": [35] * 12}, "demandratchetpercentage[0]", "out-of-range"),
    ({"demandratchetpercentage": [0.3] * 4}, "demandratchetpercentage", "wrong-type"),
    ({"lookbackpercent": 0.5}, "lookbackpercent", "missing"),
    ({"lookbackpercent": 0.5, "lookbackrange": 13}, "lookbackrange", "out-of-range"),
    (
        {"lookbackpercent": 0.5, "lookbackrange": 3, "lookbackmonths": [1] * 12},
        "lookbackmonths",
        "conflict",
    ),
    ({"lookbackpercent": 0.5, "lookbackmonths": [2] * 12}, "lookbackmonths[0]", "not-accepted"),
    ({"fixedchargefirstmeter": 1, "fixedchargeunits": "$/week"}, "fixedchargeunits", "not-accepted"),
    ({"fixedchargefirstmeter": -1}, "fixedchargefirstmeter", "out-of-range"),
    ({"mincharge": 1, "minchargeunits": "EUR"}, "minchargeunits", "not-accepted"),
    ({"fueladjustmentsmonthly": [0.1] * 13}, "fueladjustmentsmonthly", "wrong-type"),
    ({"fueladjustmentsmonthly": [0.0, -0.1, *[0.0] * 10]}, "fueladjustmentsmonthly[1]", "out-of-range"),
    ({"startdate": "yesterday"}, "startdate", "bad-syntax"),
    ({"startdate": 1e15}, "startdate", "out-of-range"),
    ({"iowatt": 5}, "iowatt", "wrong-type"),
    ({"iowatt": {"notes": "one"}}, "iowatt.notes", "wrong-type"),
    ({"iowatt": {"notes": [1]}}, "iowatt.notes[0]", "wrong-type"),
    ({"iowatt": {"verified": "yes"}}, "iowatt.verified", "wrong-type"),
    ({"name": 5}, "name", "wrong-type"),
    ({"lookbackPercent": 0.5, "lookbackpercent": 0.5}, "", "duplicate"),
]


@pytest.mark.parametrize(("fields", "place", "code"), REFUSED)
def test_a_record_is_refused_with_the_place(fields, place, code):
    for document, before in ((record(**fields), ""), ({"items": [record(**fields)]}, "items[0].")):
        wanted = f"{before}{place}".removesuffix(".")
        with refused(code, f"mine.json: {wanted}" if wanted else "mine.json"):
            parse(document, "mine.json")


@pytest.mark.parametrize(
    ("document", "code", "place"),
    [
        ([], "wrong-type", "mine.json"),
        (5, "wrong-type", "mine.json"),
        (None, "wrong-type", "mine.json"),
        ({}, "empty", "mine.json"),
        ({"items": []}, "empty", "mine.json: items"),
        ({"items": [{}, {}]}, "ambiguous", "mine.json: items"),
        ({"items": 1}, "wrong-type", "mine.json: items"),
        ({"items": [1]}, "wrong-type", "mine.json: items[0]"),
    ],
)
def test_what_is_no_record(document, code, place):
    with refused(code, place):
        parse(document, "mine.json")


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 40)
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["kWh", "kW", "kWh daily", "$/day", "hp daily"]),
    lambda inner: (
        st.lists(inner, max_size=13)
        | st.dictionaries(st.sampled_from(["max", "rate", "adj", "unit", "$date"]), inner)
    ),
    max_leaves=12,
)
_FIELDS = [
    "energyratestructure",
    "energyweekdayschedule",
    "energyweekendschedule",
    "demandratestructure",
    "demandweekdayschedule",
    "demandweekendschedule",
    "flatdemandstructure",
    "flatdemandmonths",
    "coincidentratestructure",
    "coincidentrateschedule",
    "demandwindow",
    "demandratchetpercentage",
    "lookbackmonths",
    "lookbackPercent",
    "lookbackRange",
    "fixedchargefirstmeter",
    "fixedchargeunits",
    "mincharge",
    "minchargeunits",
    "fueladjustmentsmonthly",
    "demandrateunit",
    "flatdemandunit",
    "demandunits",
    "peakkwcapacitymin",
    "startdate",
    "enddate",
    "approved",
    "name",
    "iowatt",
    "items",
    "energycomments",
    "annualmincharge",
    "energyattrs",
    "mindemand",
]


@settings(max_examples=400, deadline=None)
@given(st.dictionaries(st.sampled_from(_FIELDS), _VALUES), st.booleans())
def test_anything_is_a_tariff_or_an_input_error(fields, complete):
    try:
        assert isinstance(parse(record(**fields) if complete else fields, "x.json"), Tariff)
    except InputError as error:
        assert error.place is not None and error.place.startswith("x.json")


@settings(max_examples=200, deadline=None)
@given(_VALUES)
def test_any_document_is_a_tariff_or_an_input_error(document):
    with pytest.raises(InputError):
        parse(document, "x.json")


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=80).map(str.encode))
def test_any_file_is_a_tariff_or_an_input_error(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("hostile") / "x.json"
    path.write_bytes(content)
    with pytest.raises(InputError):
        read_tariff(path)


@pytest.mark.parametrize(
    ("text", "code", "behind"),
    [
        (b'{"energyratestructure": [[{"rate": NaN}]]}', "wrong-format", ""),
        (b'{"a": 1,\n "b" 2}', "wrong-format", ":2"),
        (b"[" * 100_000, "too-large", ""),
        (b'{"a": ' + b"9" * 5000 + b"}", "wrong-format", ""),
        (b"\xff\xfe{", "wrong-format", ""),
        (b"", "wrong-format", ":1"),
        (b'\xef\xbb\xbf{"items": []}', "empty", ": items"),
    ],
)
def test_files_that_are_none(tmp_path, text, code, behind):
    path = tmp_path / "rate.json"
    path.write_bytes(text)
    with refused(code, f"{path}{behind}"):
        find_tariff(str(path))


def test_a_file_that_is_not_there(tmp_path):
    with refused("not-found", str(tmp_path / "none.json")):
        find_tariff(str(tmp_path / "none.json"))
    with refused("bad-syntax", None):
        find_tariff("a\0b.json")


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(record(name="Mine")))
    made = find_tariff(str(path))
    assert (made.key, made.name) == ("mine", "Mine")
