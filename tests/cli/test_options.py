"""A flag of the command line is declared once."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import iowatt.cli
from iowatt.cli import verbs


def declarations():
    """The places that declare each flag."""
    found = defaultdict(list)
    for file in sorted(Path(iowatt.cli.__file__).parent.glob("*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        parameters = {
            id(part): argument.arg
            for argument in ast.walk(tree)
            if isinstance(argument, ast.arg) and argument.annotation is not None
            for part in ast.walk(argument.annotation)
        }
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call) or ast.unparse(call.func) != "typer.Option":
                continue
            place = f"{file.name}:{call.lineno}"
            names = [ast.literal_eval(one) for one in call.args]
            parameter = parameters.get(id(call), f"unnamed-{place}").rstrip("_").replace("_", "-")
            flags = next((one for one in names if one.startswith("--")), f"--{parameter}")
            for flag in flags.split("/"):
                found[flag].append(place)
    return found


def test_a_flag_is_declared_once():
    found = declarations()
    assert len(found) > 180, "the declarations were not found"
    assert {flag: places for flag, places in found.items() if len(places) > 1} == {}


def test_a_flag_has_one_short_form_and_a_short_form_one_flag():
    short = defaultdict(set)

    def look(command):
        for option in command.params:
            if option.param_type_name == "option":
                letters = {one for one in option.opts if not one.startswith("--")}
                words = {one for one in option.opts if one.startswith("--")}
                for letter in letters:
                    short[letter] |= words
        for below in getattr(command, "commands", {}).values():
            look(below)

    for name in verbs.VERBS:
        look(verbs.load(name))
    assert {letter: words for letter, words in short.items() if len(words) > 1} == {}
