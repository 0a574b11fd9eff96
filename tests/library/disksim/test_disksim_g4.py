"""Irregular layouts: a small one worked out by hand, and what is refused."""

from __future__ import annotations

import pytest
from disksim_files import DATA, changed

from iowatt.base.errors import InputError
from iowatt.model.library.disksim import read_drive
from iowatt.model.library.disksim.layout import G4Layout, G4Remap

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
    assert layout.locate(lbn) == pytest.approx(place)
    assert layout.held(2) == 120
    assert layout.remaps == (G4Remap(100, 2, 1, 0, 8, 10),)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("0, 9, 10", "0, 9", "'TP' must be whole numbers, 3 for each entry; it has 2 items"),
        ("0, 9, 10", "9, 0, 10", "TP 0 must be: first sector, last sector, sectors per track"),
        ("TRACK, 0, 0", "TRACK, 1, 0", "IDX node 0, entry 0: TRACK 1 is not one of the 1 before it"),
        ("TRACK, 0, 1 ]", "TRACK, 0, 2 ]", "entry 1: head 2 is not one of the 2 surfaces"),
        ("IDX, 0 ]", "IDX, 1 ]", "IDX node 1, entry 0: IDX 1 is not one of the 1 before it"),
        ("IDX, 0 ]", "IDX ]", "an entry must be 'lbn, cylinder, angle"),
        ("[ 0, 0, 0.0, 10", "[ 0, 0, 0.0, 0", "an entry must be"),
        (
            "      20, 1, 0.5",
            "      21, 1, 0.5",
            "entry 1: it starts at LBN 21, and the run before ends at 20",
        ),
        ("12, 2", "3, 2", "'Slips' must be ordered by LBN"),
        ("12, 2", "12", "'Slips' must be whole numbers"),
        ("100, 2, 1", "100, x, 1", "'Remaps' must be whole numbers"),
        ("Slips = [ 5, 1, 12, 2 ]", "Slips = 3", "'Slips' must be a list"),
    ],
)
def test_layouts_that_are_refused(tmp_path, old, new, words):
    assert old in SMALL
    with pytest.raises(InputError) as error:
        drive(tmp_path, SMALL.replace(old, new, 1))
    assert words in str(error.value)
    assert "small.layout:" in str(error.value)


def test_a_layout_smaller_than_the_block_count(tmp_path):
    small = drive(tmp_path, SMALL.replace("120, 6", "80, 4"))
    assert small.model.sectors == 80
    assert "the layout places 80 of the 115 blocks" in small.notes[0]
