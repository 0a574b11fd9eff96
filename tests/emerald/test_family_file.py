"""Family files: what is read, what contradicts what, hostile files, the schema."""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_family import FAMILY, OUT, family

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.bff.assemble import stated_figures
from iowatt.emerald.family import (
    Candidate,
    Group,
    all_metrics,
    covers,
    find_metric,
    limit_s,
    load,
    named_candidate,
    qualified_range,
    read,
)
from iowatt.emerald.rules import load as rules
from refused import check, refused

ROOT = Path(__file__).parents[2]
#: Places in the text of the family.
NAME, DISK, SLOTS = 'name = "tiny"\n', 'name = "disk"\n', '{ "2.5" = 16 }'
RAID, END = "[[raid]]\n", "[[source]]\n"
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
    assert all_metrics(found) and found.file.source
    first = path.read_text("utf-8").splitlines()[0]
    assert first.split() == ["#:schema", "../../schema/iowatt.family.schema.json"]


def test_every_figure_has_its_most_exact_source_or_none(tmp_path):
    rows = {row.figure: row for row in stated_figures(load(ROOT / "examples" / "emerald" / "scale-out.toml"))}
    assert "controller.node.part.board.idle" in rows and "scale_out.interconnect.hop" in rows
    assert {row.quality for row in rows.values()} == {"assumed"}
    more = '\n[[source]]\nfigures = ["shelf.*.part.shelf.idle"]\nquality = "measured"\ntext = "meter"\n'
    mine = {row.figure: row.quality for row in stated_figures(family(tmp_path, FAMILY + more))}
    assert mine["shelf.small.part.shelf.idle"] == "measured"
    assert mine["controller.only.drives.2.5"] == "assumed"
    assert mine["shelf.small.slots"] is None and "test.requests" not in mine


def test_there_are_two_examples():
    assert {path.stem for path in EXAMPLES} == {"online3", "scale-out"}


def test_metrics_are_those_of_the_rules_with_further_mixes_behind_the_mixed_one(tmp_path):
    found = family(tmp_path, sets=["test.mixes=[80,60,70]"])
    assert [one.name for one in all_metrics(found)] == [
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
    assert find_metric(found, "70/30").name == "MW1" and find_metric(found, "rr").name == "RR"
    assert find_metric(found, "MW2").share == 0.25
    with refused("unknown-name", Argument("metric")):
        find_metric(found, "HB")
    later = family(tmp_path, sets=['rules="emerald-4.0.0"'])
    assert [one.name for one in all_metrics(later)] == ["HB", "RR", "RW", "SR", "SW", "RI"]


def test_the_limit_is_the_familys_or_the_rules(tmp_path):
    found = family(tmp_path)
    assert limit_s(found, rules("emerald-1.0.0")) == 0.02
    own = read(FAMILY.replace('limit = "20ms"\n', ""), "tiny.toml", tmp_path)
    assert limit_s(own, rules("emerald-1.0.0")) == 0.02
    assert limit_s(family(tmp_path, sets=['test.limit="5ms"']), rules("emerald-1.0.0")) == 0.005


@pytest.mark.parametrize(
    ("old", "new", "fault", "figures"),
    [
        ('form_factor = "2.5"\npart', 'form_factor = "3.5"\npart', None, ()),  # a carrier helps
        (DISK, DISK + 'shelf = "tall"\n', ("unknown-name", "drive.disk.shelf"), ["'tall'"]),
        (DISK, DISK + 'form_factor = "3.5"\n', ("conflict", "drive.disk.form_factor"), ["2.5", "3.5"]),
        ('"drive.toml"', '"hotband2013-15k"', ("infeasible", "drive.disk.form_factor"), ["3.5"]),
        ('"drive.toml"', '"no-such-drive"', ("unknown-name", "drive.disk.device"), ["'no-such-drive'"]),
        (DISK, DISK + 'raid = ["stripe"]\n', ("unknown-name", "drive.disk.raid.0"), ["'stripes'"]),
        (DISK, DISK + "least = 20\n", ("infeasible", "drive.disk"), ["20"]),
        (SLOTS, '{ "3.5" = 16 }', ("infeasible", "drive.disk"), [" 1 "]),
        (SLOTS, SLOTS + "\nmost_drives = 8", ("conflict", "controller.only.most_drives"), ["8", "16"]),
        (SLOTS, SLOTS + "\nshelves = 2", ("conflict", "controller.only.shelves"), [" 8,", "16"]),
        (SLOTS, '{ "1.8" = 16 }', ("schema", "controller.only.drives.1.8"), []),
        ('kind = "controller"', 'kind = "other"', ("missing", "controller.only.part"), []),
        ("level = 0\n", "level = 5\nwidth = 2\n", ("out-of-range", "raid.stripes.width"), ["3", "2"]),
        ("level = 0\n", "level = 4\nwidth = 5\n", ("not-applicable", "raid.stripes.width"), ["5, 6"]),
        ("level = 0\n", "level = 6\nleast = 3\n", ("out-of-range", "raid.stripes.least"), ["3", "4"]),
        ("[test]\n", "[test]\nmixes = [0]\n", ("schema", "test.mixes.0"), []),
        (NAME, NAME + 'rules = "emerald-9"\n', ("unknown-name", "rules"), ["'emerald-9'"]),
        (NAME, NAME + 'colour = "red"\n', ("schema", "colour"), []),
        (RAID, '[[raid]]\nname = "stripes"\nlevel = 1\n\n' + RAID, ("duplicate", "raid.stripes.name"), []),
        (END, OUT.replace("= 1,", "= 9,") + END, ("conflict", "scale_out.nodes.least"), ["9", "8"]),
        (END, OUT.replace("[4]", "[99]") + END, ("out-of-range", "scale_out.drives_per_node"), ["99", "16"]),
        (
            END,
            NAMED.replace('"only"', '"other"') + END,
            ("unknown-name", "configuration.one.controller"),
            ["'other'"],
        ),
        (
            END,
            NAMED.replace("= 8", "= 99") + END,
            ("infeasible", "configuration.one.group"),
            ["'only'", "16"],
        ),
        (END, NAMED + 'metrics = ["RX"]\n' + END, ("unknown-name", "configuration.one.metrics"), ["'RX'"]),
        (END, NAMED + "nodes = 2\n" + END, ("not-applicable", "configuration.one.nodes"), ["2"]),
    ],
)
def test_what_contradicts_is_named_with_its_place(tmp_path, old, new, fault, figures):
    before, after = FAMILY.split(old, 1)
    text = before + new + after
    if fault is None:
        assert family(tmp_path, text)
        return
    with pytest.raises(InputError) as caught:
        family(tmp_path, text)
    code, key = fault
    check(
        caught.value,
        caught.value.code if code == "schema" else code,  # "schema": the codes of the model's own checks
        re.compile(rf"^tiny\.toml:\d+: {re.escape(key)}$"),
    )
    assert all(figure in str(caught.value) for figure in figures)


def test_a_configuration_by_name_and_one_that_is_not_there(tmp_path):
    found = family(tmp_path, FAMILY + NAMED)
    one = named_candidate(found, "one")
    assert (one.controller, one.groups) == ("only", (Group("disk", 8, "stripes"),))
    assert re.split("[, ]+", one.label) == ["8", "x", "disk", "stripes", "only"]
    with refused("unknown-name", found.document.source) as caught:
        named_candidate(found, "two")
    assert "'two'" in caught.value.message


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


def test_the_reference_page_reads_and_runs_as_printed(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "reference" / "family.md").read_text("utf-8")
    printed = re.search(r"```toml\n(.*?)```", page, re.S)[1]
    found = read(printed, "family.md", ROOT)
    rows = {row.figure: row.quality for row in stated_figures(found)}
    assert set(rows.values()) == {"assumed", None} and rows["raid.raid-5.level"] is None
    names = {}
    exec(compile(re.search(r"```python\n(.*?)```", page, re.S)[1], "family.md", "exec"), names)
    few = names["few"]
    assert (few.controller, few.nodes, few.groups) == ("node", 3, (Group("lff-7k-2tb", 36, "mirrors"),))
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == few.label
    assert second.startswith(f"# {names['found'].file.title}")


RANGES = """
[[ras]]
feature = "spare-drives"
most = 8
least = 0
tested = 2

[[com]]
method = "thin-provisioning"
"""


def test_ras_and_com_features_have_ranges(tmp_path):
    found = family(tmp_path, FAMILY + RANGES)
    assert [(one.feature, one.least, one.most, one.tested) for one in found.file.ras] == [
        ("spare-drives", 0, 8, 2)
    ]
    assert [(one.method, one.offered, one.during_test) for one in found.file.com] == [
        ("thin-provisioning", "optional", False)
    ]


@pytest.mark.parametrize(
    ("old", "new", "code", "place"),
    [
        ("least = 0", "least = 9", "not-accepted", "ras"),
        ("tested = 2", "tested = 9", "not-accepted", "ras"),
        ("thin-provisioning", "thin", "not-accepted", "com"),
        (
            'method = "thin-provisioning"',
            'method = "compression"\n[[com]]\nmethod = "compression"',
            "duplicate",
            "com",
        ),
    ],
)
def test_ranges_that_contradict_themselves_are_refused(tmp_path, old, new, code, place):
    with refused(code, re.compile(place), InputError):
        family(tmp_path, FAMILY + RANGES.replace(old, new))


def test_a_range_around_an_optimal_point_is_never_barely_passed_by_an_unverified_rule():
    """-40 to +15 % of 50 drives: 30 to 57; of 7 drives 4.2 to 8.05: 5 to 8."""
    found = qualified_range(rules("energystar-2.0"), 50)
    assert (found.least, found.most, found.verified) == (30, 57, False)
    assert [found.standing(count) for count in (29, 30, 50, 57, 58)] == [
        "not covered", "covered if the unverified rule holds", "covered",
        "covered if the unverified rule holds", "not covered",
    ]  # fmt: skip
    small = qualified_range(rules("energystar-2.0"), 7)
    assert (small.least, small.most) == (5, 8)
    assert replace(found, verified=True).standing(57) == "covered"
    assert qualified_range(rules("emerald-1.0.0"), 50) is None


def test_a_test_covers_the_same_drives_behind_the_same_controllers_only():
    point = Candidate("lower", (Group("disk", 50, "raid-5"),))
    covered = qualified_range(rules("energystar-2.0"), 50)
    for other, why in (
        (Candidate("higher", (Group("disk", 50, "raid-5"),)), "controller class"),
        (Candidate("lower", (Group("ssd", 50, "raid-10"),)), "drive, another level"),
        (Candidate("lower", (Group("disk", 25, "raid-5"), Group("ssd", 25, "raid-5"))), "several types"),
        (Candidate("lower", (Group("disk", 60, "raid-5"),)), "30 to 57"),
    ):
        standing, text = covers(point, covered, other)
        assert standing == "not covered"
        assert why in text
