"""Irregular layouts: a small one worked out by hand, and what is refused."""

from __future__ import annotations

import re

import pytest
from disksim_files import DATA, changed, locate

from iowatt.model.library.disksim import read_drive
from iowatt.model.library.disksim.layout import G4Layout, G4Remap
from refused import refused

# Node 0: two tracks of 10 sectors inwards on head 0, then two outwards on head 1. The root repeats it
# three times, two cylinders and an eighth of a turn each: 3 x 40 sectors. Position 5 and what follows slip
# by one, from position 12 by two more.
SMALL = """dm_layout_g4 {
  TP = [ 0, 9, 10 ],
  IDX = [
    [ 0, 0, 0.0, 10, 1, 0.25, 20, 2, TRACK, 0, 0,
      20, 1, 0.5, 10, 1, 0.25, 20, -2, TRACK, 0, 1 ],
    [ 0, 0, 0.0, 40, 2, 0.125, 120, 6, IDX, 0 ]
  ],
  Slips = [ 5, 1, 12, 2 ],
  Remaps = [ 100, 2, 1, 0, 8, 10 ]
}
"""


def drive(folder, layout=SMALL):
    (folder / "small.layout").write_text(layout)
    model = (DATA / "Seagate-Cheetah15k5.model").read_text()
    for old, new in (
        ("Seagate-Cheetah15k5-skews.layout", "small.layout"),
        ("286749487", "115"),
        ("surfaces = 4", "surfaces = 2"),
        ("72170", "6"),
        ("Seagate-Cheetah15k5.seeks", "cheetah9LP.seek"),
    ):
        assert old in model
        model = model.replace(old, new)
    changed(folder, "cheetah9LP.diskspecs", "source cheetah9LP.model", "source small.model")
    (folder / "small.model").write_text(model)
    return read_drive(folder / "cheetah9LP.diskspecs")


@pytest.mark.parametrize(
    ("lbn", "place"),
    [
        (0, (0, 0, 0, 0.0)),
        (4, (0, 0, 4, 0.4)),
        (5, (0, 0, 6, 0.6)),  # one further
        (10, (1, 0, 1, 0.25 + 0.1)),  # position 11: second track
        (11, (1, 0, 4, 0.25 + 0.4)),  # position 12: reaches the next slip, 14
        (17, (1, 1, 0, 0.5)),  # position 20: the outward run starts at cylinder 1
        (27, (0, 1, 0, 0.75)),  # position 30: its second track
        (37, (2, 0, 0, 0.125)),  # position 40: the second element of the root
        (101, (1, 0, 9, 0.9)),  # remapped
    ],
)
def test_where_blocks_are(tmp_path, lbn, place):
    layout = drive(tmp_path).model.layout
    assert isinstance(layout, G4Layout)
    assert locate(layout, lbn) == pytest.approx(place)
    assert layout.held(2) == 120
    assert layout.remaps == (G4Remap(100, 2, 1, 0, 8, 10),)


@pytest.mark.parametrize(
    ("old", "new", "code", "named"),
    [
        ("0, 9, 10", "0, 9", "wrong-type", "'TP' .* 3 .* 2 "),
        ("0, 9, 10", "9, 0, 10", "out-of-range", "TP 0 "),
        ("TRACK, 0, 0", "TRACK, 1, 0", "unknown-name", "IDX .* 0, .* 0: TRACK 1 "),
        ("TRACK, 0, 1 ]", "TRACK, 0, 2 ]", "out-of-range", " 1: .* 2 .* 2 "),
        ("IDX, 0 ]", "IDX, 1 ]", "unknown-name", "IDX .* 1, .* 0: IDX 1 "),
        ("IDX, 0 ]", "IDX ]", "wrong-type", "lbn,.*cylinder,.*angle"),
        ("[ 0, 0, 0.0, 10", "[ 0, 0, 0.0, 0", "wrong-type", "IDX .* 0, .* 0: "),
        ("      20, 1, 0.5", "      21, 1, 0.5", "out-of-order", " 1: .* 21, .* 20"),
        ("12, 2", "3, 2", "out-of-order", "'Slips'"),
        ("12, 2", "12", "wrong-type", "'Slips' .* 2 "),
        ("100, 2, 1", "100, x, 1", "wrong-type", "'Remaps'"),
        ("Slips = [ 5, 1, 12, 2 ]", "Slips = 3", "wrong-type", "'Slips'"),
    ],
)
def test_layouts_that_are_refused(tmp_path, old, new, code, named):
    assert old in SMALL
    with refused(code, re.compile(r"small\.layout:\d+$")) as error:
        drive(tmp_path, SMALL.replace(old, new, 1))
    assert re.search(named, error.value.message)


def test_a_layout_smaller_than_the_block_count(tmp_path):
    small = drive(tmp_path, SMALL.replace("120, 6", "80, 4"))
    assert small.model.sectors == 80
    assert re.findall(r"\b\d{2,3}\b", small.notes[0])[-3:] == ["80", "115", "80"]
