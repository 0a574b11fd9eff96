"""The house stays in order: rooms are entered by their faces, and a class name means one thing."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def house():
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import house
    finally:
        sys.path.remove(str(ROOT / "scripts"))
    return house


@pytest.fixture(scope="module")
def code(house):
    return house.modules(ROOT, house.CODE)


def test_rooms_are_entered_by_their_faces(house, code):
    assert house.reaching(code) == []


def test_a_class_name_is_used_once(code):
    names = Counter(node.name for module in code for node in module.nodes if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1] == []
