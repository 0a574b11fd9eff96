"""The reader of ``dm_layout_g4``: flat lists of numbers, in the order in which DiskSim's loader takes them.

TP is (first, last, sectors per track) again and again. Each node of IDX is a list of entries: LBN,
cylinder, angle, blocks per element, cylinders per element, angle per element, blocks of the run, cylinders
of the run, then ``TRACK``, pattern, head or ``IDX``, node. (DiskSim's manual gives another order and eight
fields.)
"""

from __future__ import annotations

import itertools

from iowatt.base.errors import InputError
from iowatt.model.library.disksim.layout import G4Layout, G4Remap, G4Run, TrackPattern
from iowatt.model.library.disksim.parameter import read_fields
from iowatt.model.library.disksim.parameters import G4
from iowatt.model.library.disksim.tree import Block, Value

_LIMIT = 2**62
_ENTRY = (
    "an entry must be 'lbn, cylinder, angle, length, cylinders, angle step, run length, run cylinders, "
    "TRACK, pattern, head' or the same with 'IDX, node'"
)


def read_g4(block: Block, surfaces: int, warnings: list[str]) -> G4Layout:
    """The tree of a ``dm_layout_g4`` block.

    Raises
    ------
    InputError
        Where a list is not of this form, or an entry names what is not there.
    """
    read_fields(block, G4, warnings)
    patterns = tuple(TrackPattern(*row) for row in _rows(block, "TP", 3))
    for number, pattern in enumerate(patterns):
        if not pattern.first <= pattern.last < _LIMIT or pattern.sectors_per_track < 1:
            raise InputError(
                "out-of-range",
                block.where("TP"),
                f"TP {number} must be: first sector, last sector, sectors per track",
            )
    listed = _list(block, "IDX")
    nodes: list[tuple[G4Run, ...]] = []
    for node in listed:
        nodes.append(_node(block, node, len(nodes), patterns, surfaces))
    if not nodes:
        raise InputError("empty", block.where("IDX"), "'IDX' must hold at least one node")
    slips = tuple((row[0], row[1]) for row in _rows(block, "Slips", 2))
    if any(after[0] < before[0] for before, after in itertools.pairwise(slips)):
        raise InputError("out-of-order", block.where("Slips"), "'Slips' must be ordered by LBN")
    remaps = tuple(G4Remap(*row) for row in _rows(block, "Remaps", 6))
    return G4Layout(patterns, tuple(nodes), slips, remaps)


def _list(block: Block, key: str) -> list[Value]:
    entry = block.entries.get(key)
    if entry is None:
        return []
    if not isinstance(entry.value, list):
        raise InputError("wrong-type", block.where(key), f"{key!r} must be a list")
    return entry.value


def _rows(block: Block, key: str, width: int) -> list[list[int]]:
    flat = _list(block, key)
    whole = [item for item in flat if isinstance(item, int) and 0 <= item < _LIMIT]
    if len(whole) != len(flat) or len(flat) % width:
        raise InputError(
            "wrong-type",
            block.where(key),
            f"{key!r} must be whole numbers, {width} for each entry; it has {len(flat)} items",
        )
    return [whole[at : at + width] for at in range(0, len(whole), width)]


def _node(
    block: Block, node: Value, number: int, patterns: tuple[TrackPattern, ...], surfaces: int
) -> tuple[G4Run, ...]:
    runs: list[G4Run] = []

    def wrong(code: str, reason: str) -> InputError:
        return InputError(code, block.where("IDX"), f"IDX node {number}, entry {len(runs)}: {reason}")

    if not isinstance(node, list) or not node:
        raise wrong("wrong-type", "a node must be a list of entries")
    at = 0
    while at < len(node):
        figures = _figures(node[at : at + 8])
        kind = node[at + 8] if at + 8 < len(node) else None
        width = {"TRACK": 2, "IDX": 1}.get(kind, 0) if isinstance(kind, str) else 0
        links = node[at + 9 : at + 9 + width]
        whole = [item for item in links if isinstance(item, int)]
        if not width or len(whole) != width or figures is None:
            raise wrong("wrong-type", _ENTRY)
        run = G4Run(*figures, head=whole[1] if width == 2 else None, child=whole[0])
        accepted = len(patterns) if run.head is not None else number
        if not 0 <= run.child < accepted:
            raise wrong("unknown-name", f"{kind} {run.child} is not one of the {accepted} before it")
        if run.head is not None and not 0 <= run.head < surfaces:
            raise wrong("out-of-range", f"head {run.head} is not one of the {surfaces} surfaces")
        free = runs[-1].lbn + runs[-1].run_sectors if runs else 0
        if run.lbn != free:
            raise wrong("out-of-order", f"it starts at LBN {run.lbn}, and the run before ends at {free}")
        runs.append(run)
        at += 9 + width
    return tuple(runs)


def _figures(items: list[Value]) -> tuple[int, int, float, int, int, float, int, int] | None:
    """The eight numbers of an entry, whole ones except for the two angles; None where they are not."""
    whole = [item for item in (*items[:2], *items[3:5], *items[6:]) if isinstance(item, int)]
    angles = [float(item) for item in (*items[2:3], *items[5:6]) if isinstance(item, int | float)]
    if len(whole) != 6 or len(angles) != 2 or max(map(abs, whole)) >= _LIMIT:
        return None
    lbn, cylinder, sectors, cylinders, run_sectors, run_cylinders = whole
    if min(lbn, cylinder, cylinders) < 0 or not 1 <= sectors <= run_sectors:
        return None
    return lbn, cylinder, angles[0], sectors, cylinders, angles[1], run_sectors, run_cylinders
