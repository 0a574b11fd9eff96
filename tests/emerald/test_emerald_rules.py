"""Rule profiles: whole, consistent with what else the library says, and truthful about what is verified."""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.base.errors import InputError
from iowatt.emerald.rules import UnknownRuleError, find, load, profile_names
from iowatt.emerald.rules.find import aliases, parse, sources
from iowatt.model.power.part import certificates
from iowatt.model.profile.find import load as load_profile
from refused import check, refused

FOLDER = resources.files("iowatt.model.library").joinpath("rules")
FILES = sorted(e.name for e in FOLDER.iterdir() if e.name.endswith(".toml") and e.name != "sources.toml")
HEAD = 'schema = "iowatt.rules/1"\nname = "mine"\ntitle = "Mine"\nversion = "1"\n'
EMERALD = [name for name in profile_names() if name.startswith("emerald-") and name[8].isdigit()]


def test_the_versions_are_there():
    assert set(profile_names()) >= {
        "emerald-1.0.0",
        "emerald-2.0.0",
        "emerald-2.1.1",
        "emerald-3.0.1",
        "emerald-3.0.2",
        "emerald-3.0.3",
        "emerald-4.0.0",
        "emerald-device-1.0",
        "energystar-1.0",
        "energystar-1.1",
        "energystar-2.0",
        "eu-2019-424",
    }
    assert load("iso-iec-24091").name == "emerald-3.0.3"
    assert load("emerald-4.0").version == "4.0.0"
    assert load("emerald-1.0").version == "1.0.0"
    assert not set(aliases()) & {name.removesuffix(".toml") for name in FILES}


@pytest.mark.parametrize("file", FILES)
def test_every_source_is_in_the_list(file):
    text = FOLDER.joinpath(file).read_text("utf-8")
    stated = parse(text, file)
    assert f"{stated.head.name}.toml" == file
    known = set(sources().values())
    assert all(set(rule.sources) <= known for rule in stated.rules.values())


def test_no_source_is_there_for_nothing():
    texts = "".join(FOLDER.joinpath(file).read_text("utf-8") for file in FILES)
    assert [name for name in sources() if f'"{name}"' not in texts] == []


@pytest.mark.parametrize("name", profile_names())
def test_a_profile_restates_nothing_that_it_inherits(name):
    """The same number is not written twice: what is stated again says something else."""
    rules = load(name)
    texts = {one: FOLDER.joinpath(f"{one}.toml").read_text("utf-8") for one in rules.lineage}
    seen: dict[str, object] = {}
    for one in reversed(rules.lineage):
        for key, rule in parse(texts[one], one).rules.items():
            assert (rule.value, rule.unknown, rule.sources, rule.note) != seen.get(key), key
            seen[key] = (rule.value, rule.unknown, rule.sources, rule.note)


@pytest.mark.parametrize("name", profile_names())
def test_what_was_not_read_is_not_verified(name):
    for rule in load(name).rules.values():
        if rule.mark in ("recalled", "assumed") or "(secondary source)" in rule.sources[0]:
            assert not rule.verified, rule.key
    assert all(not r.verified for r in load(name).matching("stability.weights.*"))


def test_what_was_read_for_version_1_is_not_verified_later():
    assert load("emerald-1.0.0").find("instruments.power.sampling_s").verified
    later = load("emerald-2.0.0").find("instruments.power.sampling_s")
    assert not later.verified
    assert later.value == 5
    assert "1.0" in later.note
    # What the official script of 2020 says holds for 4.0.0, too.
    assert load("emerald-4.0.0").find("phases.active.vdbench.run_s").verified


@pytest.mark.parametrize("name", EMERALD)
def test_the_phases_have_all_that_a_plan_needs(name):
    rules = load(name)
    for category in ("online", "near-online", "removable-media-library", "virtual-media-library"):
        for phase in rules.names("phases.order", category):
            assert rules.value(f"workloads.{phase}.access") in ("random", "sequential", "file")
            assert rules.number(f"workloads.{phase}.intensity_percent") in (25, 100)
            assert rules.value(f"metrics.{phase}.unit") in ("IOPS/W", "MiB/s/W", "ops/s/W")
            assert rules.value(f"metrics.{phase}.name") == f"EP_{phase}"
    assert rules.number("phases.active.stabilisation_s") == 600
    # The history that the first weighted average needs is just what stabilisation gives.
    intervals = rules.number("phases.active.stabilisation_s") / rules.number("phases.active.interval_s")
    assert intervals == rules.number("stability.points")
    run = rules.number("phases.active.vdbench.run_s")
    dropped = rules.number("phases.active.vdbench.uncounted_intervals")
    assert run - dropped * rules.number("phases.active.interval_s") == rules.number(
        "phases.active.measurement_s"
    )
    for weights in "AB":
        shares = rules.value(f"stability.weights.{weights}")
        assert len(shares) == rules.number("stability.points")
        assert sum(shares) == pytest.approx(1)
        assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize("name", EMERALD)
def test_a_row_of_the_taxonomy_has_a_cell_for_each_class(name):
    rules = load(name)
    for category in rules.names("taxonomy.procedures"):
        classes = rules.value(f"taxonomy.{category}.classes")
        rows = [r for r in rules.matching(f"taxonomy.{category}.*") if "by class" in r.unit]
        assert len(rows) >= 4
        assert all(len(row.value) == len(classes) for row in rows)


def test_the_hot_band_is_that_of_the_workload_profile():
    rules, profile = load("emerald-4.0.0"), load_profile("hot-band").profile
    shares = {stream.name: stream.share for stream in profile.stream}
    assert rules.value("workloads.HB.shares_percent") == shares
    reads = {stream.name: stream.read_share for stream in profile.stream}
    assert rules.value("workloads.HB.read_percent_by_stream") == reads
    assert [tuple(pair) for pair in rules.value("workloads.HB.sizes")] == [
        (one.size, one.share) for one in profile.sizes
    ]
    found = load_profile(rules.value("workloads.HB.profile")).document.raw["stream"]
    ranges = {stream["name"]: stream["range"] for stream in found if "range" in stream}
    stated = rules.value("workloads.HB.ranges_percent")
    assert ranges == {name: [f"{at}%" for at in pair] for name, pair in stated.items()}
    total = sum(share * reads[name] for name, share in shares.items()) / 100
    assert total == pytest.approx(rules.number("workloads.HB.read_percent"))
    for sizes in ("sizes", "sizes_4k"):
        assert sum(share for _, share in rules.value(f"workloads.HB.{sizes}")) == 100


@pytest.mark.parametrize("phase", ["MW1", "MW2", "RR", "RW", "SR", "SW"])
def test_the_profiles_of_version_1_are_those_of_the_workload_library(phase):
    rules, (stream,) = load("emerald-1.0.0"), load_profile(f"emerald-1.0-{phase.lower()}").profile.stream
    assert stream.size == rules.number(f"workloads.{phase}.transfer_bytes")
    assert stream.read_share == rules.number(f"workloads.{phase}.read_percent")
    assert (stream.access.pattern == "sequential") == (
        rules.value(f"workloads.{phase}.access") == "sequential"
    )


@pytest.mark.parametrize(("year", "outputs"), [(y, o) for y in (2020, 2023) for o in ("multi", "single")])
def test_limits_of_supplies_are_those_of_the_library(year, outputs):
    points = load("eu-2019-424").value(f"power_supply.{year}.{outputs}_output_percent")
    table = certificates()[f"eu-{year}-{outputs}-output"].tables["230V"]
    assert [(at, eta) for at, eta in points] == [(round(at * 100), round(eta * 100)) for at, eta in table]


def test_the_families_differ_between_versions_1_and_2():
    families = {name: load(name).value("metrics.family") for name in EMERALD}
    assert families.pop("emerald-1.0.0") == "mixed"
    assert families.pop("emerald-4.0.0-file") == "file-access"
    assert set(families.values()) == {"hot-band"}


def test_what_was_used_is_recorded():
    rules = load("emerald-4.0.0")
    assert rules.caveat() is None
    rules.value("stability.tolerance_percent")
    rules.value("stability.tolerance_percent")
    rules.value("phases.active.vdbench.run_s")
    assert [rule.key for rule in rules.used] == [
        "stability.tolerance_percent",
        "phases.active.vdbench.run_s",
    ]
    assert re.fullmatch(r"\D*\b1\b\D*: stability\.tolerance_percent", rules.caveat())
    assert rules.reference().unverified == ["stability.tolerance_percent"]
    assert rules.fresh().used == ()
    assert load("emerald-4.0.0").used == ()


def test_the_example_of_the_reference_is_a_profile(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "reference" / "emerald-rules.md").read_text("utf-8")
    unverified, example = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "next.toml").write_text(HEAD + 'extends = "emerald-1.0.0"\n' + unverified)
    assert not load("next.toml", base_dir=tmp_path).rule("instruments.power.sampling_s").verified
    assert load("emerald-1.0.0").rule("instruments.power.sampling_s").verified
    (tmp_path / "mine.toml").write_text(example)
    rules = load("mine.toml", base_dir=tmp_path)
    assert rules.number("response.mean_ms.random", "near-online") == 4000
    assert rules.caveat() is None
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    found: dict[str, object] = {}
    exec(compile(code, "emerald-rules.md", "exec"), found)
    assert re.search(rf"print\(rules\.caveat\(\)\) +# {re.escape(found['rules'].caveat())}\n", code)


def test_a_value_cannot_be_changed_through_what_was_given():
    load("emerald-4.0.0").value("stability.weights.A")[0] = 7
    assert load("emerald-4.0.0").value("stability.weights.A")[0] == 0.25


def test_a_category_has_its_own_rules():
    rules = load("emerald-4.0.0")
    assert rules.names("phases.order", "virtual-media-library") == ("SW", "SR")
    assert rules.number("response.mean_ms.random", "online") == 20
    assert rules.known("response.mean_ms.random", "near-online") is None
    with refused("missing-figure", "emerald-4.0.0", UnknownRuleError) as caught:
        rules.value("response.mean_ms.random", "near-online")
    assert "near-online.response.mean_ms.random" in caught.value.message


def test_an_unknown_key_has_the_nearest():
    with refused("unknown-name", "emerald-4.0.0") as caught:
        load("emerald-4.0.0").value("stability.readng")
    assert "'stability.reading'" in caught.value.hint
    with refused("wrong-type", "emerald-4.0.0: stability.points"):
        load("emerald-4.0.0").names("stability.points")
    with refused("wrong-type", "emerald-4.0.0: phases.order"):
        load("emerald-4.0.0").number("phases.order")


def test_a_file_of_ones_own_verifies_and_fills_in(tmp_path):
    (tmp_path / "read.toml").write_text(
        HEAD
        + 'extends = "emerald-4.0.0"\n[response.mean_ms]\n'
        + 'random = { value = 30, unit = "ms", source = "text 7.4", mark = "read", verified = true }\n'
        + "[near-online.response.mean_ms]\n"
        + 'random = { value = 4000, unit = "ms", source = "the same", mark = "read", verified = true }\n'
    )
    rules = load("read.toml", base_dir=tmp_path)
    assert rules.number("response.mean_ms.random") == 30
    assert rules.number("response.mean_ms.random", "near-online") == 4000
    assert rules.caveat() is None
    assert rules.find("response.mean_ms.random").sources == ("text 7.4",)
    assert rules.lineage[:2] == ("mine", "emerald-4.0.0")
    assert rules.sha256 != load("emerald-4.0.0").sha256
    again = load(rules.reference().profile)  # from any folder
    assert again.sha256 == rules.sha256
    (tmp_path / "again.toml").write_text(HEAD.replace("mine", "again") + 'extends = "read.toml"\n')
    assert load("again.toml", base_dir=tmp_path).number("response.mean_ms.random") == 30


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("a = 1\n", "wrong-type", ":5: a"),
        (
            '[a]\nb = { value = 1, unit = "s", mark = "read", verified = true }\n',
            "missing",
            ":6: a.b.source",
        ),
        (
            '[a]\nb = { value = 1, unit = "s", source = "x", mark = "assumed", verified = true }\n',
            None,
            ":6: a.b",
        ),
        (
            '[a]\nb = { unit = "s", source = "x", mark = "read", verified = true }\n',
            None,
            ":6: a.b",
        ),
        (
            '[a]\nb = { value = 1, unit = "s", source = "x", mark = "recalled", verified = false }\n',
            None,
            ":6: a.b",
        ),
        (
            '[a]\nb = { value = 1, unit = "s", source = "x", mark = "guessed", verified = false }\n',
            None,
            ":6: a.b.mark",
        ),
        (
            '[a]\nb = { value = 1, unit = "s", source = "x", mark = "read", verifed = false }\n',
            None,
            ":6: a.b.verifed",
        ),
        ('extends = "emerald-9"\n', "unknown-name", ":5: extends.0"),
        ('extends = "mine.toml"\n', "conflict", ""),
        ('[[unverified]]\nrules = ["*"]\nwhy = "x"\n', "not-applicable", ":5: unverified.0"),
        ("a = [", None, ""),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(tmp_path, text, code, place):
    (tmp_path / "mine.toml").write_text(HEAD + text)
    with pytest.raises(InputError) as caught:
        load("mine.toml", base_dir=tmp_path)
    # None: the code is that of the schema, or of the reader of TOML.
    check(caught.value, caught.value.code if code is None else code, f"{tmp_path / 'mine.toml'}{place}")


def test_a_parent_that_is_not_there_is_named(tmp_path):
    (tmp_path / "mine.toml").write_text(HEAD + 'extends = "gone.toml"\n')
    with pytest.raises(InputError) as caught:
        load("mine.toml", base_dir=tmp_path)
    assert caught.value.place == str(tmp_path / "gone.toml")


def test_what_is_only_there_to_be_extended_is_not_judged_by():
    assert "emerald-base" not in profile_names()
    with refused("not-applicable", "emerald-base"):
        load("emerald-base")
    with refused("unknown-name", None) as caught:
        load("emerald-4.0.1")
    assert "'emerald-4.0.1'" in caught.value.message and "'emerald-4.0" in caught.value.hint


_SCALARS = st.one_of(st.integers(), st.booleans(), st.text(max_size=5), st.lists(st.integers(), max_size=2))
_KEYS = st.sampled_from(["value", "unknown", "unit", "source", "mark", "verified", "confidence", "note", "x"])
#: Keys that the head has already: a second one is no TOML.
_SAID = ("schema", "name", "title", "version")
_TREES = st.recursive(
    _SCALARS,
    lambda inner: st.dictionaries(st.one_of(_KEYS, st.text(max_size=3)), inner, max_size=5),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=8).filter(lambda key: key not in _SAID), _TREES, max_size=4))
def test_whatever_stands_in_a_file_gives_rules_or_an_input_error(tree):
    text = HEAD + _toml(tree)
    tomllib.loads(text)
    try:
        parse(text, "x.toml")
    except InputError as error:
        assert "x.toml" in str(error)


@given(st.text(max_size=80))
def test_whatever_text_gives_rules_or_an_input_error(text):
    try:
        parse(HEAD + text, "x.toml")
    except InputError as error:
        assert "x.toml" in str(error)


def _toml(tree):
    return "".join(f"{_string(key)} = {_value(value)}\n" for key, value in tree.items())


def _value(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_string(k)} = {_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, bool):
        return str(value).lower()
    return _string(value) if isinstance(value, str) else repr(value)


def _string(text):
    return '"' + "".join(f"\\U{ord(c):08X}" if not 0xD800 <= ord(c) < 0xE000 else "?" for c in text) + '"'


@pytest.mark.parametrize(
    ("first", "second", "place"),
    [
        ('["x", "y"]', '["z", "y"]', "b.toml (library):3: aliases.1"),
        ('["b"]', "[]", "a.toml (library):3: aliases.0"),
    ],
)
def test_a_second_profile_of_an_alias_is_refused(monkeypatch, first, second, place):
    texts = {
        name: parse(
            f'schema = "iowatt.rules/1"\nname = "{name}"\naliases = {names}\ntitle = "T"\n',
            f"{name}.toml (library)",
        )
        for name, names in (("a", first), ("b", second))
    }
    monkeypatch.setattr(find, "file_names", lambda: tuple(texts))
    monkeypatch.setattr(find, "profile_file", texts.__getitem__)
    with refused("duplicate", place):
        find.aliases.__wrapped__()
