"""The taxonomy: known products, each attribute's effect, boundary cases, and what cannot be."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from figures import figures
from iowatt.base.document import TomlDocument
from iowatt.base.errors import Argument, InputError
from iowatt.base.toml_writer import inline as toml_value
from iowatt.emerald.classify import classify, parse_override, read
from iowatt.emerald.classify.product import Product, ProductFile
from iowatt.emerald.classify.requirement import within
from iowatt.emerald.rules import load
from refused import problems, refused

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples" / "products").glob("*.toml"))

#: An Online 6 product: whatever is changed in it lowers it.
TOP = {
    "vendor": "V",
    "name": "N",
    "access": "random",
    "time_to_first_data": "10ms",
    "connectivity": "network",
    "integrated_controller": True,
    "storage_protection": True,
    "no_single_point_of_failure": True,
    "non_disruptive_serviceability": True,
    "fba_ckd": True,
    "maximum_configuration": 500,
}


@cache
def rules(name="emerald-1.0.0"):
    return load(name)


def file(**changes):
    keys = {key: value for key, value in (TOP | changes).items() if value is not None}
    document = TomlDocument(
        "".join(f"{key} = {toml_value(value)}\n" for key, value in keys.items()), "p.toml"
    )
    return ProductFile(document.validate(Product), document)


def found(**changes):
    return classify(file(**changes), rules())


@pytest.mark.parametrize(
    ("changes", "class_", "stops"),
    [
        ({}, 6, set()),
        ({"fba_ckd": False}, 5, {"fba_ckd"}),
        ({"fba_ckd": None}, 5, {"fba_ckd"}),
        ({"maximum_configuration": 400}, 4, {"maximum_configuration"}),
        ({"maximum_configuration": 401}, 6, set()),
        ({"non_disruptive_serviceability": False}, 4, {"non_disruptive_serviceability"}),
        ({"no_single_point_of_failure": False}, 3, {"no_single_point_of_failure"}),
        ({"maximum_configuration": 100}, 3, {"maximum_configuration"}),
        ({"maximum_configuration": 101}, 4, {"maximum_configuration"}),
        ({"maximum_configuration": 11}, 2, {"maximum_configuration"}),
        ({"maximum_configuration": 12}, 3, {"maximum_configuration"}),
        ({"storage_protection": None}, 2, {"storage_protection"}),
        ({"integrated_controller": False}, 2, {"integrated_controller"}),
        ({"connectivity": "hosts", "fba_ckd": False}, 2, {"connectivity"}),
        ({"consumer": True, "fba_ckd": False}, 1, {"consumer"}),
        ({"maximum_configuration": 3}, None, {"consumer"}),
    ],
)
def test_each_attribute_of_online(changes, class_, stops):
    result = found(**changes)
    assert (result.category, result.class_) == ("online", class_)
    assert {one.attribute for one in result.stops} == stops


@pytest.mark.parametrize(
    ("changes", "category", "class_"),
    [
        ({"time_to_first_data": "79.9ms"}, "online", 6),
        ({"time_to_first_data": "80ms"}, None, None),
        ({"time_to_first_data": "80.1ms"}, "near-online", 5),
        ({"time_to_first_data": "80.1ms", "maximum_configuration": 1001}, "near-online", 6),
        ({"time_to_first_data": "80.1ms", "connectivity": "hosts", "fba_ckd": None}, "near-online", None),
        ({"access": "sequential"}, "virtual-media-library", 6),
        ({"access": "sequential", "maximum_configuration": 96}, "virtual-media-library", 3),
        ({"access": "sequential", "maximum_configuration": 12}, "virtual-media-library", 1),
        ({"access": "sequential", "time_to_first_data": "80ms"}, "removable-media-library", None),
        (
            {"access": "sequential", "time_to_first_data": "5min", "robotics": True},
            "removable-media-library",
            6,
        ),
        ({"access": "sequential", "time_to_first_data": "301s", "robotics": True}, None, None),
        (
            {
                "access": "sequential",
                "time_to_first_data": "1min",
                "robotics": False,
                "maximum_configuration": 9,
            },
            "removable-media-library",
            1,
        ),
        (
            {
                "access": "sequential",
                "time_to_first_data": "1min",
                "robotics": True,
                "maximum_configuration": 4,
            },
            "removable-media-library",
            2,
        ),
        ({"user_data": False, "category": "adjunct"}, "adjunct", None),
        ({"user_data": False, "category": "interconnect"}, "interconnect", None),
    ],
)
def test_categories(changes, category, class_):
    result = found(**changes)
    assert (result.category, result.class_) == (category, class_)
    assert (result.category is None) == (set(result.reasons) == set(rules().names("taxonomy.categories")))


_ATTRIBUTES = {
    "integrated_controller": st.sampled_from([None, False, True]),
    "storage_protection": st.sampled_from([None, False, True]),
    "no_single_point_of_failure": st.sampled_from([None, False, True]),
    "non_disruptive_serviceability": st.sampled_from([None, False, True]),
    "fba_ckd": st.sampled_from([None, False, True]),
    "robotics": st.sampled_from([None, False, True]),
    "connectivity": st.sampled_from(["none", "hosts", "network"]),
    "maximum_configuration": st.one_of(
        st.sampled_from([1, 4, 5, 12, 13, 24, 25, 48, 49, 96, 97, 100, 101, 400, 401, 1000, 1001]),
        st.integers(1, 2000),
    ),
    "consumer": st.booleans(),
}
_ORDER = {None: -1, False: 0, True: 1, "none": 0, "hosts": 1, "network": 2}
_KINDS = st.sampled_from(
    [("random", "10ms"), ("random", "5s"), ("sequential", "10ms"), ("sequential", "60s")]
)


def outcome(attributes, kind):
    """The class as a number, 0 for none; or None where the product contradicts itself."""
    access, latency = kind
    try:
        result = found(access=access, time_to_first_data=latency, **attributes)
    except InputError:
        return None
    return result.class_ or 0


@given(st.fixed_dictionaries(_ATTRIBUTES), st.sampled_from(sorted(_ATTRIBUTES)), st.data(), _KINDS)
def test_raising_an_attribute_never_lowers_the_class(attributes, name, data, kind):
    if name == "consumer":  # class 1 is for consumers: not an attribute that is raised
        return
    other = data.draw(_ATTRIBUTES[name])
    low, high = sorted(
        (attributes[name], other), key=lambda value: value if type(value) is int else _ORDER[value]
    )
    before, after = (outcome(attributes | {name: value}, kind) for value in (low, high))
    if before is not None and after is not None:
        assert before <= after


@given(st.fixed_dictionaries(_ATTRIBUTES), _KINDS)
def test_what_stops_it_is_enough_and_needed(attributes, kind):
    """Given what the next class misses, and nothing less, the product is in it or above."""
    access, latency = kind
    try:
        result = found(access=access, time_to_first_data=latency, **attributes)
    except InputError:
        return
    if result.next_class is None or result.category is None:
        return
    assert result.stops
    gained = {one.attribute: _gain(one) for one in result.stops}
    raised = outcome(attributes | gained, kind)
    if raised is not None:
        assert raised >= result.next_class
    for kept in gained:
        without = {name: value for name, value in gained.items() if name != kept}
        partly = outcome(attributes | without, kind)
        assert partly is None or partly != result.next_class


def _gain(one):
    if one.needs in ("required", "prohibited"):
        return one.needs == "required"
    if one.attribute == "connectivity":
        return one.needs
    number = int(one.needs.strip("<>= "))
    return number + (one.needs.startswith("> "))


@pytest.mark.parametrize(
    ("changes", "notes"),
    [
        (
            {"maximum_configuration": 400},
            [("one-attribute", [5]), ("one-attribute", [6]), ("near-limit", [400, 5, 400])],
        ),
        (
            {"maximum_configuration": 101, "fba_ckd": None},
            [("one-attribute", [5]), ("near-limit", [101, 4, 100])],
        ),
        ({"time_to_first_data": "78ms"}, [("near-category", [78, 80])]),
        ({"time_to_first_data": "80ms"}, [("near-category", [80, 80])]),
        ({"fba_ckd": None}, [("not-stated", [6])]),
    ],
)
def test_boundary_cases_are_named(changes, notes):
    boundary = found(**changes).boundary
    assert [(note.code, figures(note.text)) for note in boundary] == notes
    if "fba_ckd" in changes and len(changes) == 1:
        assert "FBA" in boundary[0].text


def test_a_plain_case_has_no_boundary():
    assert found().boundary == []


@pytest.mark.parametrize(
    ("changes", "code", "keys", "figures"),
    [
        ({"tested_configuration": 501}, "conflict", ["tested_configuration"], ["501"]),
        ({"storage_protection": False}, "conflict", ["no_single_point_of_failure"], []),
        (
            {"controllers": 1},
            "conflict",
            ["no_single_point_of_failure", "non_disruptive_serviceability"],
            [],
        ),
        ({"controllers": 0}, "conflict", ["controllers"], ["0"]),
        ({"integrated_controller": False, "controllers": 2}, "conflict", ["controllers"], ["2"]),
        (
            {"maximum_configuration": 1},
            "conflict",
            ["storage_protection", "no_single_point_of_failure"],
            [],
        ),
        ({"connectivity": "hosts"}, "conflict", ["fba_ckd"], ['"hosts"']),
        ({"connectivity": "none"}, "conflict", ["no_single_point_of_failure", "fba_ckd"], ['"none"']),
        ({"consumer": True}, "conflict", ["fba_ckd"], []),
        ({"robotics": True}, "conflict", ["robotics"], ['"random"']),
        (
            {"category": "near-online"},
            "conflict",
            ["category"],
            ["near-online", "10 ms", "> 80 ms", " online"],
        ),
        ({"user_data": False}, "ambiguous", ["user_data"], ['"adjunct"', '"interconnect"']),
        ({"category": "online", "user_data": False}, "conflict", ["category"], ["online", "required"]),
        ({"category": "onlin"}, None, ["category"], ["'online'"]),
        ({"maximum_configuration": 0}, None, ["maximum_configuration"], []),
        ({"time_to_first_data": "10"}, None, ["time_to_first_data"], []),
        ({"drives": 4}, None, ["drives"], []),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(changes, code, keys, figures):
    with pytest.raises(InputError) as caught:
        found(**changes)
    told = problems(caught.value)
    assert all(re.match(rf"p\.toml:\d+: {key}\b", place) for key, (_, place) in zip(keys, told, strict=True))
    if code is not None:  # else the schema's own
        assert {one for one, _ in told} == {code}
    assert all(figure in str(caught.value) for figure in figures)


_VALUES = st.one_of(
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=6),
    st.sampled_from(["80ms", "5min", "1e400s", "0s", "-1s", "online", "sequential", "network"]),
    st.lists(st.sampled_from(["block", "file", "x"]), max_size=2),
)


@settings(suppress_health_check=[HealthCheck.too_slow])  # on a loaded machine
@given(st.dictionaries(st.sampled_from([*sorted(Product.model_fields), "controllers"]), _VALUES, max_size=3))
def test_whatever_a_product_says_is_classified_or_refused(changes):
    text = "".join(
        f"{key} = {toml_value(value)}\n" for key, value in (TOP | {"fba_ckd": False} | changes).items()
    )
    try:
        document = TomlDocument(text, "p.toml")
        result = classify(ProductFile(document.validate(Product), document), rules())
    except InputError as error:
        assert "p.toml" in str(error)
    else:
        assert json.dumps(result.result().as_dict(), allow_nan=False)


def test_all_contradictions_are_named_at_once():
    with refused("several", "p.toml") as caught:
        found(controllers=1, tested_configuration=600)
    assert len(problems(caught.value)) == 3


def test_a_class_can_be_decided_on_with_a_note():
    result = classify(file(maximum_configuration=400), rules(), parse_override("online-5", "401-sold"))
    as_dict = json.loads(json.dumps(result.result().as_dict()))
    assert (as_dict["id"], as_dict["computed"]) == ("online-5", {"category": "online", "class": 4})
    assert as_dict["override"] == {"class": "online-5", "note": "401-sold"}
    assert as_dict["stops"] == [{"attribute": "maximum_configuration", "needs": "> 400", "has": "400"}]
    for given_, note, code, argument in (
        ("online-5", None, "missing", "note"),
        ("online-5", " ", "missing", "note"),
        ("online", "x", "bad-syntax", "set_class"),
        ("near-online-4", "x", "unknown-name", "set_class"),
        ("adjunct-1", "x", "unknown-name", "set_class"),
    ):
        with refused(code, Argument(argument)):
            classify(file(), rules(), parse_override(given_, note))


def test_rules_and_what_of_them_is_unverified_stand_beside_the_class():
    product, given_ = file(), load("emerald-1.0.0")
    old, new = (classify(product, one) for one in (given_, load("emerald-4.0.0")))
    assert old.result().rules.unverified == []
    unverified = new.result().rules.unverified
    assert "taxonomy.online.maximum_configuration" in unverified
    assert given_.used == ()  # a record of its own
    assert old.found == new.found
    with refused("not-applicable", "eu-2019-424"):
        classify(product, rules("eu-2019-424"))


def test_energy_star_has_a_scope():
    def scope(**changes):
        return classify(file(**changes), rules("energystar-1.0")).result().energystar_scope

    assert scope() is False
    assert scope(maximum_configuration=400) is True
    assert found().result().energystar_scope is None


def test_file_access_is_noted():
    product = file(paradigms=["block", "file"])
    (note,) = classify(product, rules("emerald-4.0.0")).notes
    assert note.code == "file-access"
    assert [note.code for note in classify(product, rules()).notes] == ["file-access"]
    assert not classify(file(), rules()).notes


@pytest.mark.parametrize(
    ("bound", "inside", "outside"),
    [
        ("< 80", 79.9, 80),
        ("> 80", 80.1, 80),
        (">= 12", 12, 11),
        ("4", 4, 5),
        ("80 to 300000", 80, 300001),
    ],
)
def test_bounds(bound, inside, outside):
    assert within(bound, inside)
    assert not within(bound, outside)


def test_rules_with_a_wrong_cell_are_refused():
    base = rules()
    row = base.rules["taxonomy.online.maximum_configuration"]
    wrong = {**base.rules, row.key: row.model_copy(update={"value": ["many"] * 6})}
    with refused("bad-syntax") as caught:
        classify(file(), replace(base, rules=wrong))
    assert "'many'" in caught.value.message


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_what_it_says(path):
    expected = {
        "midrange-array": ("online", 3),
        "enterprise-array": ("online", 4),
        "tape-library": ("removable-media-library", 5),
        "maid": ("near-online", 5),
    }
    text = path.read_text("utf-8")
    assert text.splitlines()[0].split() == ["#:schema", "../../schema/iowatt.product.schema.json"]
    assert classify(read(path), rules("emerald-4.0.0")).found == expected[path.stem]
