"""The house stays in order: rooms are entered by their faces, a class name means one thing, and references in
docstrings lead somewhere."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROLE = re.compile(r":(?:func|class|mod|meth|data|attr|exc):`~?(iowatt[\w.]*)`")


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


def resolves(name: str) -> bool:
    """Whether a dotted name is a module, or an attribute of one, or an attribute of that."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        module = ".".join(parts[:length])
        try:
            found = importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{module}.".startswith(f"{error.name}."):
                raise  # the module exists; what it imports does not
            continue
        for part in parts[length:]:
            fields = getattr(found, "__dataclass_fields__", {}) | getattr(found, "model_fields", {})
            if not hasattr(found, part) and part not in fields:
                return False
            found = getattr(found, part, None)
        return True
    return False


def test_cross_references_lead_to_names_that_exist():
    named = {
        (str(file.relative_to(ROOT)), name)
        for file in sorted((ROOT / "python/iowatt").rglob("*.py"))
        for name in ROLE.findall(file.read_text("utf-8"))
    }
    assert len(named) > 30  # it finds them at all
    assert sorted((file, name) for file, name in named if not resolves(name)) == []
