"""``--set``: paths, values, and what does not fit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.base.errors import Argument, InputError
from iowatt.base.keys import catalogue, toml_text
from iowatt.base.overrides import apply, parse_value
from iowatt.model.scenario.explain import named
from iowatt.model.scenario.keys.scenario import Scenario
from refused import faults, refused


def scenario():
    return {
        "name": "x",
        "array": {
            "pool": [
                {"name": "disks", "count": 32, "device": "d"},
                {"name": "more", "count": 1, "device": "d"},
            ]
        },
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("24", 24),
        ("0.4", 0.4),
        ("true", True),
        ('"24"', "24"),
        ("16KiB", "16KiB"),
        ("fcfs", "fcfs"),
        ('{ policy = "never" }', {"policy": "never"}),
        ("[1, 2]", [1, 2]),
        ("", ""),
        ("1979-05-27", "1979-05-27"),
        ("1\nname = 2", "1\nname = 2"),
    ],
)
def test_values_are_toml_or_strings(text, value):
    assert parse_value(text) == value


def test_elements_go_by_name_or_index():
    raw = scenario()
    apply(raw, ["array.pool.disks.count=24", "array.pool.1.count=2"], Scenario)
    assert [pool["count"] for pool in raw["array"]["pool"]] == [24, 2]


def test_tables_that_are_not_there_are_made():
    raw = scenario()
    apply(raw, ["observe.warmup=5s", "array.pool.disks.raid.level=6"], Scenario)
    assert raw["observe"] == {"warmup": "5s"}
    assert raw["array"]["pool"][0]["raid"] == {"level": 6}


def test_a_device_by_name_becomes_a_table():
    raw = scenario()
    apply(raw, ["array.pool.disks.device.rpm=15000"], Scenario)
    assert raw["array"]["pool"][0]["device"] == {"name": "d", "rpm": 15000}


def test_a_sole_element_may_be_left_out():
    raw = scenario()
    raw["array"]["pool"].pop()
    places = apply(
        raw, ["array.pool.raid.level=10", "array.pool.count=24", "array.pool.device.rpm=7200"], Scenario
    )
    (pool,) = raw["array"]["pool"]
    assert pool["raid"] == {"level": 10}
    assert pool["count"] == 24
    assert pool["device"] == {"name": "d", "rpm": 7200}
    assert ("array", "pool", 0, "raid", "level") in places


def test_of_several_elements_the_error_names_them():
    with refused("ambiguous", Argument("set", "array.pool.raid.level=10")) as error:
        apply(scenario(), ["array.pool.raid.level=10"], Scenario)
    assert {"array.pool.disks.raid", "array.pool.more.raid"} <= set(str(error.value.hint).split())


def test_a_slip_in_a_name_or_key_is_no_key_of_the_only_element():
    raw = scenario()
    raw["array"]["pool"].pop()
    for override, near in (("array.pool.disk.count=5", "disks"), ("array.pool.cuont=5", "count")):
        with refused("unknown-name", Argument("set", override)) as error:
            apply(raw, [override], Scenario)
        assert repr(near) in str(error.value.hint)
    assert raw["array"]["pool"] == [{"name": "disks", "count": 32, "device": "d"}]


def test_every_path_that_explain_prints_can_be_set():
    """With one element of each list; and with its name at the place that explain shows for one."""
    keys = catalogue(Scenario)
    for path in keys:
        for text in (path, named(path).replace("NAME", "x")):
            raw: dict = {}
            steps = path.split(".")
            here = raw
            for length, step in enumerate(steps[:-1], 1):
                element: dict = {}
                below = keys[".".join(steps[:length])]
                here[step] = [element | {"name": "x"}] if below.is_list else element
                here = here[step][0] if below.is_list else here[step]
            apply(raw, [f"{text}=7"], Scenario)
            assert here[steps[-1]] == 7, text


def test_the_last_one_wins_and_places_are_kept():
    raw = scenario()
    places = apply(raw, ["seed=1", "seed=2"], Scenario)
    assert raw["seed"] == 2
    assert places == {("seed",): "seed=2"}


@pytest.mark.parametrize(
    ("override", "fault", "figures"),
    [
        ("array.pool.disks.count", "bad-syntax @ set=array.pool.disks.count", []),
        ("=5", "bad-syntax @ set==5", []),
        ("a..b=5", "bad-syntax @ set=a..b=5", []),
        ("array.pool.disk.count=5", "unknown-name @ set=array.pool.disk.count=5", ["'disks'"]),
        ("array.pool.7.count=5", "unknown-name @ set=array.pool.7.count=5", ["2"]),
        ("name.first=5", "wrong-type @ set=name.first=5", ["'x'"]),
        ("array.pool.disks.raid={level=", "bad-syntax @ set=array.pool.disks.raid={level=", []),
        (
            "array.pool.disks.power={policy=never}",
            "bad-syntax @ set=array.pool.disks.power={policy=never}",
            [],
        ),
    ],
)
def test_what_does_not_fit(override, fault, figures):
    with pytest.raises(InputError) as error:
        apply(scenario(), [override], Scenario)
    assert error.value.place == Argument("set", override)
    assert faults(error.value) == fault
    assert [figure for figure in figures if figure not in str(error.value)] == []


@given(
    st.one_of(
        st.integers(-(2**62), 2**62),
        st.booleans(),
        st.text(st.characters(min_codepoint=32, max_codepoint=126)),
    )
)
def test_what_toml_writes_reads_back(value):
    assert parse_value(toml_text(value)) == value
