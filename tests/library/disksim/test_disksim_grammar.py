"""The grammar: what it makes of each statement, what it refuses, and that it always answers."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from disksim_files import CHEETAH
from hypothesis import given, settings
from hypothesis import strategies as st

from iowatt.base import packed_file
from iowatt.base.errors import InputError
from iowatt.model.library.disksim import grammar
from iowatt.model.library.disksim.grammar import names, parse_file, parse_text
from iowatt.model.library.disksim.tree import Block, Range
from refused import refused

HERE = Path("here.parv")


def test_blocks_and_values():
    document = parse_text(
        """
        disksim_bus BUS0 {   # a comment
          type = 1, Time-limited think times = [ normal, 30.0, -1e-2 ],
          RMW vs. reconstruct = .5, Segment size (in blks) = 0x1f,
          file = "two words", Cache = disksim_cachemem { empty = [] }, last = 3,
        }
        """,
        HERE,
    )
    (block,) = document.blocks
    assert (block.type, block.name, block.line) == ("disksim_bus", "BUS0", 2)
    values = {key: entry.value for key, entry in block.entries.items()}
    assert values["Time-limited think times"] == ["normal", 30.0, -0.01]
    assert values["RMW vs. reconstruct"] == 0.5
    assert values["Segment size (in blks)"] == 31
    assert values["file"] == "two words"
    inner = values["Cache"]
    assert isinstance(inner, Block)
    assert (inner.type, inner.name, inner.entries["empty"].value) == ("disksim_cachemem", "", [])
    assert block.where("file") == "here.parv:5"


def test_instances_and_topology():
    document = parse_text(
        "instantiate [ disk0 .. disk2, spare, a1..a2 ] as DISK\n"
        "topology disksim_iodriver d [ disksim_bus b [\n disksim_disk disk0 [], disksim_disk disk1 [] ] ]",
        HERE,
    )
    assert [instance.name for instance in document.instances] == [
        "disk0",
        "disk1",
        "disk2",
        "spare",
        "a1",
        "a2",
    ]
    bus = document.topology[0].children[0]
    assert [child.name for child in bus.children] == ["disk0", "disk1"]
    assert bus.children[0].where == "here.parv:3"


@pytest.mark.parametrize(
    ("source", "code", "line", "named"),
    [
        ("b X { a = 1\n b = 2 }", "bad-syntax", 2, ["','", "'1'", "'b'", "'='"]),
        ("b X { a = 1, a = 2 }", "duplicate", 1, ["'a'", "line 1"]),
        ("b X { a = }", "bad-syntax", 1, ["'}'"]),
        ("b X { a 1 }", "bad-syntax", 1, ["'='", "'a 1'"]),
        ("b X { a = 1", "bad-syntax", 1, ["','", "'}'", "'a'"]),
        ("b X { a = [1, 2 }", "bad-syntax", 1, ["','", "']'", "'}'"]),
        ("\n\nb X a = 1 }", "bad-syntax", 3, ["'{'", "'b'"]),
        ("= 3", "bad-syntax", 1, ["'type NAME {'", "'='"]),
        ('b X { a = "never closed\n }', "bad-syntax", 1, []),
        ("b X { a = 1e999 }", "out-of-range", 1, ["1e999"]),
        ("b X { }\nc X { }", "duplicate", 2, ["'X'", "here.parv:1"]),
        ("instantiate disk as D", "bad-syntax", 1, ["'['", "'disk'"]),
        ("instantiate [ d ] is D", "bad-syntax", 1, ["'as'", "'is'"]),
        ("instantiate [ d0 .. e4 ] as D", "bad-syntax", 1, ["d0 .. e4"]),
        ("instantiate [ d4 .. d1 ] as D", "too-large", 1, ["d4 .. d1", "-2"]),
        ("instantiate [ d0 .. d99999999 ] as D", "too-large", 1, ["100000000"]),
        ("instantiate [ 3 ] as D", "bad-syntax", 1, ["disk0 .. disk7"]),
        ("topology disksim_bus b [ disksim_disk d ]", "bad-syntax", 1, ["'d'", "']'"]),
        ("source nowhere.diskspecs", "not-found", 1, ["'nowhere.diskspecs'", "'nowhere.diskspecs.gz'"]),
        ("source", "bad-syntax", 1, ["'source'"]),
        ("b X { a = " + "[" * 40 + "]" * 40 + "}", "too-large", 1, ["32"]),
        ("topology " + "t n [" * 40, "too-large", 1, ["32"]),
    ],
)
def test_what_is_refused(source, code, line, named):
    with refused(code, f"here.parv:{line}") as error:
        parse_text(source, HERE)
    for name in named:
        assert name in error.value.message


def test_sources_are_beside_the_file_that_names_them(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "main.parv").write_text("source sub/outer\nb B { M = source sub/outer2 }")
    (tmp_path / "sub" / "outer").write_text("a A { x = source inner, y = source packed }")
    (tmp_path / "sub" / "inner").write_text("layout { z = 1 }")
    (tmp_path / "sub" / "outer2").write_text("model NAMED { z = 3 }")
    (tmp_path / "sub" / "packed.gz").write_bytes(gzip.compress(b"# \xe9 is Latin-1\nlayout { z = 2 }"))
    first, second = parse_file(tmp_path / "main.parv").blocks
    inner, packed = first.entries["x"].value, first.entries["y"].value
    assert isinstance(inner, Block)
    assert isinstance(packed, Block)
    assert (inner.entries["z"].value, packed.entries["z"].value) == (1, 2)
    assert packed.where() == f"{tmp_path / 'sub' / 'packed.gz'}:2"
    assert isinstance(second.entries["M"].value, Block)
    assert [block.name for block in (first, second)] == ["A", "B"]


@pytest.mark.parametrize(
    ("name", "content", "code", "place"),
    [
        ("loop", b"source loop", "conflict", "loop:1"),
        ("loop", b"b X { a = source loop }", "conflict", "loop:1"),
        ("two", b"a A { } b B { }", "ambiguous", "main:1"),
        ("broken.gz", b"\x1f\x8b\x08\x00rubbish", "damaged", "main:1"),
    ],
)
def test_sources_that_are_refused(tmp_path, name, content, code, place):
    (tmp_path / name).write_bytes(content)
    (tmp_path / "main").write_text(f"x X {{ v = source {name} }}")
    with refused(code, str(tmp_path / place)) as error:
        parse_file(tmp_path / "main")
    assert name in error.value.message


def test_sources_are_bounded_in_number_and_size(tmp_path, monkeypatch):
    (tmp_path / "empty").write_text("")
    (tmp_path / "many").write_text("source empty\n" * (grammar.MAX_SOURCES + 1))
    with refused("too-large", f"{tmp_path / 'many'}:257"):
        parse_file(tmp_path / "many")
    monkeypatch.setattr(grammar, "MAX_BYTES", 1000)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b" " * 10**6))
    with refused("too-large", str(tmp_path / "bomb.gz")):
        parse_file(tmp_path / "bomb.gz")
    assert packed_file.MAX_BYTES > 10**7


def test_files_that_are_none(tmp_path):
    for path in (tmp_path, tmp_path / "absent"):
        with refused("not-found", str(path)):
            parse_file(path)
    with refused("unreadable", str(tmp_path / ("x" * 400))):
        parse_file(tmp_path / ("x" * 400))
    with refused("not-found", f"{tmp_path / 'x'}:1"):
        parse_text('source "\0"', tmp_path / "x")


def test_names():
    assert names(["a", Range("d08", "d10")], "") == ("a", "d8", "d9", "d10")


PIECES = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        ",",
        "=",
        "..",
        "source",
        "as",
        "instantiate",
        "topology",
        '"',
        "#",
        "\n",
        "x",
        "1",
        "-3.5",
    ]
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=60).map(" ".join)))
@settings(max_examples=300, deadline=None)
def test_any_text_gives_a_tree_or_an_error_with_a_place(source):
    try:
        parse_text(source, HERE)
    except InputError as error:
        assert error.place


@given(st.integers(0, 2800), st.integers(0, 60), st.text(max_size=12))
@settings(max_examples=150, deadline=None)
def test_a_real_file_with_a_hole_in_it(start, length, filling):
    whole = CHEETAH.read_text()
    try:
        parse_text(whole[:start] + filling + whole[start + length :], CHEETAH)
    except InputError as error:
        assert error.place
