"""Loading: every kind of mistake is named with its place, what would be accepted, and the fix."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from iowatt.base.errors import Argument, InputError
from iowatt.base.keys import toml_text
from iowatt.base.problems import DocumentError
from iowatt.model.scenario import Scenario, load
from refused import check, refused

TEXT = """\
name = "small"
[[workload]]
name = "oltp"
volume = "db"
trace = { path = "trace.csv" }
replay = { mode = "open", speed = 2 }

[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 8
raid = { level = 5, stripe_unit = "16k" }
scheduler = "elevator"

[[array.volume]]
name = "db"
pool = "disks"
capacity = "100GB"

[observe]
interval = "60s"
warmup = "auto"
"""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "trace.csv").write_text("time_ms,op,offset,size\n")
    return tmp_path


def problems(text: str, directory: Path, sets: list[str] | None = None) -> list[InputError]:
    with pytest.raises(InputError) as error:
        load(text, sets or [], base_dir=directory)
    assert error.value.exit_code == 2
    listed = getattr(error.value, "problems", (error.value,))
    return [InputError(one.code, one.place, one.message, hint=one.hint) for one in listed]


def test_a_good_scenario(directory):
    scenario = load(TEXT, base_dir=directory)
    pool = scenario.array.pool[0]
    assert pool.device.name == "arrays2002-disk"
    assert pool.raid is not None
    assert pool.raid.stripe_unit == 16 * 1024
    assert (pool.scheduler, pool.phase, pool.power.policy) == ("look", "random", "never")
    assert scenario.array.volume[0].capacity == 100_000_000_000
    assert (scenario.observe.interval, scenario.observe.warmup) == (60.0, "auto")
    assert scenario.seed == 1


def test_a_file_is_loaded_beside_its_trace(directory):
    (directory / "s.toml").write_text(TEXT)
    assert load(directory / "s.toml") == load(str(directory / "s.toml")) == load(TEXT, base_dir=directory)


def test_it_cannot_be_changed(directory):
    scenario = load(TEXT, base_dir=directory)
    with pytest.raises(ValidationError) as error:
        scenario.seed = 2
    assert error.value.errors()[0]["type"] == "frozen_instance"
    assert isinstance(scenario, Scenario)


@pytest.mark.parametrize(
    ("old", "new", "where", "code", "figures"),
    [
        (
            "count = 8",
            "cuont = 8",
            "scenario:11: array.pool.disks.cuont",
            "unknown-key",
            ["'count'"],
        ),
        (
            "count = 8",
            'count = 8\nstripe_unit = "16k"',
            "scenario:12: array.pool.disks.stripe_unit",
            "unknown-key",
            ["array.pool.raid.stripe_unit", "array.volume.raid.stripe_unit"],
        ),
        (
            "count = 8",
            "count = 8\nwhatever = 1",
            "scenario:12: array.pool.disks.whatever",
            "unknown-key",
            ["name", "device", "count"],
        ),
        (
            "count = 8",
            "count = 0",
            "scenario:11: array.pool.disks.count",
            "out-of-range",
            ["1", "0"],
        ),
        (
            "count = 8",
            "count = -8",
            "scenario:11: array.pool.disks.count",
            "out-of-range",
            ["1", "-8"],
        ),
        (
            "count = 8",
            "count = 8.5",
            "scenario:11: array.pool.disks.count",
            "wrong-type",
            ["8.5"],
        ),
        (
            "count = 8",
            'count = "8"',
            "scenario:11: array.pool.disks.count",
            "wrong-type",
            ['"8"'],
        ),
        (
            "count = 8",
            "count = true",
            "scenario:11: array.pool.disks.count",
            "wrong-type",
            [],
        ),
        (
            'device = "arrays2002-disk"',
            "",
            "scenario:8: array.pool.disks.device",
            "missing",
            ["'device'"],
        ),
        (
            "arrays2002-disk",
            "array2002-disk",
            "scenario:10: array.pool.disks.device",
            "unknown-name",
            ["'arrays2002-disk'", "'arrays2002-disk-18es'", "'arrays2002-disk-ahead'"],
        ),
        (
            "arrays2002-disk",
            "no.toml",
            "scenario:10: array.pool.disks.device",
            "not-found",
            [],
        ),
        (
            "arrays2002-disk",
            "seagate-cheetah-15k7-300gb",
            "scenario:10: array.pool.disks.device",
            "missing-figure",
            ["seek.average", "geometry.outer_rate"],
        ),
        (
            "level = 5",
            "level = 7",
            "scenario:12: array.pool.disks.raid.level",
            "not-accepted",
            ["7", "0", "1", "4", "5", "6", "10"],
        ),
        (
            "level = 5",
            "level = true",
            "scenario:12: array.pool.disks.raid.level",
            "wrong-type",
            ["0", "1"],
        ),
        (
            '"16k"',
            '"16q"',
            "scenario:12: array.pool.disks.raid.stripe_unit",
            "bad-syntax",
            ["'q'"],
        ),
        (
            '"16k"',
            '"1000"',
            "scenario:12: array.pool.disks.raid.stripe_unit",
            "not-accepted",
            ["512"],
        ),
        (
            '"16k"',
            '"64GiB"',
            "scenario:12: array.pool.disks.raid.stripe_unit",
            "out-of-range",
            [],
        ),
        (
            "elevator",
            "elevtor",
            "scenario:13: array.pool.disks.scheduler",
            "not-accepted",
            ['"fcfs"', '"sstf"'],
        ),
        (
            "elevator",
            "skan",
            "scenario:13: array.pool.disks.scheduler",
            "not-accepted",
            ["'scan'"],
        ),
        (
            "speed = 2",
            "speed = 0",
            "scenario:6: workload.oltp.replay.speed",
            "out-of-range",
            ["1e-06"],
        ),
        (
            "speed = 2",
            "speed = -1",
            "scenario:6: workload.oltp.replay.speed",
            "out-of-range",
            ["-1"],
        ),
        (
            "speed = 2",
            "speed = nan",
            "scenario:6: workload.oltp.replay.speed",
            "out-of-range",
            [],
        ),
        (
            "speed = 2",
            "speed = inf",
            "scenario:6: workload.oltp.replay.speed",
            "out-of-range",
            [],
        ),
        (
            "speed = 2",
            "outstanding = 2",
            "scenario:6: workload.oltp.replay.outstanding",
            "not-applicable",
            ['"closed"'],
        ),
        (
            'mode = "open"',
            'mode = "opn"',
            "scenario:6: workload.oltp.replay.mode",
            "not-accepted",
            ["'open'"],
        ),
        (
            'mode = "open", ',
            "",
            "scenario:6: workload.oltp.replay.mode",
            "missing",
            ["'mode'"],
        ),
        (
            "trace.csv",
            "trase.csv",
            "scenario:5: workload.oltp.trace.path",
            "not-found",
            ["'trace.csv'"],
        ),
        ("trace.csv", "", "scenario:5: workload.oltp.trace.path", "missing", []),
        ("trace.csv", ".", "scenario:5: workload.oltp.trace.path", "wrong-kind", []),
        (
            'path = "trace.csv"',
            'path = "trace.csv", format = "mrs"',
            "scenario:5: workload.oltp.trace.format",
            "not-accepted",
            ["'msr'"],
        ),
        (
            'volume = "db"',
            'volume = "bd"',
            "scenario:4: workload.oltp.volume",
            "unknown-name",
            ["'bd'"],
        ),
        (
            'pool = "disks"',
            'pool = "disk"',
            "scenario:17: array.volume.db.pool",
            "unknown-name",
            ["'disks'"],
        ),
        ("100GB", "100G", "scenario:18: array.volume.db.capacity", "ambiguous", []),
        (
            '"100GB"',
            "100",
            "scenario:18: array.volume.db.capacity",
            "bad-syntax",
            ["100"],
        ),
        (
            "100GB",
            "300GB",
            "scenario:18: array.volume.db.capacity",
            "out-of-range",
            [],
        ),
        (
            "100GB",
            "511B",
            "scenario:18: array.volume.db.capacity",
            "out-of-range",
            ["511"],
        ),
        ('"60s"', "60", "scenario:21: observe.interval", "bad-syntax", ["60"]),
        ("60s", "60 W", "scenario:21: observe.interval", "bad-syntax", ["'W'"]),
        ("auto", "later", "scenario:22: observe.warmup", "bad-syntax", ["'auto'"]),
        ('name = "small"', 'name = "../x"', "scenario:1: name", "bad-syntax", []),
        ("[observe]", "[observ]", "scenario:20: observ", "unknown-key", ["'observe'"]),
        ("[observe]", "[[observe]]", "scenario:20: observe", "wrong-type", []),
    ],
)
def test_one_mistake(directory, *, old, new, where, code, figures):
    before, after = TEXT.split(old, 1)
    (error,) = problems(before + new + after, directory)
    assert (error.code, error.place) == (code, where)
    assert [figure for figure in figures if figure not in str(error)] == []


def test_all_mistakes_at_once_in_the_order_of_the_text(directory):
    text = TEXT.replace("speed = 2", "sped = 2").replace("level = 5", "level = 3").replace("60s", "60x")
    found = problems(text, directory)
    assert [(one.code, one.place) for one in found] == [
        ("unknown-key", "scenario:6: workload.oltp.replay.sped"),
        ("not-accepted", "scenario:12: array.pool.disks.raid.level"),
        ("bad-syntax", "scenario:21: observe.interval"),
    ]
    with refused("several", "scenario", DocumentError):
        load(text, base_dir=directory)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("name = \n", "scenario:1"),
        ("name = 'x'\n[array\n", "scenario:2"),
        ("a = 1\na = 2\n", "scenario:2"),
        ("x = 1_\n", "scenario:1"),
    ],
)
def test_text_that_is_no_toml_says_the_line(text, where, directory):
    (error,) = problems(text, directory)
    check(error, "wrong-format", where)


def test_files_that_cannot_be_read(tmp_path):
    with refused("not-found", str(tmp_path / "no.toml")):
        load(tmp_path / "no.toml")
    with refused("wrong-kind", str(tmp_path)):
        load(tmp_path)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\x00\xff\xfe")
    with refused("wrong-format", str(binary)) as error:
        load(binary)
    assert "byte 1" in error.value.message


def test_an_override_is_named_in_its_error(directory):
    misspelt, odd = "array.pool.disks.cuont", "array.pool.disks.raid.stripe_unit"
    (error,) = problems(TEXT, directory, [f"{misspelt}=24"])
    check(error, "unknown-key", Argument("set", f"{misspelt}=24: {misspelt}"))
    (error,) = problems(TEXT, directory, [f"{odd}=1000"])
    check(error, "not-accepted", Argument("set", f"{odd}=1000: {odd}"))
    assert "512" in error.message


def test_overrides_change_the_scenario(directory):
    sets = [
        "array.pool.disks.count=24",
        "array.pool.disks.raid={level = 6}",
        "workload.oltp.replay.speed=0.4",
        "seed=9",
    ]
    scenario = load(TEXT, sets, base_dir=directory)
    assert scenario.array.pool[0].count == 24
    assert scenario.array.pool[0].raid is not None
    assert (scenario.array.pool[0].raid.level, scenario.array.pool[0].raid.stripe_unit) == (6, 64 * 1024)
    assert (scenario.workload[0].replay.model_dump(), scenario.seed) == ({"mode": "open", "speed": 0.4}, 9)


@given(st.integers(0, len(TEXT) - 1), st.integers(0, 12), st.text(max_size=3))
def test_no_edit_breaks_it(tmp_path_factory, at, length, insert):
    directory = tmp_path_factory.getbasetemp()
    (directory / "trace.csv").touch()
    try:
        assert load(TEXT[:at] + insert + TEXT[at + length :] + "\n", base_dir=directory).array.pool
    except InputError as error:
        assert "scenario" in str(error)


KEYS = st.sampled_from(
    ["name", "workload", "array", "pool", "device", "raid", "power", "trace", "replay", "mode", "policy"]
)
SCALARS = st.one_of(
    st.integers(-3, 40), st.booleans(), st.sampled_from(["open", "closed", "never", "a", "16k", ""])
)
TABLES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(KEYS, TABLES, min_size=1), st.dictionaries(KEYS, TABLES, min_size=1))
def test_no_shape_breaks_it(top, pool):
    table = {
        **top,
        "name": "x",
        "array": {"pool": [{"name": "disks", "count": 1, "device": "arrays2002-disk", **pool}]},
    }
    text = "".join(f"{key} = {toml_text(value)}\n" for key, value in table.items())
    with pytest.raises(InputError) as error:
        load(text + "observe = 1\n")
    assert "scenario:" in str(error.value)
