"""Family files: what is read, what contradicts what, hostile files, the schema."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_family import FAMILY, OUT, family

from iowatt.base.errors import InputError
from iowatt.emerald.bff.stated import stated
from iowatt.emerald.family import load, metric, metrics, named, read
from iowatt.emerald.family.metric import limit_s
from iowatt.emerald.family.schema import json_schema, schema_text
from iowatt.emerald.rules import load as rules

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(
    path for path in (ROOT / "examples" / "emerald").glob("*.toml") if "family/1" in path.read_text("utf-8")
)
NAMED = """
[[configuration]]
name = "one"
controller = "only"
group = [{ drive = "disk", count = 8, raid = "stripes" }]
"""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_hold_together(path):
    found = load(path)
    assert metrics(found) and found.file.source
    assert path.read_text("utf-8").startswith("#:schema ../../schema/iowatt.family.schema.json\n")


def test_every_figure_has_its_most_exact_source_or_none(tmp_path):
    rows = {row["figure"]: row for row in stated(load(ROOT / "examples" / "emerald" / "scale-out.toml"))}
    assert "controller.node.part.board.idle" in rows and "scale_out.interconnect.hop" in rows
    assert {row["quality"] for row in rows.values()} == {"assumed"}
    more = '\n[[source]]\nfigures = ["shelf.*.part.shelf.idle"]\nquality = "measured"\ntext = "meter"\n'
    mine = {row["figure"]: row["quality"] for row in stated(family(tmp_path, FAMILY + more))}
    assert mine["shelf.small.part.shelf.idle"] == "measured"
    assert mine["controller.only.drives.2.5"] == "assumed"
    assert mine["shelf.small.slots"] is None and "test.requests" not in mine


def test_there_are_two_examples():
    assert {path.stem for path in EXAMPLES} == {"online3", "scale-out"}


def test_metrics_are_those_of_the_rules_with_further_mixes_behind_the_mixed_one(tmp_path):
    found = family(tmp_path, sets=["test.mixes=[80,60,70]"])
    assert [one.name for one in metrics(found)] == [
        "MW1",
        "60/40",
        "80/20",
        "MW2",
        "RR",
        "RW",
        "SR",
        "SW",
        "RI",
    ]
    assert metric(found, "70/30").name == "MW1" and metric(found, "rr").name == "RR"
    assert metric(found, "MW2").share == 0.25
    with pytest.raises(InputError, match="no metric 'HB'"):
        metric(found, "HB")
    later = family(tmp_path, sets=['rules="emerald-4.0.0"'])
    assert [one.name for one in metrics(later)] == ["HB", "RR", "RW", "SR", "SW", "RI"]


def test_the_limit_is_the_familys_or_the_rules(tmp_path):
    found = family(tmp_path)
    assert limit_s(found, rules("emerald-1.0.0")) == 0.02
    own = read(FAMILY.replace('limit = "20ms"\n', ""), "tiny.toml", tmp_path)
    assert limit_s(own, rules("emerald-1.0.0")) == 0.02
    assert limit_s(family(tmp_path, sets=['test.limit="5ms"']), rules("emerald-1.0.0")) == 0.005


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('form_factor = "2.5"\npart', 'form_factor = "3.5"\npart', None),  # a carrier helps
        ('name = "disk"\n', 'name = "disk"\nshelf = "tall"\n', "drive.disk.shelf: there is no shelf 'tall'"),
        ('name = "disk"\n', 'name = "disk"\nform_factor = "3.5"\n', "its file says 2.5 inches, not 3.5"),
        ('"drive.toml"', '"hotband2013-15k"', "no shelf takes a drive of 3.5 inches"),
        ('"drive.toml"', '"no-such-drive"', "unknown device 'no-such-drive'"),
        ('name = "disk"\n', 'name = "disk"\nraid = ["stripe"]\n', "did you mean 'stripes'"),
        ('name = "disk"\n', 'name = "disk"\nleast = 20\n', "no controller takes 20 drives of it"),
        ('{ "2.5" = 16 }', '{ "3.5" = 16 }', "no controller takes 1 drives of it"),
        ('{ "2.5" = 16 }\n', '{ "2.5" = 16 }\nmost_drives = 8\n', "8 drives in all contradict 16"),
        ('{ "2.5" = 16 }\n', '{ "2.5" = 16 }\nshelves = 2\n', "hold 8, and it is said to take 16"),
        ('{ "2.5" = 16 }', '{ "1.8" = 16 }', "controller.only.drives"),
        ('kind = "controller"', 'kind = "other"', "none of its parts is of kind controller"),
        ("level = 0\n", "level = 5\nwidth = 2\n", "RAID-5 has 3 or more, not 2"),
        ("level = 0\n", "level = 4\nwidth = 5\n", "sets of chunklets have level 0, 5, 6 or 10"),
        ("level = 0\n", "level = 6\nleast = 3\n", "3 drives are fewer than it needs, 4"),
        ("[test]\n", "[test]\nmixes = [0]\n", "mixes"),
        ('name = "tiny"\n', 'name = "tiny"\nrules = "emerald-9"\n', "emerald-9"),
        ('name = "tiny"\n', 'name = "tiny"\ncolour = "red"\n', "unknown key 'colour'"),
        ("[[raid]]\n", '[[raid]]\nname = "stripes"\nlevel = 1\n\n[[raid]]\n', "is taken by another raid"),
        ("[[source]]\n", OUT.replace("= 1,", "= 9,") + "\n[[source]]\n", "at least 9 nodes and at most 8"),
        ("[[source]]\n", OUT.replace("[4]", "[99]") + "\n[[source]]\n", "more than any node takes, 16"),
        ("[[source]]\n", NAMED.replace('"only"', '"other"') + "\n[[source]]\n", "no controller 'other'"),
        ("[[source]]\n", NAMED.replace("= 8", "= 99") + "\n[[source]]\n", "more than 'only' takes, 16"),
        ("[[source]]\n", NAMED + 'metrics = ["RX"]\n\n[[source]]\n', "no metric 'RX'"),
        ("[[source]]\n", NAMED + "nodes = 2\n\n[[source]]\n", "the family has no [scale_out]"),
    ],
)  # fmt: skip
def test_what_contradicts_is_named_with_its_place(tmp_path, old, new, said):
    assert old in FAMILY
    text = FAMILY.replace(old, new, 1)
    if said is None:
        assert family(tmp_path, text)
        return
    with pytest.raises(InputError) as caught:
        family(tmp_path, text)
    assert said in str(caught.value) and "tiny.toml:" in str(caught.value)


def test_a_configuration_by_name_and_one_that_is_not_there(tmp_path):
    found = family(tmp_path, FAMILY + NAMED)
    assert named(found, "one").label == "8 x disk, stripes, only"
    with pytest.raises(InputError, match="no configuration 'two'"):
        named(found, "two")


@given(
    st.lists(
        st.tuples(st.integers(0, len(FAMILY) - 1), st.text(alphabet='"[]{}=0.\n\x00é', max_size=4)),
        max_size=4,
    )
)
def test_hostile_files_are_refused_with_an_input_error_or_read(tmp_path_factory, edits):
    text = FAMILY
    for at, put in edits:
        text = text[:at] + put + text[at + len(put) :]
    folder = tmp_path_factory.getbasetemp()
    with contextlib.suppress(InputError):
        family(folder, text)


def test_the_checked_in_family_schema_is_current():
    checked_in = (ROOT / "schema" / "iowatt.family.schema.json").read_text("utf-8")
    assert checked_in == schema_text(), (
        "run: iowatt schema family -o schema/iowatt.family.schema.json --force"
    )
    assert all(field.get("description") for field in json_schema()["properties"].values())


def test_the_reference_page_reads_and_runs_as_printed(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "reference" / "family.md").read_text("utf-8")
    printed = re.search(r"```toml\n(.*?)```", page, re.S)[1]
    found = read(printed, "family.md", ROOT)
    rows = {row["figure"]: row["quality"] for row in stated(found)}
    assert set(rows.values()) == {"assumed", None} and rows["raid.raid-5.level"] is None
    exec(compile(re.search(r"```python\n(.*?)```", page, re.S)[1], "family.md", "exec"), {})
    assert capsys.readouterr().out.startswith("36 x lff-7k-2tb, mirrors, 3 nodes of node\n# Scale-out family")
