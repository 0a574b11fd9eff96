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


def with_one(schedule: list[list[Any]], month: int, hour: int, value: object) -> list[list[Any]]:
    rows = [list(row) for row in schedule]
    rows[month][hour] = value
    return rows


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"startdate": "2026-01-01", "enddate": "2025-01-01"}, "enddate", "before the startdate, 2026-01-01"),
    (
        {"energyweekdayschedule": with_one(ALWAYS, 3, 7, 1)},
        "energyweekdayschedule[3][7]",
        "there is no period 1",
    ),
    (
        {"energyweekdayschedule": with_one(ALWAYS, 3, 7, -1)},
        "energyweekdayschedule[3][7]",
        "there is no period -1",
    ),
    ({"energyweekdayschedule": with_one(ALWAYS, 3, 7, 0.5)}, "energyweekdayschedule[3][7]", "no period 0.5"),
    (
        {"energyweekdayschedule": with_one(ALWAYS, 3, 7, "0")},
        "energyweekdayschedule[3][7]",
        "'0' is no number",
    ),
    (
        {"energyweekdayschedule": with_one(ALWAYS, 3, 7, True)},
        "energyweekdayschedule[3][7]",
        "True is no number",
    ),
    ({"energyweekendschedule": ALWAYS[:11]}, "energyweekendschedule", "has 11 rows; expected 12 of 24"),
    ({"energyweekendschedule": [*ALWAYS[:11], [0] * 23]}, "energyweekendschedule[11]", "has 23 values"),
    ({"energyweekendschedule": [*ALWAYS[:11], 0]}, "energyweekendschedule[11]", "0 is no list"),
    ({"energyweekendschedule": 5}, "energyweekendschedule", "5 is no list"),
    ({"energyratestructure": [[{"rate": 1}], [{"rate": 2}]]}, "energyweekdayschedule", "is missing"),
    ({"energyratestructure": [[]]}, "energyratestructure[0]", "has no tier"),
    ({"energyratestructure": [5]}, "energyratestructure[0]", "5 is no list"),
    ({"energyratestructure": [["rate"]]}, "energyratestructure[0][0]", "is no JSON object"),
    ({"energyratestructure": [[{"rate": "0.1"}]]}, "energyratestructure[0][0].rate", "'0.1' is no number"),
    (
        {"energyratestructure": [[{"rate": float("nan")}]]},
        "energyratestructure[0][0].rate",
        "nan is not finite",
    ),
    (
        {"energyratestructure": [[{"rate": float("inf")}]]},
        "energyratestructure[0][0].rate",
        "inf is not finite",
    ),
    ({"energyratestructure": [[{"rate": 10**400}]]}, "energyratestructure[0][0].rate", "a very large number"),
    ({"energyratestructure": [[{"rate": 1e12}]]}, "energyratestructure[0][0].rate", "is outside"),
    ({"energyratestructure": [[{"rate": -0.1}]]}, "energyratestructure[0][0].rate", "-0.1 is negative"),
    ({"energyratestructure": [[{"rate": 0.1, "adj": -0.2}]]}, "energyratestructure[0][0].adj", "is negative"),
    (
        {"energyratestructure": [[{"rate": 0.1, "sell": -0.2}]]},
        "energyratestructure[0][0].sell",
        "is outside",
    ),
    (
        {"energyratestructure": [[{"max": 9, "rate": 1}, {"max": 9, "rate": 1}, {"rate": 1}]]},
        "energyratestructure[0][1].max",
        "9 is not above the tier before",
    ),
    (
        {"energyratestructure": [[{"max": 9, "rate": 1}, {"max": 5, "rate": 1}]]},
        "energyratestructure[0][1].max",
        "5 is not above the tier before, 9",
    ),
    ({"energyratestructure": [[{"rate": 1}, {"rate": 1}]]}, "energyratestructure[0][0].max", "is missing"),
    (
        {"energyratestructure": [[{"max": 0, "rate": 1}, {"rate": 1}]]},
        "energyratestructure[0][0].max",
        "where it begins",
    ),
    (
        {"energyratestructure": [[{"rate": 1, "unit": "MWh"}]]},
        "energyratestructure[0][0].unit",
        "'MWh' is no unit",
    ),
    ({"demandweekdayschedule": with_one(ALWAYS, 0, 0, 1)}, "demandweekdayschedule", "no demandratestructure"),
    ({"flatdemandmonths": [1] * 12}, "flatdemandmonths", "no flatdemandstructure"),
    (
        {"flatdemandstructure": [[{"rate": 1}]], "flatdemandmonths": [0] * 11},
        "flatdemandmonths",
        "has 11 values",
    ),
    (
        {"flatdemandstructure": [[{"rate": 1}]], "flatdemandmonths": [0] * 11 + [1]},
        "flatdemandmonths[11]",
        "no period 1",
    ),
    ({"flatdemandstructure": [[{"rate": 1}], [{"rate": 1}]]}, "flatdemandmonths", "is missing"),
    (
        {"flatdemandstructure": [[{"rate": 1}]], "flatdemandunit": "W"},
        "flatdemandunit",
        "'W' is no unit of demand",
    ),
    ({"demandwindow": 45}, "demandwindow", "do not divide an hour"),
    ({"demandwindow": 0.5}, "demandwindow", "do not divide an hour"),
    ({"demandratchetpercentage": [35] * 12}, "demandratchetpercentage[0]", "35 is outside 0 to 1"),
    ({"demandratchetpercentage": [0.3] * 4}, "demandratchetpercentage", "has 4 values"),
    ({"lookbackpercent": 0.5}, "lookbackpercent", "of no months"),
    ({"lookbackpercent": 0.5, "lookbackrange": 13}, "lookbackrange", "is outside"),
    (
        {"lookbackpercent": 0.5, "lookbackrange": 3, "lookbackmonths": [1] * 12},
        "lookbackmonths",
        "so does lookbackrange",
    ),
    ({"lookbackpercent": 0.5, "lookbackmonths": [2] * 12}, "lookbackmonths[0]", "neither 0 nor 1"),
    ({"fixedchargefirstmeter": 1, "fixedchargeunits": "$/week"}, "fixedchargeunits", "'$/week' is no unit"),
    ({"fixedchargefirstmeter": -1}, "fixedchargefirstmeter", "-1 is outside"),
    ({"mincharge": 1, "minchargeunits": "EUR"}, "minchargeunits", "'EUR' is no unit"),
    ({"fueladjustmentsmonthly": [0.1] * 13}, "fueladjustmentsmonthly", "has 13 values"),
    ({"fueladjustmentsmonthly": [0.0, -0.1, *[0.0] * 10]}, "fueladjustmentsmonthly[1]", "-0.1 is negative"),
    ({"startdate": "yesterday"}, "startdate", "'yesterday' is no date"),
    ({"startdate": 1e15}, "startdate", "is outside"),
    ({"iowatt": 5}, "iowatt", "5 is no JSON object"),
    ({"iowatt": {"notes": "one"}}, "iowatt.notes", "'one' is no list"),
    ({"iowatt": {"notes": [1]}}, "iowatt.notes[0]", "1 is no text"),
    ({"iowatt": {"verified": "yes"}}, "iowatt.verified", "neither true nor false"),
    ({"name": 5}, "name", "5 is no text"),
    ({"lookbackPercent": 0.5, "lookbackpercent": 0.5}, "", "lookbackpercent is there twice"),
]


@pytest.mark.parametrize(("fields", "place", "said"), REFUSED)
def test_a_record_is_refused_with_the_place(fields, place, said):
    for document, before in ((record(**fields), ""), ({"items": [record(**fields)]}, "items[0].")):
        with pytest.raises(InputError) as raised:
            parse(document, "mine.json")
        wanted = f"{before}{place}".removesuffix(".")
        assert raised.value.place == (f"mine.json: {wanted}" if wanted else "mine.json")
        assert said in raised.value.message


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "is no JSON object"),
        (5, "is no JSON object"),
        (None, "is no JSON object"),
        ({}, "charges nothing"),
        ({"items": []}, "holds 0 tariffs"),
        ({"items": [{}, {}]}, "holds 2 tariffs"),
        ({"items": 1}, "1 is no list"),
        ({"items": [1]}, "1 is no JSON object"),
    ],
)
def test_what_is_no_record(document, said):
    with pytest.raises(InputError, match=said):
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
    ("text", "said"),
    [
        (b'{"energyratestructure": [[{"rate": NaN}]]}', "NaN is no number of JSON"),
        (b'{"a": 1,\n "b" 2}', ":2: no JSON"),
        (b"[" * 100_000, "no JSON that can be read"),
        (b'{"a": ' + b"9" * 5000 + b"}", "no JSON that can be read"),
        (b"\xff\xfe{", "not UTF-8"),
        (b"", "no JSON"),
        (b'\xef\xbb\xbf{"items": []}', "holds 0 tariffs"),
    ],
)
def test_files_that_are_none(tmp_path, text, said):
    path = tmp_path / "rate.json"
    path.write_bytes(text)
    with pytest.raises(InputError) as raised:
        find_tariff(str(path))
    assert said in str(raised.value)
    assert str(path) in str(raised.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        find_tariff(str(tmp_path / "none.json"))
    with pytest.raises(InputError, match="cannot be read"):
        find_tariff("a\0b.json")


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(record(name="Mine")))
    made = find_tariff(str(path))
    assert (made.key, made.name) == ("mine", "Mine")
