"""Measure the house: sizes, imports across packages, untyped seams, options, tests that depend on English.

    python scripts/house.py [--json] [--root WORKTREE] [--startup N]
    python scripts/house.py --reaching          the imports that reach inside a room, one a line

All figures but those of ``--startup`` come from the source alone, by its syntax trees. A *package* is what
lies directly in ``python/iowatt``. ``english.py`` defines
what a test that depends on English is.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from english import checkers, on_english, values

CODE: Final = Path("python", "iowatt")
SHORT: Final = 60


@dataclass(frozen=True)
class Module:
    """A source file and its syntax tree; ``name`` is dotted, of a package without ``__init__``."""

    path: Path
    name: str
    lines: int
    tree: ast.Module

    @property
    def package(self) -> str:
        """The directory or file of ``python/iowatt`` that it belongs to."""
        return self.name.split(".")[1] if "." in self.name else self.name

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the tree."""
        return list(ast.walk(self.tree))


def modules(root: Path, folder: Path) -> list[Module]:
    """Return the modules below a folder, parsed."""
    found = []
    for path in sorted((root / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        parts = path.relative_to((root / folder).parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append(Module(path.relative_to(root), name, len(text.splitlines()), ast.parse(text)))
    return found


def imported(module: Module, names: set[str]) -> set[str]:
    """Return the modules of iowatt that a module imports, anywhere in it; relative imports do not occur."""
    found = set()
    for node in module.nodes:
        if isinstance(node, ast.Import):
            found.update(one.name for one in node.names if one.name.split(".")[0] == "iowatt")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "iowatt":
            inner = [f"{node.module}.{one.name}" for one in node.names]
            found.update(one if one in names else str(node.module) for one in inner)
    return found


def components(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components of more than one node, the largest first."""

    def reach(start: str) -> set[str]:
        seen, todo = set(), [start]
        while todo:
            for one in graph.get(todo.pop(), set()) - seen:
                seen.add(one)
                todo.append(one)
        return seen

    reached = {node: reach(node) for node in graph}
    found = {frozenset(o for o in seen if node in reached.get(o, ())) for node, seen in reached.items()}
    return sorted((sorted(one) for one in found if len(one) > 1), key=len, reverse=True)


def room_of(name: str) -> str:
    """Return the package or single file directly in a layer that a module belongs to."""
    return ".".join(name.split(".")[:3])


def way(target: Module, by_name: Mapping[str, Module]) -> str:
    """Return how an import from another room enters: by a single ``file``, a ``face``, or ``inside``.

    A room's faces are its package, packages in it, and ``result``, the module of its result types.
    """
    room = by_name.get(room_of(target.name))
    if room is not None and room.path.name != "__init__.py":
        return "file"
    return "face" if target.path.name in ("__init__.py", "result.py") else "inside"


def reaching(code: list[Module]) -> list[tuple[str, str]]:
    """Return the imports that reach inside a room: importer and module."""
    by_name = {module.name: module for module in code}
    return sorted(
        (module.name, target)
        for module in code
        for target in imported(module, set(by_name)) & by_name.keys()
        if room_of(target) != room_of(module.name) and way(by_name[target], by_name) == "inside"
    )


def imports(code: list[Module]) -> dict[str, Any]:
    """Count imports across packages, components, and modules with a single importer.

    An import is a pair of modules in different *rooms*: packages or single files directly in a layer, such as
    ``iowatt.lenses.budget`` and ``iowatt.base.errors``. The graph of components has the layers as nodes.
    """
    by_name = {module.name: module for module in code}
    ways: Counter[str] = Counter()
    graph: dict[str, set[str]] = {module.package: set() for module in code}
    importers: Counter[str] = Counter()
    for module in code:
        for target in imported(module, set(by_name)) & by_name.keys() - {module.name}:
            importers[target] += 1
            there = by_name[target]
            if there.package != module.package:
                graph[module.package].add(there.package)
            if room_of(target) != room_of(module.name):
                ways[way(there, by_name)] += 1
    knots = components(graph)
    return {
        "imports_that_reach_inside": ways["inside"],
        "imports_by_a_face": ways["face"],
        "imports_of_single_files": ways["file"],
        "components": [len(knot) for knot in knots],
        "largest_component": knots[0] if knots else [],
        "modules_with_one_importer": sum(importers[name] == 1 for name in by_name),
    }


def sizes(code: list[Module]) -> dict[str, Any]:
    """Count lines and files."""
    lines = [module.lines for module in code]
    largest = sorted(code, key=lambda module: -module.lines)[:15]
    files = Counter(module.path.name for module in code if module.path.name != "__init__.py")
    return {
        "lines": sum(lines),
        "files": len(lines),
        "median_lines": statistics.median(lines),
        "files_under_60_lines": sum(count < SHORT for count in lines),
        "largest_files": {module.path.as_posix(): module.lines for module in largest},
        "file_names_used_more_than_once": dict(one for one in files.most_common() if one[1] > 1),
    }


def seams(code: list[Module]) -> dict[str, Any]:
    """Count untyped mappings, converters by hand, options, and class names that are not unique."""
    untyped, converters, options = 0, 0, 0
    classes: Counter[str] = Counter()
    for module in code:
        for node in module.nodes:
            if isinstance(node, ast.Subscript):
                named = getattr(node.value, "id", "") in ("dict", "Mapping")
                untyped += named and ast.unparse(node.slice).strip("()") == "str, Any"
            elif isinstance(node, ast.FunctionDef):
                converters += node.name == "as_dict"
            elif isinstance(node, ast.ClassDef):
                classes[node.name] += 1
            elif isinstance(node, ast.Call) and module.package == "cli":
                options += getattr(node.func, "attr", "") in ("Option", "Argument")
    twice = {name: count for name, count in classes.most_common() if count > 1}
    return {
        "untyped_mappings": untyped,
        "as_dict": converters,
        "options_declared": options,
        "class_names_used_more_than_once": len(twice),
        "most_used_class_names": dict(list(twice.items())[:15]),
    }


def tested(tests: list[Module]) -> dict[str, Any]:
    """Count tests, and those that depend on English."""
    helpers = checkers(module.tree for module in tests)
    count, files = 0, Counter[str]()
    for module in tests:
        above = values(module.tree.body)
        for node in module.nodes:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                count += 1
                files[module.path.as_posix()] += on_english(node, above, helpers)
    return {
        "test_functions": count,
        "tests_on_english": files.total(),
        "files_with_most_of_them": dict(files.most_common(15)),
    }


def startup(root: Path, times: int) -> dict[str, Any]:
    """Measure CPU and wall seconds of quick verbs: the median and the least of some runs."""
    found = {}
    for verb in ("--help", "check examples/oltp-raid5.toml", "explain array.pool.raid.stripe_unit"):
        cpu, wall = [], []
        for _ in range(times):
            before, began = os.times(), time.perf_counter()
            subprocess.run(
                [root / ".venv/bin/iowatt", *verb.split()], cwd=root, capture_output=True, check=True
            )
            after = os.times()
            wall.append(time.perf_counter() - began)
            cpu.append(sum(after[2:4]) - sum(before[2:4]))
        found[verb.split()[0]] = {
            name: round(value, 3)
            for kind, values in (("cpu", cpu), ("wall", wall))
            for name, value in (
                (f"{kind}_median_s", statistics.median(values)),
                (f"{kind}_least_s", min(values)),
            )
        }
    return {"startup": found}


def main() -> int:
    """Print the measures of a working tree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--root", type=Path, default=Path(__file__).resolve().parent.parent, help="a working tree"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--startup", type=int, default=0, metavar="N", help="also time quick verbs, N times each"
    )
    parser.add_argument(
        "--reaching", action="store_true", help="list the imports that reach inside a room; fail if any does"
    )
    asked = parser.parse_args()
    if asked.reaching:
        found = reaching(modules(asked.root, CODE))
        print("\n".join(f"{importer}  imports  {target}" for importer, target in found))
        return bool(found)
    code, tests = modules(asked.root, CODE), modules(asked.root, Path("tests"))
    found = {**sizes(code), **imports(code), **seams(code), **tested(tests)}
    if asked.startup:
        found |= startup(asked.root, asked.startup)
    if asked.json:
        print(json.dumps(found, indent=2))
        return 0
    for name, value in found.items():
        if isinstance(value, dict):
            print(f"{name.replace('_', ' ')}:")
            print("\n".join(f"    {key:<55} {one}" for key, one in list(value.items())[:15]))
        else:
            text = ", ".join(map(str, value)) if isinstance(value, list) else value
            print(f"{name.replace('_', ' '):<35} {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
